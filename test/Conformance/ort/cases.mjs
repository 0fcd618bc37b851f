//===- cases.mjs - Cases of real networks ---------------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Real networks are built in several types and packed twice: both files have
// the same bytes. Then everything that the case was made from is removed, and
// the case has to give every integer and every printed metric again, in another
// folder.

import * as fs from "node:fs";
import { join } from "node:path";
import {
  checkModels,
  limitToQuick,
  modelFile,
  peerOptions,
  runProgram,
  shapeArguments,
} from "../../../bench/lib.mjs";
import { writeSamples } from "./inputs.mjs";

const options = peerOptions("cases.mjs");
limitToQuick(options);
const samples = 2;
const everything = {
  start_tensor_names: ["DEFAULT"],
  end_tensor_names: ["DEFAULT"],
};
const modes = {
  U8: [],
  U16: [{ ...everything, data_type: "U16", weight_data_type: "S16" }],
  mixed: [{ layer_name_regex: ".*[02468]", data_type: "U16" }],
};

async function check(model, mode) {
  const dir = join(options.work, model.name);
  const [here, there] = ["here", "there"].map((name) => join(dir, name));
  fs.rmSync(dir, { recursive: true, force: true });
  for (const folder of [here, there]) fs.mkdirSync(folder, { recursive: true });
  const source = join(here, "optimized.onnx");
  const parallax = (...args) => runProgram(options.parallax, ...args);
  await parallax(
    ...["optimize", modelFile(options.cache, model), source],
    ...shapeArguments(model),
  );
  const config = join(here, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: source,
      output_dir: join(here, "out"),
      quant: {
        input_configs: writeSamples(model, join(here, "data"), samples),
        layer_configs: modes[mode],
        precision_analysis: true,
        precision_analysis_size: 1,
      },
    }),
  );
  const [first, second, moved] = [
    join(here, "first.plxcase"),
    join(here, "second.plxcase"),
    join(there, "moved.plxcase"),
  ];
  await parallax(
    ...["build", "--config", config, "--allow-unmatched", "--case", first],
  );
  await parallax("case", "pack", "--from", join(here, "out"), "-o", second);
  const problems = [];
  if (!fs.readFileSync(first).equals(fs.readFileSync(second)))
    problems.push("packed twice, it has other bytes");
  fs.renameSync(first, moved);
  fs.rmSync(here, { recursive: true, force: true });
  const said = await parallax("case", "replay", moved).catch(
    (error) => error.message,
  );
  const passed = /PASS: all (\d+) integer tensors and all (\d+) rows/.exec(said);
  if (!passed) problems.push(said);
  return [
    (fs.statSync(moved).size / 1e6).toFixed(2),
    ...(passed?.slice(1) ?? ["-", "-"]),
    problems.length ? `FAILED: ${problems.join("; ")}` : "ok",
  ];
}

await checkModels(
  options,
  ["model", "types", "MB", "tensors", "rows", "verdict"],
  Object.keys(modes),
  check,
);
