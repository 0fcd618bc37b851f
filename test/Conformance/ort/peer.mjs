//===- peer.mjs - Float results against ONNX Runtime ----------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// The float Reference is what every precision figure is measured against, so
// something from outside the project has to say that it is right. This script
// gives real trained networks the same inputs in ONNX Runtime and in
// `parallax run` and compares every graph output, in double precision, with no
// code shared with the tool.

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  cachedModels,
  createSession,
  makeFeeds,
  modelFile,
  peerOptions,
  printTable,
  requireOrt,
  runArguments,
  selectModels,
  skipped,
} from "../../../bench/lib.mjs";
import { rawBytes, tensorFile, writeInputs } from "./inputs.mjs";
import { compareOutput, fail } from "./outputs.mjs";

const options = peerOptions("peer.mjs");

const limits = { minCosine: 0.99999, maxErrorOfRange: 1e-3 };
const execute = promisify(execFile);

/// Runs ONNX Runtime on one thread and keeps its outputs for later study.
async function runOrt(ort, model, dir) {
  const session = await createSession(ort, modelFile(options.cache, model), 1);
  const outputs = await session.run(makeFeeds(ort, model));
  for (const [name, { data }] of Object.entries(outputs))
    fs.writeFileSync(tensorFile(dir, name), rawBytes(data));
  await session.release();
  return outputs;
}

/// Our side's complaint, or nothing.
async function runParallax(model, inputDir, outputDir) {
  const args = [
    ...runArguments(options.cache, model),
    "--input_dir",
    inputDir,
    "--output_dir",
    outputDir,
  ];
  try {
    await execute(options.parallax, args, { maxBuffer: 1 << 26 });
  } catch (error) {
    const said = (error.stderr || error.message).trim().split("\n").at(-1);
    return `parallax ended with ${error.code ?? error.signal}: ${said}`;
  }
}

/// The table rows of one model, one per graph output.
async function check(ort, model) {
  const dir = join(options.work, model.name);
  const dirs = ["inputs", "ort", "parallax"].map((name) => join(dir, name));
  const [inputDir, ortDir, outputDir] = dirs;
  // A file from an earlier run must not stand in for one that is missing now.
  fs.rmSync(dir, { recursive: true, force: true });
  for (const each of dirs) fs.mkdirSync(each, { recursive: true });
  writeInputs(model, inputDir);
  const outputs = await runOrt(ort, model, ortDir);
  const complaint = await runParallax(model, inputDir, outputDir);
  return Object.entries(outputs).map(([name, expected]) => {
    const {
      cosine = "-",
      error = "-",
      verdict,
    } = complaint
      ? fail(complaint)
      : compareOutput(tensorFile(outputDir, name), expected, limits);
    const shape = expected.dims.join("x") || "scalar";
    return [model.name, name, shape, cosine, error, verdict];
  });
}

const selected = selectModels(options);
const ort = requireOrt(options.cache);
const models = cachedModels(options.cache, selected);
const rows = [];
let failed = 0;
for (const model of models) {
  process.stderr.write(`checking ${model.name}\n`);
  const modelRows = await check(ort, model);
  if (modelRows.some((row) => row.at(-1) !== "ok")) ++failed;
  rows.push(...modelRows);
}
if (rows.length > 0)
  printTable(
    ["model", "output", "shape", "cosine", "max err/range", "verdict"],
    rows,
  );
const notCached = selected.length - models.length;
console.log(
  `${models.length - failed} passed, ${failed} failed, ${notCached} skipped`,
);
process.exitCode = failed ? 1 : models.length ? 0 : skipped;
