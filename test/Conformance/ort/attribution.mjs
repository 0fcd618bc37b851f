//===- attribution.mjs - Who is to blame, in real networks ----------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Real networks are quantized to U8. What layers are said to add to the loss of
// the outputs has to sum up to that loss. What they are said to lose alone has
// to give the order that the slow way finds, which quantizes one layer at a
// time: of the five worst of them, four are the same or as bad on these samples.

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
const limits = { explained: 15, spearman: 0.85, common: 4 };
/// The slow way runs once for each layer, so it looks at no more than these.
const mostLayers = 40;
/// A loss is a mean over samples. Where the answer of a network is decided by
/// few numbers, as by two classes, single samples decide that mean, and both
/// sides need more of them.
const samplesOf = (model) => model.attribution_samples ?? 8;
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
  const samples = samplesOf(model);
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: source,
      output_dir: join(dir, "out"),
      quant: {
        input_configs: writeSamples(model, join(dir, "data"), samples),
        calibration_hold_out: false,
      },
    }),
  );
  const said = await runProgram(
    ...[ranking, config, String(samples), String(mostLayers)],
  );
  fs.writeFileSync(join(dir, "ranking.txt"), said);
  const [, ...numbers] =
    /explained (\S+) %, spearman (\S+), common (\d) of (\d), loss (\S+), (\S+) s against (\S+) s/.exec(
      said,
    );
  const [explained, spearman, common, compared] = numbers.map(Number);
  const problems = [];
  if (Math.abs(explained - 100) > limits.explained) problems.push("parts");
  if (!(spearman >= limits.spearman)) problems.push("order");
  if (common < Math.min(limits.common, compared)) problems.push("worst layers");
  return [
    ...numbers,
    problems.length ? `FAILED: ${problems.join(", ")}` : "ok",
  ];
}

await checkModels(
  options,
  [
    ...["model", "explained %", "spearman", "common", "of worst", "loss"],
    ...["seconds", "one at a time", "verdict"],
  ],
  [""],
  check,
);
