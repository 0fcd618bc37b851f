//===- analysis.mjs - What precision analysis costs -----------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// An analysis that is slow is left out. Networks are quantized to U8, and the
// complete analysis of 8 samples (both modes, both methods, all tables and
// files: the phase that a user waits for) is set in ratio to 8 inferences of
// the float network, as many side by side as there are threads. Both take
// turns. So are its tables of layers and bits alone, without what looks for
// causes. The second table shows that memory does not grow with the number of
// samples, what it is in ratio to one inference of the float network, and how
// long a build takes that calibrates on 32 samples.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  alternate,
  benchModels,
  commandLine,
  geometricMean,
  median,
  modelFile,
  printTable,
  runProgram,
  Server,
  shapeArguments,
  timed,
} from "./lib.mjs";
import { writeSamples } from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node analysis.mjs --cache DIR --parallax PATH [--work DIR] " +
    "[--threads 1,2] [--turns N] [--models DIR] [--only NAME,..]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    work: { type: "string" },
    threads: { type: "string", default: "1,2" },
    turns: { type: "string", default: "3" },
    models: { type: "string" },
    only: { type: "string" },
  },
  ["cache", "parallax"],
);

const samples = 8;
const [few, many] = [2, 16];
const manyCalibrated = 32;
const limits = { ratio: 10, tables: 6, memory: 3, seconds: 10 };

/// Optimizes a network once, so that the float side runs what is analyzed, and
/// writes its samples.
async function setUp(work, model) {
  const dir = join(work, model.name);
  fs.mkdirSync(dir, { recursive: true });
  const source = join(dir, "model.onnx");
  await runProgram(
    options.parallax,
    ...["optimize", modelFile(options.cache, model), source],
    ...shapeArguments(model),
  );
  const inputConfigs = writeSamples(model, join(dir, "data"), manyCalibrated);
  const config = join(dir, "config.json");
  const outputDir = join(dir, "out");
  const writeConfig = (calibrated) =>
    fs.writeFileSync(
      config,
      JSON.stringify({
        input: source,
        output_dir: outputDir,
        quant: {
          input_configs: inputConfigs.map((input) => ({
            ...input,
            calibration_size: calibrated,
          })),
          precision_analysis: true,
          precision_analysis_mode: "Both",
        },
      }),
    );
  return { source, config, writeConfig };
}

/// A build that analyzes `count` samples: seconds by phase, megabytes at most.
async function build(config, threads, count) {
  const said = await runProgram(
    options.parallax,
    ...["build", "--config", config, "--threads", String(threads)],
    ...["--quant.precision_analysis_size", String(count)],
    ...["--log-level", "debug"],
  );
  const times = /^.*time: (.*)$/m.exec(said)[1];
  const phases = Object.fromEntries(
    times.split(", ").map((entry) => entry.split(" ").slice(0, 2)),
  );
  const parts = Object.fromEntries(
    [...said.matchAll(/(layers|bits) ([0-9.]+) s/g)].map((m) => m.slice(1)),
  );
  return {
    analysis: Number(phases.analyze),
    tables: Number(parts.layers) + Number(parts.bits),
    total: Object.values(phases).reduce((sum, x) => sum + Number(x), 0),
    megabytes: Math.max(
      ...[...said.matchAll(/peak memory ([0-9.]+) MB/g)].map((m) => Number(m[1])),
    ),
  };
}

/// Runs the float network on one thread in each of some servers. Returns the
/// seconds that all samples take, dealt out to them.
async function startFloat(source, threads) {
  const servers = [];
  for (let i = 0; i < threads; ++i)
    servers.push(
      await Server.start(options.parallax, [
        ...["run", "--model", source, "--threads", "1"],
      ]),
    );
  const runAll = () =>
    Promise.all(
      servers.map(async (server, i) => {
        for (let sample = i; sample < samples; sample += threads)
          await server.run();
      }),
    );
  return {
    run: async () => (await timed(runAll)) / 1e3,
    stop: () => Promise.all(servers.map((server) => server.stop())),
  };
}

const only = options.only ?? "sface,fr-expression,ppocrv4-det";
const models = await benchModels(options, { only });
const work =
  options.work ?? fs.mkdtempSync(join(tmpdir(), "parallax-analysis-"));
const turns = Number(options.turns);
const networks = [];
for (const model of models)
  networks.push({ model, ...(await setUp(work, model)) });
const means = [];
for (const threads of options.threads.split(",").map(Number)) {
  const rows = [];
  for (const { model, source, config, writeConfig } of networks) {
    process.stderr.write(`${model.name}, ${threads} thread(s)\n`);
    writeConfig(samples);
    const float = await startFloat(source, threads);
    const tables = [];
    const { ours, theirs } = await alternate(
      async () => {
        const built = await build(config, threads, samples);
        tables.push(built.tables);
        return built.analysis;
      },
      float.run,
      1,
      (count) => count < turns,
    );
    await float.stop();
    rows.push([model.name, ours, theirs, ours / theirs, median(tables) / theirs]);
  }
  console.log(`\n${samples} samples, ${threads} thread(s), medians`);
  printTable(
    ["model", "analysis s", "float s", "analysis/float", "tables/float"],
    rows.map(([name, ...numbers]) => [
      name,
      ...numbers.map((number) => number.toFixed(2)),
    ]),
  );
  for (const [name, column, limit] of [
    ["analysis/float", 3, limits.ratio],
    ["tables/float", 4, limits.tables],
  ])
    means.push([
      name,
      threads,
      geometricMean(rows.map((row) => row[column])).toFixed(2),
      limit,
    ]);
}

const rows = [];
const threads = Number(options.threads.split(",").at(-1));
for (const { model, source, config, writeConfig } of networks) {
  process.stderr.write(`${model.name}, memory\n`);
  writeConfig(samples);
  const small = await build(config, threads, few);
  writeConfig(many);
  const large = await build(config, threads, many);
  writeConfig(manyCalibrated);
  const { total } = await build(config, threads, samples);
  const float = await Server.start(options.parallax, [
    ...["run", "--model", source, "--threads", String(threads)],
  ]);
  await float.run();
  const megabytes = float.peakMegabytes();
  await float.stop();
  rows.push([
    model.name,
    small.megabytes.toFixed(1),
    large.megabytes.toFixed(1),
    (large.megabytes / megabytes).toFixed(1),
    total.toFixed(2),
  ]);
}
console.log(`\npeak memory, and builds that calibrate on ${manyCalibrated}`);
printTable(
  [
    "model",
    `MB, ${few} samples`,
    `MB, ${many} samples`,
    `to float (limit ${limits.memory})`,
    `build s (limit ${limits.seconds})`,
  ],
  rows,
);
console.log("\ngeometric means");
printTable(["ratio", "threads", "mean", "limit"], means);
if (!options.work) fs.rmSync(work, { recursive: true, force: true });
