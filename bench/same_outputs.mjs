//===- same_outputs.mjs - Whether two builds of the tool give the same ----===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A change that is to leave all results as they are is checked here: two
// programs build the same real networks, in U8 and with all that changes
// weights and types, and every file that they write has to be equal. Only
// logs, times and what names folders are left out.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import {
  cachedModels,
  commandLine,
  modelFile,
  printTable,
  runProgram,
  selectModels,
  shapeArguments,
} from "./lib.mjs";
import { writeSamples } from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node same_outputs.mjs --cache DIR --parallax PATH --other PATH " +
    "--work DIR [--all] [--only NAME,..]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    other: { type: "string" },
    work: { type: "string" },
    all: { type: "boolean" },
    only: { type: "string" },
  },
  ["cache", "parallax", "other", "work"],
);
const leftOut = /(\.log|build_context\.json|profiling|trace)/;
const mixtures = {
  U8: {},
  mixed: {
    calibration_method: "MSE",
    enable_smooth_quant: true,
    enable_equalization: true,
    enable_easy_quant: true,
    enable_bias_correction: true,
    layer_configs: [{ op_types: ["Softmax", "Add", "Conv"], data_type: "U16" }],
  },
};

/// The SHA-256 of each file below a folder, by its name.
function digests(dir) {
  const result = new Map();
  for (const entry of fs.readdirSync(dir, {
    withFileTypes: true,
    recursive: true,
  })) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && !leftOut.test(file.slice(dir.length)))
      result.set(
        file.slice(dir.length + 1),
        createHash("sha256").update(fs.readFileSync(file)).digest("hex"),
      );
  }
  return result;
}

const rows = [];
let differences = 0;
for (const model of cachedModels(options.cache, selectModels(options)))
  for (const [mixture, quant] of Object.entries(mixtures)) {
    const dir = join(options.work, `${model.name}-${mixture}`);
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir, { recursive: true });
    const source = join(dir, "model.onnx");
    const shapes = shapeArguments(model);
    await runProgram(
      ...[options.parallax, "optimize", modelFile(options.cache, model)],
      ...[source, ...shapes],
    );
    const inputConfigs = writeSamples(model, join(dir, "data"), 4);
    const found = [];
    for (const program of [options.parallax, options.other]) {
      // The same folder for both, since some files name it.
      const out = join(dir, "out");
      fs.rmSync(out, { recursive: true, force: true });
      const config = join(dir, "config.json");
      fs.writeFileSync(
        config,
        JSON.stringify({
          input: source,
          output_dir: out,
          quant: {
            input_configs: inputConfigs,
            precision_analysis: true,
            ...quant,
          },
        }),
      );
      await runProgram(
        ...[program, "build", "--config", config, "--allow-unmatched"],
      );
      found.push(digests(out));
    }
    const [ours, theirs] = found;
    const names = new Set([...ours.keys(), ...theirs.keys()]);
    const other = [...names].filter((n) => ours.get(n) !== theirs.get(n));
    differences += other.length;
    rows.push([model.name, mixture, names.size, other.join(" ") || "none"]);
    process.stderr.write(`${rows.at(-1).join("  ")}\n`);
  }
printTable(["model", "types", "files", "different"], rows);
process.exit(differences ? 1 : 0);
