//===- quantized.mjs - Quantized models in three engines ------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A quantized network is only worth something if others compute the same with
// it. Real networks are quantized in several ways; ONNX Runtime runs the file
// that we write, with its graph optimizations off because its fused integer
// kernels saturate on some processors, and our Reference engine has to agree
// with it, layer by layer. A code that floats round to the other side of a tie
// may change everything behind it, so the outputs of whole networks must agree
// where no layer's codes differ. The simulator is compared with our Reference
// engine in the same way, and has to keep what U16 promises.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import {
  cachedModels,
  closeChecks,
  createSession,
  makeFeeds,
  modelFile,
  peerOptions,
  requireOrt,
  runProgram,
  runSession,
  selectModels,
  shapeArguments,
} from "../../../bench/lib.mjs";
import {
  rawBytes,
  tensorFile,
  withPadding,
  withSeed,
  writeInputs,
  writeSamples,
} from "./inputs.mjs";
import { compareBytes, compareOutput } from "./outputs.mjs";

const options = peerOptions("quantized.mjs");
const samples = 4;
const limits = { minCosine: 0.9999, maxErrorOfRange: Infinity };
const minWithinOneCode = 0.999;

const everything = {
  start_tensor_names: ["DEFAULT"],
  end_tensor_names: ["DEFAULT"],
};
/// What is asked for; the least cosine of the Reference engine with the float
/// network, if any is promised; and what else the simulator has to keep, on the
/// sample that calibration knows.
const modes = {
  U8: { rules: [] },
  U16: {
    rules: [{ ...everything, data_type: "U16", weight_data_type: "S16" }],
    minFloatCosine: 0.9999,
    simulated: 1,
    bounds: ["--min_cosine", "0.9995"],
  },
  "U16 x S8": { rules: [{ ...everything, data_type: "U16" }] },
  mixed: { rules: [{ layer_name_regex: ".*[02468]", data_type: "U16" }] },
};

/// The engines see masks of padding in 8 and in 16 bits; mixtures of types add
/// nothing to that.
const paddedModes = ["U8", "U16"];
const labelOf = (model) => model.label ?? model.name;

const parallax = (...args) => runProgram(options.parallax, ...args);
const layerCheck = join(dirname(options.parallax), "quantized-layers");
const simulatorCheck = join(dirname(options.parallax), "npu-layers");
const maxSimulatorLoss = 0.002;
const maxFusedLoss = 0.01;
/// In the mean of so many samples.
const simulatedSamples = 8;

/// The bytes of a protobuf field of the wire type "length-delimited".
function field(number, bytes) {
  const varint = [];
  for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
    varint.push(rest >= 128 ? (rest % 128) | 128 : rest);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint]), bytes]);
}

/// The model with more outputs. Protobuf merges what is written twice, so
/// graph.output.name (7, 12, 1) of additional ones can simply be appended.
function withOutputs(file, names) {
  const outputs = names.map((name) => field(12, field(1, Buffer.from(name))));
  return Buffer.concat([
    fs.readFileSync(file),
    field(7, Buffer.concat(outputs)),
  ]);
}

/// The model as it is written, without fused kernels.
const runOrt = async (ort, model, feeds) =>
  runSession(
    await ort.InferenceSession.create(model, {
      graphOptimizationLevel: "disabled",
      intraOpNumThreads: 1,
      logSeverityLevel: 3,
    }),
    feeds,
  );

