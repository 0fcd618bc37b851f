//===- simulator.mjs - Bit-accurate simulation against float inference ----===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A simulator that is slow is not used on whole data sets. Convolutional
// networks are quantized to three pairs of types, and the time of simulating
// them, bit for bit, is set in ratio to ONNX Runtime's inference of the float
// network. The last column of each table is what the mean must not exceed.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  benchModels,
  commandLine,
  geometricMean,
  modelFile,
  printTable,
  requireOrt,
  runProgram,
  shapeArguments,
} from "./lib.mjs";
import { measureTurns } from "./turns.mjs";
import { writeSamples } from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node simulator.mjs --cache DIR --parallax PATH [--work DIR] " +
    "[--threads 1,2] [--types U8xS8,..] [--models DIR] [--only NAME,..]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    work: { type: "string" },
    threads: { type: "string", default: "1,2" },
    types: { type: "string", default: "U8xS8,U16xS8,U16xS16" },
    models: { type: "string" },
    only: { type: "string" },
  },
  ["cache", "parallax"],
);

const budgetMs = 1500;
const samples = 2;
const networks =
  "yolov8n,retinaface,fr-expression,fr-feature,fr-pose,ppocrv4-det," +
  "ppocr-cls,u2netp,sface,ddddocr-det,wake-embedding";
const limits = { U8xS8: 0.65, U16xS8: 0.9, U16xS16: 1.3 };

/// The quantized network of `types`, made unless it is there.
async function quantize(work, model, types) {
  const dir = join(work, model.name);
  const out = join(dir, types);
  const result = join(out, "quant", "quant_axmodel.onnx");
  if (fs.existsSync(result)) return result;
  fs.mkdirSync(dir, { recursive: true });
  const source = join(dir, "model.onnx");
  await runProgram(
    options.parallax,
    ...["optimize", modelFile(options.cache, model), source],
    ...shapeArguments(model),
  );
  const [data_type, weight_data_type] = types.split("x");
  const everything = {
    start_tensor_names: ["DEFAULT"],
    end_tensor_names: ["DEFAULT"],
  };
  const quant = {
    input_configs: writeSamples(model, join(dir, "data"), samples),
    layer_configs: [{ ...everything, data_type, weight_data_type }],
  };
  const config = join(dir, `${types}.json`);
  fs.writeFileSync(
    config,
    JSON.stringify({ input: source, output_dir: out, quant }),
  );
  await runProgram(options.parallax, "build", "--config", config);
  return result;
}

const only = options.only ?? networks;
const ort = requireOrt(options.cache);
const models = await benchModels(options, { only });
const work =
  options.work ?? fs.mkdtempSync(join(tmpdir(), "parallax-simulator-"));
const summary = [];
for (const types of options.types.split(","))
  for (const threads of options.threads.split(",").map(Number)) {
    const rows = [];
    for (const model of models) {
      process.stderr.write(`${types} ${model.name}, ${threads} thread(s)\n`);
      try {
        const file = await quantize(work, model, types);
        const { ours, theirs, count } = await measureTurns(
          { ...options, ort, budgetMs },
          model,
          ["run", "--model", file, "--mode", "NPUBackend"],
          threads,
        );
        rows.push([model.name, ours, theirs, ours / theirs, count]);
      } catch (error) {
        console.error(`error: ${model.name}: ${error.message}`);
        process.exitCode = 1;
      }
    }
    if (rows.length === 0) continue;
    console.log(`\nsimulation of ${types}, ${threads} thread(s), medians`);
    printTable(
      ["model", "ours ms", "float ORT ms", "ours/ORT", "turns"],
      rows.map(([name, ours, theirs, ratio, count]) => [
        name,
        ours.toFixed(3),
        theirs.toFixed(3),
        ratio.toFixed(3),
        count,
      ]),
    );
    const mean = geometricMean(rows.map((row) => row[3]));
    summary.push([types, threads, mean.toFixed(3), limits[types] ?? "-"]);
  }
console.log("\ngeometric means of ours/ORT");
printTable(["types", "threads", "mean", "limit"], summary);
if (!options.work) fs.rmSync(work, { recursive: true, force: true });
