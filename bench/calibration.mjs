//===- calibration.mjs - Calibration against plain inference --------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Watching every layer costs the fusion of layers and a look at every value.
// This prints how many plain inferences one calibrated sample costs, and what
// a second thread brings.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  benchModels,
  commandLine,
  inferenceMilliseconds,
  modelFile,
  printTable,
  shapeArguments,
} from "./lib.mjs";
import {
  makeInputs,
  rawBytes,
  tensorFile,
} from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node calibration.mjs --cache DIR --parallax PATH [--work DIR] [--all] " +
    "[--models DIR] [--only NAME,..]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    work: { type: "string" },
    all: { type: "boolean" },
    models: { type: "string" },
    only: { type: "string" },
  },
  ["cache", "parallax"],
);
const work =
  options.work ?? fs.mkdtempSync(join(tmpdir(), "parallax-calibration-"));
const samples = 16;

/// Seconds that a build spends on calibration.
function calibrationSeconds(config, method, threads) {
  const { stderr } = spawnSync(
    options.parallax,
    [
      "build",
      "--config",
      config,
      "--quant.calibration_method",
      method,
      "--threads",
      threads,
      "--log-level",
      "debug",
    ],
    { encoding: "utf8" },
  );
  return Number(/calibrated on \d+ samples in ([0-9.]+) s/.exec(stderr)[1]);
}

const rows = [];
for (const model of await benchModels(options, options)) {
  const inputs = makeInputs(model);
  if (model.bake || inputs.length > 1) continue; // one file per sample
  process.stderr.write(`calibrating ${model.name}\n`);
  const dir = join(work, model.name);
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(join(dir, "data"), { recursive: true });
  for (let i = 0; i < samples; ++i)
    fs.writeFileSync(
      tensorFile(join(dir, "data"), `sample${String(i).padStart(2, "0")}`),
      rawBytes(inputs[0].data),
    );
  const config = join(dir, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: modelFile(options.cache, model),
      output_dir: join(dir, "out"),
      input_shapes: shapeArguments(model)[1],
      quant: {
        input_configs: [
          {
            tensor_name: "DEFAULT",
            calibration_dataset: join(dir, "data"),
            calibration_format: "Binary",
            calibration_size: samples,
          },
        ],
      },
    }),
  );
  const minMax = calibrationSeconds(config, "MinMax", "1");
  const entropy = calibrationSeconds(config, "KL", "1");
  const twoThreads = calibrationSeconds(config, "MinMax", "2");
  const plain =
    (samples *
      inferenceMilliseconds(
        options.parallax,
        join(dir, "out/frontend/optimized.onnx"),
      )) /
    1e3;
  rows.push([
    model.name,
    (minMax / plain).toFixed(2),
    (entropy / plain).toFixed(2),
    (minMax / twoThreads).toFixed(2),
  ]);
}
printTable(["model", "MinMax/plain", "KL/plain", "2 threads"], rows);
if (!options.work) fs.rmSync(work, { recursive: true, force: true });
