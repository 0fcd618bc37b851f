//===- reports.mjs - The reports that are looked at -----------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// The quickstart in two forms, a chain of 3,000 layers, names that try to be
// markup, and trained networks if conformance-models has fetched them.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { manifest, modelFile, shapeArguments } from "../../bench/lib.mjs";
import { writeSamples } from "../Conformance/ort/inputs.mjs";

/// Builds reports into `folder`: names, output folders and pages.
export function makeReports({ root, parallax, cache, folder }) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const run = (...command) =>
    execFileSync(command[0], command.slice(1), { cwd: root, stdio: "pipe" });
  const reports = [];
  const add = (name, directory) =>
    reports.push({ name, folder: directory, file: join(directory, "report.html") });

  const quickstart = join(root, "configs/quickstart.json");
  const plain = join(folder, "quickstart");
  run(parallax, "build", "--config", quickstart, "--output_dir", plain);
  add("quickstart", plain);

  // Coarse ranges: much differs, and something is suggested.
  const coarse = join(folder, "coarse");
  run(
    parallax, "build", "--config", quickstart, "--output_dir", coarse,
    "--quant.calibration_method", "Percentile", "--quant.percentile", "0.9",
  );
  const both = join(folder, "both.html");
  run(parallax, "report", plain, coarse, "-o", both);
  reports.push({ name: "compare", folder: plain, file: both });

  const odd = join(folder, "odd");
  run("/usr/bin/python3", join(root, "test/Tools/make_odd_models.py"), odd);
  for (const name of ["chain", "markup"]) {
    const output = join(folder, name);
    run(
      parallax, "build", "--config", join(odd, name, "config.json"),
      "--output_dir", output,
    );
    add(name, output);
  }

  for (const name of ["yolov8n", "all-minilm-l6-v2"]) {
    const model = manifest.models.find((entry) => entry.name === name);
    if (!fs.existsSync(modelFile(cache, model))) continue;
    const source = join(folder, `${name}.onnx`);
    run(parallax, "optimize", modelFile(cache, model), source, ...shapeArguments(model));
    const config = join(folder, `${name}.json`);
    fs.writeFileSync(
      config,
      JSON.stringify({
        input: source,
        output_dir: join(folder, name),
        quant: {
          input_configs: writeSamples(model, join(folder, `${name}-samples`), 4),
          precision_analysis: true,
          precision_analysis_mode: "Both",
          precision_analysis_size: 2,
        },
      }),
    );
    run(parallax, "build", "--config", config);
    add(name, join(folder, name));
  }
  return reports;
}
