//===- reports.mjs - The reports that are looked at -----------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// The quickstart in several forms, one layer on photos, a chain of 3,000 layers,
// names that try to be markup, and trained networks if conformance-models has
// fetched them.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { manifest, modelFile, shapeArguments } from "../../bench/lib.mjs";
import { writeSamples } from "../Conformance/ort/inputs.mjs";

/// Photos of 1280 x 960 pixels, as large as those of a camera are when they are
/// packed. The last two are the same.
async function makePhotos(browser, folder, count) {
  fs.mkdirSync(folder, { recursive: true });
  const page = await browser.newPage();
  for (let i = 0; i < count; ++i) {
    const url = await page.evaluate((seed) => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [1280, 960];
      const context = canvas.getContext("2d");
      const image = context.createImageData(canvas.width, canvas.height);
      let state = seed + 1;
      for (let at = 0; at < image.data.length; ++at) {
        state = (state * 1103515245 + 12345) % 2147483648;
        image.data[at] = at % 4 === 3 ? 255 : (at / 5120 + 16 * seed + (state >> 20) / 32) % 256;
      }
      context.putImageData(image, 0, 0);
      return canvas.toDataURL("image/jpeg", 0.9);
    }, Math.min(i, count - 2));
    fs.writeFileSync(join(folder, `photo_${i}.jpg`), Buffer.from(url.split(",")[1], "base64"));
  }
  await page.close();
}

/// Builds reports into `folder`: names, output folders and pages. `other` is the
/// folder of the second build where there are two.
export async function makeReports({ root, parallax, cache, folder, browser }) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const run = (...command) =>
    execFileSync(command[0], command.slice(1), {
      cwd: root, stdio: "pipe", maxBuffer: Infinity,
    });
  const reports = [];
  const add = (name, directory) =>
    reports.push({ name, folder: directory, file: join(directory, "report.html") });

  const quickstart = join(root, "configs/quickstart.json");
  const plain = join(folder, "quickstart");
  run(parallax, "build", "--config", quickstart, "--output_dir", plain);
  add("quickstart", plain);

  // Coarse ranges, and a rule that costs cycles: much differs, and something is
  // suggested.
  const coarse = join(folder, "coarse");
  const rules = join(folder, "rules.json");
  fs.writeFileSync(
    rules,
    fs.readFileSync(quickstart, "utf8").replace(
      '"quant": {',
      '"quant": {"layer_configs": [{"op_types": ["Conv"], "data_type": "U16"}],',
    ),
  );
  run(
    parallax, "build", "--config", rules, "--output_dir", coarse,
    "--quant.calibration_method", "Percentile", "--quant.percentile", "0.9",
  );
  add("rules", coarse);
  const both = join(folder, "both.html");
  run(parallax, "report", plain, coarse, "-o", both);
  reports.push({ name: "compare", folder: plain, other: coarse, file: both });

  const front = join(folder, "front");
  run(parallax, "tune", "--pareto", "--config", quickstart, "--output_dir", front);
  add("front", front);

  // Answers of networks whose layers nobody has compared.
  const answers = join(folder, "answers");
  const unanalyzed = ["--config", quickstart, "--output_dir", answers];
  run(
    parallax, "build", ...unanalyzed, "--quant.precision_analysis", "0",
    "--phase-to", "compile",
  );
  run(parallax, "evaluate", ...unanalyzed);
  add("answers", answers);

  const photos = join(folder, "photos");
  run("/usr/bin/python3", join(root, "test/Tools/make_pictures.py"), photos);
  await makePhotos(browser, join(photos, "samples"), 12);
  fs.writeFileSync(
    join(photos, "config.json"),
    JSON.stringify({
      input: join(photos, "pictures.onnx"),
      output_dir: join(photos, "out"),
      quant: {
        input_configs: [
          { tensor_name: "DEFAULT", calibration_dataset: join(photos, "samples") },
        ],
        save_range_provenance: true,
        precision_analysis: true,
      },
    }),
  );
  run(parallax, "build", "--config", join(photos, "config.json"));
  add("photos", join(photos, "out"));

  // The network of test/Tools/evaluate.test, which reads boxes out of pixels. Its
  // samples of ones give ranges that cut all boxes off.
  const boxes = join(folder, "boxes");
  run("/usr/bin/python3", join(root, "test/Tools/make_tasks.py"), boxes);
  const ones = "import numpy, sys; numpy.save(sys.argv[1], numpy.ones((1, 3, 4, 4), 'f4'))";
  fs.mkdirSync(join(boxes, "ones"));
  run("/usr/bin/python3", "-c", ones, join(boxes, "ones/0.npy"));
  fs.writeFileSync(
    join(boxes, "config.json"),
    JSON.stringify({
      input: join(boxes, "detector.onnx"),
      output_dir: join(boxes, "out"),
      input_processors: [{ tensor_name: "x", tensor_format: "RGB", src_format: "RGB" }],
      quant: {
        input_configs: [
          {
            tensor_name: "x",
            calibration_dataset: join(boxes, "ones"),
            calibration_format: "Numpy",
          },
        ],
        precision_analysis: true,
      },
      evaluation: {
        task: "Detection",
        images: join(boxes, "detection/images"),
        labels: join(boxes, "detection/labels"),
        classes: join(boxes, "detection/classes.txt"),
        resize: "Letterbox",
      },
    }),
  );
  run(parallax, "build", "--config", join(boxes, "config.json"));
  add("boxes", join(boxes, "out"));

  const odd = join(folder, "odd");
  // Transpositions, a fifth of the chain, don't become layers; nor would others
  // if they were optimized away. So the page has 3,000.
  run("/usr/bin/python3", join(root, "test/Tools/make_odd_models.py"), odd, "3750");
  for (const name of ["chain", "markup"]) {
    const output = join(folder, name);
    const options = name === "chain" ? ["--onnx_opt.disable_onnx_optimization", "1"] : [];
    run(
      parallax, "build", "--config", join(odd, name, "config.json"),
      "--output_dir", output, ...options,
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
