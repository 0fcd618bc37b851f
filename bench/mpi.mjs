//===- mpi.mjs - Two processes of a job against two threads of one --------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Dealing samples to ranks should cost nothing beside dealing them to threads.
// Both sides have two cores and take turns; the whole command counts. What a
// job does not deal is measured, too: it limits how far more ranks help. So is
// the launch, by a command that ends at once, and the time of processors, which
// says what is wasted where others work on the same computer.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cachedModels,
  commandLine,
  median,
  modelFile,
  printTable,
  runProgram,
  selectModels,
  skipped,
} from "./lib.mjs";
import { writeSamples } from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node mpi.mjs --cache DIR --parallax PATH [--samples N] [--turns N]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    samples: { type: "string", default: "1000" },
    turns: { type: "string", default: "5" },
  },
  ["cache", "parallax"],
);
const samples = Number(options.samples);
const environment = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

/// What a .npy file begins with.
function npyHeader(type, dims) {
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${dims},), }`;
  return Buffer.from(
    `\x93NUMPY\x01\x00v\x00${header.padEnd(117)}\n`,
    "latin1",
  );
}

/// Numbers for the input of a network, as one array of all samples.
function writeNumbers(file, shape, count) {
  const [, ...row] = shape;
  const size = row.reduce((a, b) => a * b, 1);
  const out = fs.openSync(file, "w");
  fs.writeSync(out, npyHeader("<f4", [count, ...row].join(", ")));
  const values = new Float32Array(size);
  let state = 1;
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < size; ++k) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      values[k] = state / 2 ** 31 - 1;
    }
    fs.writeSync(out, Buffer.from(values.buffer));
  }
  fs.closeSync(out);
}

/// Seconds of one command, those of processors, and the phases that it names.
function run(...words) {
  const timed = 'TIMEFORMAT="processors %U %S"; time "$@"';
  const begin = process.hrtime.bigint();
  const done = spawnSync("bash", ["-c", timed, "bash", ...words, "--log-level", "debug"], {
    encoding: "utf8",
    env: environment,
    maxBuffer: 1 << 28,
  });
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  if (done.status !== 0 && done.status !== 1)
    throw new Error(`${words[0]} failed: ${done.stderr.slice(-500)}`);
  const [, user, system] = /^processors ([0-9.]+) ([0-9.]+)$/m.exec(done.stderr);
  const line = /evaluation: (.*)/.exec(done.stderr + done.stdout)?.[1] ?? "";
  const phases = {};
  for (const [, name, time] of line.matchAll(/(\w+) ([0-9.]+) s/g))
    phases[name] = (phases[name] ?? 0) + Number(time);
  return { seconds, processors: Number(user) + Number(system), phases };
}

if (spawnSync("mpirun", ["--version"]).status !== 0) {
  console.log("SKIPPED: there is no mpirun; install openmpi-bin");
  process.exit(skipped);
}
const rows = [];
for (const model of cachedModels(
  options.cache,
  selectModels({ only: "fr-pose" }),
)) {
  const folder = fs.mkdtempSync(join(tmpdir(), "parallax-mpi-"));
  try {
    const [[, { shape }]] = Object.entries(model.inputs);
    const config = join(folder, "config.json");
    const images = join(folder, "images.npy");
    const labels = join(folder, "labels.npy");
    writeNumbers(images, shape, samples);
    const zeros = Buffer.alloc(4 * samples);
    fs.writeFileSync(labels, Buffer.concat([npyHeader("<i4", samples), zeros]));
    fs.writeFileSync(
      config,
      JSON.stringify({
        input: modelFile(options.cache, model),
        input_shapes: `input:${shape.join("x")}`,
        output_dir: join(folder, "output"),
        evaluation: { images, labels },
        quant: { input_configs: writeSamples(model, join(folder, "data"), 4) },
      }),
    );
    // So the float, the quantized and the compiled model are evaluated.
    const upTo = ["--phase-to", "compile"];
    await runProgram(options.parallax, "build", "--config", config, ...upTo);
    const command = ["evaluate", "--config", config, "--threads"];
    const check = ["build", "--check", "--config", config, "--threads"];
    const onRanks = (...words) =>
      run("mpirun", "--bind-to", "none", "-n", "2", options.parallax, ...words, "1");
    const ours = [];
    const alone = [];
    const ratios = [];
    const work = [];
    const launch = [];
    for (let turn = 0; turn < Number(options.turns); ++turn) {
      const threads = run(options.parallax, ...command, "2");
      const ranks = onRanks(...command);
      ours.push(ranks.seconds);
      ratios.push(threads.seconds / ranks.seconds);
      work.push(threads.processors / ranks.processors);
      alone.push(ranks.phases.write / ranks.seconds);
      launch.push(onRanks(...check).seconds - run(options.parallax, ...check, "2").seconds);
    }
    rows.push([
      model.name,
      samples,
      median(ours).toFixed(2),
      median(ratios).toFixed(3),
      median(work).toFixed(3),
      median(launch).toFixed(2),
      `${(100 * median(alone)).toFixed(2)} %`,
    ]);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
printTable(
  ["network", "samples", "2 ranks, s", "1 x 2 / 2 x 1", "processors", "launch, s", "rank 0 alone"],
  rows,
);
