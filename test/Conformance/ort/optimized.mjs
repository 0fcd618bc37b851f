//===- optimized.mjs - Optimized models against ONNX Runtime --------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Optimization may not change what a network computes, and its file has to be
// one that others can run. Real networks are optimized; ONNX Runtime runs the
// original and the optimized file, our engine runs the optimized one, and all
// have to agree. Optimizing the optimized file must give the same bytes, no
// more nodes may be left than OnnxSlim leaves (models.json has its counts), and
// memory stays within twice the model.

import * as fs from "node:fs";
import { join } from "node:path";
import {
  cachedModels,
  createSession,
  makeFeeds,
  modelFile,
  peerOptions,
  printTable,
  requireOrt,
  runProgram,
  runSession,
  selectModels,
  shapeArguments,
  skipped,
} from "../../../bench/lib.mjs";
import { rawBytes, tensorFile, writeInputs } from "./inputs.mjs";
import { compareBytes, compareOutput } from "./outputs.mjs";

const options = peerOptions("optimized.mjs");

const toolMegabytes = 120; // Of the program itself, as for `parallax run`.
const limits = { minCosine: 0.999999, maxErrorOfRange: 1e-4 };

const parallax = (...args) => runProgram(options.parallax, ...args);

/// The outputs of a model file in ONNX Runtime.
const runOrt = async (ort, file, feeds) =>
  runSession(await createSession(ort, file, 1), feeds);

/// The number in the column `Optimized` of the row `Nodes` of the summary.
function optimizedNodes(summary) {
  const row = summary.split("\n").find((line) => /│ Nodes /.test(line));
  return Number(row.split("│").at(-2));
}

/// Optimizes one model; gives its table row, the verdict last.
async function check(ort, model) {
  const dir = join(options.work, model.name);
  fs.rmSync(dir, { recursive: true, force: true });
  const [inputDir, outputDir] = ["inputs", "parallax"].map((n) => join(dir, n));
  for (const each of [inputDir, outputDir])
    fs.mkdirSync(each, { recursive: true });
  const file = join(dir, "optimized.onnx"),
    again = join(dir, "again.onnx");
  const original = modelFile(options.cache, model);

  const said = await parallax(
    "optimize",
    original,
    file,
    ...shapeArguments(model),
    "--name_map",
    join(dir, "name_map.json"),
    "--log-level",
    "debug",
  );
  const seconds = /rewrites in ([0-9.]+) s/.exec(said)?.[1];
  const problems = said.split("\n").filter((line) => /undone/.test(line));

  const memory = Number(/peak memory ([0-9.]+) MB/.exec(said)[1]);
  const bound = toolMegabytes + (2 * fs.statSync(original).size) / 1e6;
  if (!(memory <= bound))
    problems.push(`${memory} MB of memory, at most ${bound.toFixed(1)}`);

  await parallax("optimize", file, again);
  if (Buffer.compare(fs.readFileSync(file), fs.readFileSync(again)) !== 0)
    problems.push("optimizing again changes the file");

  const nodes = optimizedNodes(said);
  if (nodes > (model.onnxslim_nodes ?? nodes))
    problems.push(`${nodes} nodes, OnnxSlim leaves ${model.onnxslim_nodes}`);

  const feeds = makeFeeds(ort, model);
  const expected = await runOrt(ort, original, feeds);
  const actual = await runOrt(ort, file, feeds);
  writeInputs(model, inputDir);
  await parallax(
    "run",
    "--model",
    file,
    "--input_dir",
    inputDir,
    "--output_dir",
    outputDir,
  );
  let worst = { cosine: 1, error: 0 };
  for (const [name, tensor] of Object.entries(expected)) {
    const results = {
      "ONNX Runtime": actual[name]
        ? compareBytes(rawBytes(actual[name].data), tensor, limits)
        : { verdict: "FAILED: is missing" },
      Parallax: compareOutput(tensorFile(outputDir, name), tensor, limits),
    };
    for (const [engine, result] of Object.entries(results)) {
      worst.cosine = Math.min(worst.cosine, result.cosine ?? 1);
      worst.error = Math.max(worst.error, result.error ?? 0);
      if (result.verdict !== "ok")
        problems.push(`${name} in ${engine}: ${result.verdict}`);
    }
  }
  return [
    model.name,
    model.onnxslim_nodes ?? "",
    nodes,
    seconds,
    memory,
    worst.cosine.toFixed(8),
    worst.error.toExponential(2),
    problems.length ? `FAILED: ${problems.join("; ")}` : "ok",
  ];
}

const selected = selectModels(options);
const ort = requireOrt(options.cache);
const models = cachedModels(options.cache, selected);
const rows = [];
for (const model of models) {
  process.stderr.write(`optimizing ${model.name}\n`);
  rows.push(
    await check(ort, model).catch((error) => [
      model.name,
      "-",
      "-",
      "-",
      "-",
      "-",
      "-",
      `FAILED: ${error.message}`,
    ]),
  );
}
if (rows.length > 0)
  printTable(
    [
      "model",
      "OnnxSlim",
      "nodes",
      "seconds",
      "MB",
      "cosine",
      "max err/range",
      "verdict",
    ],
    rows,
  );
const failed = rows.filter((row) => row.at(-1) !== "ok").length;
console.log(
  `${models.length - failed} passed, ${failed} failed, ` +
    `${selected.length - models.length} skipped`,
);
process.exitCode = failed ? 1 : models.length ? 0 : skipped;