const npyTypes = {
  float32: "<f4",
  int64: "<i8",
  int32: "<i4",
  uint8: "|u1",
  int8: "|i1",
  bool: "|b1",
};
function writeNpy(file, { type, dims, data }) {
  const shape = `(${dims.join(", ")}${dims.length === 1 ? "," : ""})`;
  const text = `{'descr': '${npyTypes[type]}', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11);
  const prefix = Buffer.from("\x93NUMPY\x01\x00  ", "latin1");
  prefix.writeUInt16LE(header.length + 1, 8);
  fs.writeFileSync(
    file,
    Buffer.concat([prefix, Buffer.from(`${header}\n`), rawBytes(data)]),
  );
}

/// The part of codes that are within one step of ONNX Runtime's, each layer
/// having the same inputs, in all and in the worst layer.
async function compareLayers(ort, file, feeds, dir) {
  const names = (await runProgram(layerCheck, file)).trim().split("\n");
  fs.mkdirSync(dir, { recursive: true });
  const outputs = { ...feeds };
  const wanted = names.filter((name) => !(name in feeds));
  Object.assign(
    outputs,
    await runOrt(ort, withOutputs(file, [...new Set(wanted)]), feeds),
  );
  names.forEach((name, i) => writeNpy(join(dir, `${i}.npy`), outputs[name]));
  const said = await runProgram(layerCheck, file, dir);
  fs.rmSync(dir, { recursive: true, force: true });
  const [, elements, differing, farther, worst, where] =
    /elements (\d+) differing (\d+) farther (\d+) worst (\S+) (.*)/.exec(said);
  return {
    all: 1 - farther / elements,
    worst: 1 - worst,
    where,
    differing: Number(differing),
    elements: Number(elements),
  };
}

/// Compares the simulator with the Reference engine. Throws the first bound that
/// is broken.
async function simulate(model, floatFile, file, dir, count, bounds) {
  const folders = Array.from({ length: count }, (_, i) => join(dir, String(i)));
  folders.forEach((folder, i) =>
    writeInputs(withSeed(model, i === 0 ? 0 : samples + i), folder),
  );
  const said = await runProgram(
    ...[simulatorCheck, floatFile, file, ...folders],
    ...["--max_loss", String(maxSimulatorLoss), ...bounds],
  );
  return /more than 1 (\d+) islands (\d+) .* NPUBackend (\S+)/.exec(said).slice(1);
}

/// The cosine of an output with that of the float network.
const cosineToFloat = (tensor, floats) =>
  compareBytes(rawBytes(tensor.data), floats, {
    minCosine: -1,
    maxErrorOfRange: Infinity,
  }).cosine ?? 1;

/// With unsigned weights the file is safe at default optimization, too: the fused
/// kernels may round otherwise, but lose no more. Returns what does.
async function checkFused(ort, prepared, config, expected) {
  const out = join(prepared.dir, "unsigned");
  fs.rmSync(out, { recursive: true, force: true });
  await parallax(
    ...["build", "--config", config, "--output_dir", out],
    ...["--quant.qdq_format", "U8U8", "--phase-to", "quantize"],
  );
  const file = join(out, "quant/quant_axmodel.onnx");
  const found = await runSession(
    await createSession(ort, file, 1),
    prepared.feeds,
  );
  return Object.entries(found).flatMap(([name, tensor]) => {
    const fused = cosineToFloat(tensor, prepared.floats[name]);
    const plain = cosineToFloat(expected[name], prepared.floats[name]);
    return fused < plain - maxFusedLoss
      ? [`${name}: U8U8 has cosine ${fused} with fused kernels, ${plain} without`]
      : [];
  });
}

/// What all mixtures of types begin with.
async function prepareModel(ort, model) {
  const dir = join(options.work, labelOf(model).replace(", ", "-"));
  const inputDir = join(dir, "inputs");
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(inputDir, { recursive: true });
  const original = modelFile(options.cache, model);
  const source = join(dir, "optimized.onnx");
  await parallax("optimize", original, source, ...shapeArguments(model));
  writeInputs(model, inputDir);
  const feeds = makeFeeds(ort, model);
  return {
    ...{ model, dir, inputDir, source, feeds },
    inputConfigs: writeSamples(model, join(dir, "data"), samples),
    floats: await runSession(await createSession(ort, original, 1), feeds),
  };
}

async function check(ort, prepared, mode) {
  const { model, dir, inputDir, source, feeds, inputConfigs, floats } =
    prepared;
  const {
    rules,
    minFloatCosine,
    simulated = simulatedSamples,
    bounds = [],
  } = modes[mode];
  const outputDir = join(dir, "parallax");
  for (const each of [outputDir, join(dir, "out")])
    fs.rmSync(each, { recursive: true, force: true });
  fs.mkdirSync(outputDir);
  const config = join(dir, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: source,
      output_dir: join(dir, "out"),
      quant: { input_configs: inputConfigs, layer_configs: rules },
    }),
  );
  await parallax("build", "--config", config, "--allow-unmatched");
  const file = join(dir, "out/quant/quant_axmodel.onnx");
  await parallax(
    ...["run", "--model", file, "--mode", "Reference"],
    ...["--input_dir", inputDir, "--output_dir", outputDir],
  );
  const expected = await runOrt(ort, file, feeds);
  const [problems, disagreements] = [[], []];
  let [worst, worstFloat] = [1, 1];
  for (const [name, tensor] of Object.entries(expected)) {
    const result = compareOutput(tensorFile(outputDir, name), tensor, limits);
    worst = Math.min(worst, result.cosine ?? 1);
    if (result.verdict !== "ok")
      disagreements.push(`${name}: ${result.verdict}`);
    const cosine = cosineToFloat(tensor, floats[name]);
    worstFloat = Math.min(worstFloat, cosine);
    if (cosine < (minFloatCosine ?? -1))
      problems.push(`${name}: cosine ${cosine} with the float network`);
  }
  if (mode === "U8")
    problems.push(...(await checkFused(ort, prepared, config, expected)));
  const layers = await compareLayers(ort, file, feeds, join(dir, "layers"));
  if (layers.differing === 0) problems.push(...disagreements);
  if (layers.all < minWithinOneCode) problems.push(`codes: ${layers.where}`);
  const simulator = await simulate(
    ...[model, source, file, join(dir, "simulated"), simulated, bounds],
  ).catch((error) => {
    problems.push(error.message);
    return ["-", "-", "-"];
  });
  return [
    labelOf(model),
    mode,
    worst.toFixed(6),
    `${layers.differing} of ${layers.elements}`,
    layers.all.toFixed(6),
    layers.worst.toFixed(4),
    worstFloat.toFixed(6),
    ...simulator,
    problems.length ? `FAILED: ${problems.join("; ")}` : "ok",
  ];
}

const selected = selectModels(options);
const ort = requireOrt(options.cache);
const models = cachedModels(options.cache, selected);
const rows = [];
const variants = models.flatMap((model) =>
  model.padding ? [model, withPadding(model)] : [model],
);
for (const model of variants) {
  const prepared = prepareModel(ort, model);
  for (const mode of model.label ? paddedModes : Object.keys(modes)) {
    process.stderr.write(`quantizing ${labelOf(model)} to ${mode}\n`);
    rows.push(
      await prepared
        .then((ready) => check(ort, ready, mode))
        .catch((error) => [
          ...[labelOf(model), mode, ...Array(8).fill("-")],
          `FAILED: ${error.message}`,
        ]),
    );
  }
}
closeChecks(
  [
    "model",
    "types",
    "cosine to ORT",
    "differing codes",
    "within 1 code",
    "worst layer",
    "cosine to float",
    "simulator off by > 1",
    "layers in float",
    "its cosine to float",
    "verdict",
  ],
  rows,
  selected.length - models.length,
);
