//===- reductions.mjs - Real networks made small --------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A kernel that is wrong on purpose in a network of hundreds of layers, and a
// channel of weights that is 20 times too large: both have to end in a case of
// a few operators that still shows the problem.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  cachedModels,
  closeChecks,
  manifest,
  modelFile,
  peerOptions,
  runProgram,
  shapeArguments,
  timed,
} from "../../../bench/lib.mjs";
import { writeSamples } from "./inputs.mjs";

const options = peerOptions("reductions.mjs");
const here = dirname(fileURLToPath(import.meta.url));
const problems = [
  {
    model: "u2netp",
    what: "broken kernel",
    fault: "Conv_463:rounding",
    operators: 3,
    bytes: 4096,
  },
  {
    model: "fr-pose",
    what: "weight outlier",
    plants: true,
    operators: 5,
    bytes: Infinity,
  },
];

const faulty = join(dirname(options.parallax), "parallax-faulty");

async function check(model, problem) {
  const dir = join(options.work, model.name);
  // What a case starts has the fault as well.
  if (problem.fault) process.env.PARALLAX_TEST_FAULT = problem.fault;
  else delete process.env.PARALLAX_TEST_FAULT;
  const parallax = (...args) => runProgram(faulty, ...args);
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  let source = modelFile(options.cache, model);
  if (problem.plants) {
    const planted = join(dir, "planted.onnx");
    await runProgram("python3", join(here, "plant_outlier.py"), source, planted);
    source = planted;
  }
  const optimized = join(dir, "optimized.onnx");
  await parallax("optimize", source, optimized, ...shapeArguments(model));
  const config = join(dir, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: optimized,
      output_dir: join(dir, "out"),
      quant: {
        input_configs: writeSamples(model, join(dir, "data"), 2),
        precision_analysis: true,
        precision_analysis_mode: "Both",
        precision_analysis_size: 1,
      },
    }),
  );
  const [big, small] = ["big", "small"].map((n) => join(dir, `${n}.plxcase`));
  await parallax("build", "--config", config, "--case", big);
  let said = "";
  const milliseconds = await timed(async () => {
    said = await parallax("case", "reduce", big, "-o", small);
  });
  const [, after, before, bytes, , tests] =
    /(\d+) of (\d+) layers and (\d+) of (\d+) bytes .* after (\d+) tests/.exec(
      said,
    );
  await parallax("case", "replay", small);
  const verdicts = [];
  if (Number(after) > problem.operators) verdicts.push("too many operators");
  if (Number(bytes) > problem.bytes) verdicts.push("too many bytes");
  return [
    ...[model.name, problem.what, before, after, bytes, tests],
    (milliseconds / 1e3).toFixed(1),
    verdicts.length ? `FAILED: ${verdicts.join(", ")}` : "ok",
  ];
}

const rows = [];
let missing = 0;
for (const problem of problems) {
  const [model] = cachedModels(
    options.cache,
    manifest.models.filter(({ name }) => name === problem.model),
  );
  if (!model) {
    ++missing;
    continue;
  }
  process.stderr.write(`reducing ${problem.what} of ${problem.model}\n`);
  rows.push(
    await check(model, problem).catch((error) => [
      ...[problem.model, problem.what, "-", "-", "-", "-", "-"],
      `FAILED: ${error.message}`,
    ]),
  );
}
closeChecks(
  [
    ...["model", "problem", "layers before", "after", "bytes", "tests"],
    ...["seconds", "verdict"],
  ],
  rows,
  missing,
);
