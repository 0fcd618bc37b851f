//===- attribution.mjs - Who is to blame, in real networks ----------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Real networks are quantized to U8. What layers are said to add to the loss of
// the outputs has to sum up to that loss, and of the five worst of them four
// have to be those that the slow way finds, which quantizes one layer at a time.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import {
  checkModels,
  limitToQuick,
  modelFile,
  peerOptions,
  runProgram,
  shapeArguments,
} from "../../../bench/lib.mjs";
import { writeSamples } from "./inputs.mjs";

const options = peerOptions("attribution.mjs");
const samples = 8;
const limits = { explained: 15, common: 4 };
/// Networks that turn a small error of any layer into another answer: which
/// layers are worst depends on the samples, and no order of them is stable.
const unstable = ["ppocr-cls", "ppocrv4-rec"];
limitToQuick(options);
const ranking = join(dirname(options.parallax), "attribution-ranking");

async function check(model) {
  const dir = join(options.work, model.name);
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  const source = join(dir, "optimized.onnx");
  await runProgram(
    ...[options.parallax, "optimize", modelFile(options.cache, model), source],
    ...shapeArguments(model),
  );
  const config = join(dir, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: source,
      output_dir: join(dir, "out"),
      quant: { input_configs: writeSamples(model, join(dir, "data"), samples) },
    }),
  );
  const said = await runProgram(ranking, config);
  fs.writeFileSync(join(dir, "ranking.txt"), said);
  const [, ...numbers] =
    /explained (\S+) %, common (\d) of (\d), loss (\S+), (\S+) s against (\S+) s/.exec(
      said,
    );
  const [explained, common, compared] = numbers.map(Number);
  const problems = [];
  if (Math.abs(explained - 100) > limits.explained) problems.push("parts");
  if (
    common < Math.min(limits.common, compared) &&
    !unstable.includes(model.name)
  )
    problems.push("order");
  return [
    ...numbers,
    problems.length ? `FAILED: ${problems.join(", ")}` : "ok",
  ];
}

await checkModels(
  options,
  [
    ...["model", "explained %", "common", "of worst", "loss"],
    ...["seconds", "one at a time", "verdict"],
  ],
  [""],
  check,
);
