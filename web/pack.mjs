//===- pack.mjs - Puts builds into a template, for development ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// node web/pack.mjs TEMPLATE OUT.html DIR [DIR_B]
// Does what `parallax report` does, as far as work on the page needs it: there
// are no pictures, and channels of weights are known by their scales only.
//===----------------------------------------------------------------------===//
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

const mostChannels = 64;

const files = [
  "build_context.json",
  "compiler/target.json",
  "compiler/lowering.json",
  "compiler/op_profile.csv",
  "quant/debug/precision_analysis_table.json",
  "quant/layer_config_audit.json",
  "quant/shared_scales.json",
  "quant/float_changes.json",
  "evaluation/accuracy.json",
  "evaluation/changed.json",
  "tuning/history.jsonl",
  "tuning/front.json",
  "tuning/tuned_config.json",
];

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

function reportOf(folder) {
  const context = readJson(join(folder, "build_context.json"));
  const profile = join(folder, "compiler/op_profile.csv");
  const lines = existsSync(profile)
    ? readFileSync(profile, "utf8").trim().split("\n").slice(1)
    : [];
  const ends = lines.map((line) => {
    const fields = line.split(",");
    return Number(fields.at(-5)) + Number(fields.at(-2));
  });
  return {
    format: 1,
    tool: "0.1.0",
    commit: "development",
    folder,
    model: basename(context?.input ?? folder),
    phases: readJson(join(folder, "manifest.json"))?.phases ?? [],
    total_cycles: Math.max(0, ...ends),
    files: { compiled: "compiled.axmodel" },
    pictures: [],
  };
}

function calibrationOf(folder) {
  const file = readJson(join(folder, "quant/calibration.json"));
  if (!file) return undefined;
  const tensors = file.tensors.map((tensor) => {
    const { channel_min: low, channel_max: high, ...rest } = tensor;
    for (const field of ["count", "nan", "inf"]) delete rest[field];
    if (!low) return rest;
    const channels = { ...rest, channels: low.length };
    if (low.length <= mostChannels)
      return { ...channels, channel_min: low, channel_max: high };
    const size = (i) => Math.max(Math.abs(low[i]), Math.abs(high[i]));
    const index = low
      .map((_, i) => i)
      .sort((a, b) => size(b) - size(a))
      .slice(0, mostChannels);
    return {
      ...channels,
      channel_index: index,
      channel_min: index.map((i) => low[i]),
      channel_max: index.map((i) => high[i]),
    };
  });
  return { method: file.method, samples: file.samples, tensors };
}

function weightsOf(folder) {
  const model = readJson(join(folder, "quant/quant_axmodel.json"));
  if (!model) return undefined;
  const weights = [];
  for (const [operator, tensors] of Object.entries(model.tensor_configs))
    for (const [tensor, config] of Object.entries(tensors)) {
      const scales = model.values[config.hash]?.scale;
      if (config.state !== "BAKED" || !Array.isArray(scales)) continue;
      const channel_max = scales.map((scale) => scale * config.quant_max);
      weights.push({ operator, tensor, axis: 0, channel_max });
    }
  return { weights };
}

function elementsOf(folder, build) {
  const element = (name, bytes) => {
    const base64 = gzipSync(bytes, { level: 9 }).toString("base64");
    return `<script type="application/gzip" data-build="${build}" data-name="${name}">${base64}</script>`;
  };
  const made = {
    "report.json": reportOf(folder),
    "quant/calibration_summary.json": calibrationOf(folder),
    "quant/weights_summary.json": weightsOf(folder),
  };
  return [
    ...Object.entries(made)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => element(name, JSON.stringify(value))),
    ...files
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => element(name, readFileSync(join(folder, name)))),
  ];
}

const [template, out, ...folders] = process.argv.slice(2);
if (!template || !out || folders.length < 1 || folders.length > 2) {
  console.error("usage: pack.mjs TEMPLATE OUT.html DIR [DIR_B]");
  process.exit(1);
}
const html = readFileSync(template, "utf8");
const data = folders.flatMap(elementsOf).join("\n");
writeFileSync(
  out,
  html.replace("<!--data-->", () => data),
);
