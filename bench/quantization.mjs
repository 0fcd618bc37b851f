//===- quantization.mjs - What quantization costs and keeps ---------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Real networks are quantized to U8 by every calibration method, and to U16.
// The table shows the cosine of the worst output with the float network, on a
// sample that calibration has not seen, and how long the quantize phase takes
// in inferences of the float network.

import * as fs from "node:fs";
import { join } from "node:path";
import {
  cachedModels,
  inferenceMilliseconds,
  modelFile,
  peerOptions,
  printTable,
  runProgram,
  selectModels,
  shapeArguments,
} from "./lib.mjs";
import {
  withSeed,
  writeInputs,
  writeSamples,
} from "../test/Conformance/ort/inputs.mjs";
import { compareOutput } from "../test/Conformance/ort/outputs.mjs";

const options = peerOptions("quantization.mjs");
const samples = 8;
const everything = {
  start_tensor_names: ["DEFAULT"],
  end_tensor_names: ["DEFAULT"],
};
const methods = ["MinMax", "Percentile", "MSE", "KL"];

const parallax = (...args) => runProgram(options.parallax, ...args);

/// The least cosine over the outputs of two runs.
const worstCosine = (expected, actual) =>
  Math.min(
    ...fs.readdirSync(expected).map((file) => {
      const bytes = new Uint8Array(fs.readFileSync(join(expected, file)));
      const tensor = { type: "float32", data: new Float32Array(bytes.buffer) };
      const anything = { minCosine: -1, maxErrorOfRange: Infinity };
      return compareOutput(join(actual, file), tensor, anything).cosine;
    }),
  );

const rows = [];
for (const model of cachedModels(options.cache, selectModels(options))) {
  process.stderr.write(`quantizing ${model.name}\n`);
  const dir = join(options.work, model.name);
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  const [source, inputs, out] = ["model.onnx", "inputs", "out"].map((name) =>
    join(dir, name),
  );
  await parallax(
    ...["optimize", modelFile(options.cache, model), source],
    ...shapeArguments(model),
  );
  const inputConfigs = writeSamples(model, join(dir, "data"), samples);
  writeInputs(withSeed(model, samples), inputs);
  const run = (file, to, ...more) =>
    parallax(
      ...["run", "--model", file, "--input_dir", inputs],
      ...["--output_dir", join(dir, to), ...more],
    );
  await run(source, "float");
  const quantize = async (method, rules) => {
    const config = join(dir, "config.json");
    const quant = {
      input_configs: inputConfigs,
      calibration_method: method,
      layer_configs: rules,
    };
    fs.writeFileSync(
      config,
      JSON.stringify({ input: source, output_dir: out, quant }),
    );
    const said = await parallax("build", "--config", config, "--threads", "1");
    await run(
      join(out, "quant/quant_axmodel.onnx"),
      "quantized",
      "--mode",
      "Reference",
    );
    return {
      cosine: worstCosine(join(dir, "float"), join(dir, "quantized")),
      seconds: Number(/quantize ([0-9.]+) s/.exec(said)[1]),
    };
  };
  const narrow = [];
  for (const method of methods) narrow.push(await quantize(method, []));
  const wide = await quantize("MinMax", [
    { ...everything, data_type: "U16", weight_data_type: "S16" },
  ]);
  const inference = inferenceMilliseconds(options.parallax, source) / 1e3;
  rows.push([
    model.name,
    ...narrow.map(({ cosine }) => cosine.toFixed(5)),
    wide.cosine.toFixed(6),
    narrow[0].seconds.toFixed(2),
    ((narrow[0].seconds - 1) / inference).toFixed(1),
  ]);
}
printTable(
  [
    "model",
    ...methods.map((method) => `U8 ${method}`),
    "U16",
    "seconds",
    "(seconds - 1) / inference",
  ],
  rows,
);
