//===- float_latency.mjs - Float inference, Parallax against ONNX Runtime -===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Calibration and analysis run the float network over many samples, so the
// Reference has to keep up with the engine that people would otherwise use.

import {
  benchModels,
  commandLine,
  geometricMean,
  printTable,
  requireOrt,
  runArguments,
} from "./lib.mjs";
import { measureTurns } from "./turns.mjs";

const options = commandLine(
  "node float_latency.mjs --cache DIR --parallax PATH " +
    "[--threads 1,2] [--models DIR] [--only NAME,..]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    threads: { type: "string", default: "1,2" },
    models: { type: "string" },
    only: { type: "string" },
  },
  ["cache", "parallax"],
);

const budgetMs = 3000;
const ort = requireOrt(options.cache);
const models = await benchModels(options, { all: true, only: options.only });
for (const threads of options.threads.split(",").map(Number)) {
  const rows = [];
  const ratios = [];
  for (const model of models) {
    process.stderr.write(`measuring ${model.name}, ${threads} thread(s)\n`);
    try {
      const { ours, theirs, count, policy } = await measureTurns(
        { ...options, ort, budgetMs },
        model,
        runArguments(options.cache, model),
        threads,
      );
      ratios.push(ours / theirs);
      rows.push([
        model.name,
        ours.toFixed(3),
        theirs.toFixed(3),
        (ours / theirs).toFixed(3),
        count,
        policy,
      ]);
    } catch (error) {
      console.error(`error: ${model.name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  if (rows.length === 0) continue;
  console.log(`\nfloat latency, ${threads} thread(s), medians`);
  printTable(
    ["model", "ours ms", "ORT ms", "ours/ORT", "turns", "ORT waits by"],
    rows,
  );
  console.log(`geometric mean ours/ORT: ${geometricMean(ratios).toFixed(3)}`);
}
