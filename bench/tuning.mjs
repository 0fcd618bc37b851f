//===- tuning.mjs - Strategies of tuning side by side ---------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// How many trials, seconds and cycles it takes until a network is similar
// enough to float: the cut of `auto`, and the orders of Neural Compressor.
// Trials of the baselines are limited, because theirs are hundreds. `pareto` is
// the complete front from 8 to 16 bits.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cachedModels,
  commandLine,
  modelFile,
  printTable,
  runProgram,
  selectModels,
  shapeArguments,
  timed,
} from "./lib.mjs";
import { writeSamples } from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node tuning.mjs --cache DIR --parallax PATH [--samples N] [--trials N] " +
    "[--strategies auto,mse] [--only NAME,..]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    samples: { type: "string", default: "32" },
    trials: { type: "string", default: "20" },
    strategies: { type: "string", default: "auto,pareto,basic,mse" },
    only: { type: "string", default: "sface,fr-pose" },
  },
  ["cache", "parallax"],
);

/// What a tuning has come to: its best trial, and how far that is from float on
/// samples that it was not tuned on.
function outcome(folder) {
  const read = (name) =>
    fs.readFileSync(join(folder, "tuning", name), "utf8").trim();
  const trials = read("history.jsonl")
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((record) => "number" in record && !record.failure);
  const found = JSON.parse(read("outcome.json"));
  const best = trials.find((trial) => trial.number === found.best);
  return {
    trials: trials.length,
    isMet: found.is_met,
    before: trials[0].metric.value,
    after: best.metric.value,
    factor: best.cycles / trials[0].cycles,
    loss: found.best_validated?.loss[0] ?? NaN,
  };
}

const rows = [];
const work = fs.mkdtempSync(join(tmpdir(), "tuning-"));
for (const model of cachedModels(options.cache, selectModels(options))) {
  // With its shapes, and without what was baked.
  const source = join(work, `${model.name}.onnx`);
  await runProgram(
    ...[options.parallax, "optimize", modelFile(options.cache, model), source],
    ...shapeArguments(model),
  );
  const samples = writeSamples(model, join(work, model.name), +options.samples);
  for (const strategy of options.strategies.split(",")) {
    const isFront = strategy === "pareto";
    const folder = join(work, `${model.name}-${strategy}`);
    const config = `${folder}.json`;
    fs.writeFileSync(
      config,
      JSON.stringify({
        input: source,
        output_dir: folder,
        quant: { input_configs: samples },
        tuning: {
          strategy: isFront ? "auto" : strategy,
          exit_policy: { max_trials: +options.trials },
        },
      }),
    );
    const milliseconds = await timed(() =>
      // Exit code 1 says that no trial was good enough.
      runProgram(
        ...[options.parallax, "tune", "--config", config],
        ...(isFront ? ["--pareto"] : []),
      ).catch(() => {}),
    );
    const { trials, isMet, before, after, factor, loss } = outcome(folder);
    rows.push([
      model.name,
      strategy,
      String(trials),
      (milliseconds / 1000).toFixed(1),
      before.toFixed(5),
      after.toFixed(5),
      factor.toFixed(3),
      isMet ? "yes" : "no",
      loss.toFixed(5),
    ]);
  }
}
fs.rmSync(work, { recursive: true });
printTable(
  [
    ...["model", "strategy", "trials", "seconds", "U8", "tuned", "cycles"],
    ...["holds", "loss on others"],
  ],
  rows,
);
