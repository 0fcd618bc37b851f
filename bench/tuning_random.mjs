//===- tuning_random.mjs - Tuned networks beside random ones --------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A tuning is worth its search if chance finds nothing better. One half of the
// data tunes a network; on the other half it is measured beside many random
// configurations that cost no more: 16 bits for layers that are drawn until the
// budget is used up, some of their weights, and any calibration method.

import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { commandLine, printTable, runProgram } from "./lib.mjs";
import { Random } from "../test/Conformance/ort/inputs.mjs";

const options = commandLine(
  "node tuning_random.mjs --parallax PATH --work DIR --tune CONFIG " +
    "--validate CONFIG [--count N] [--seed TEXT]\n" +
    "The second configuration differs from the first in its samples alone.",
  {
    parallax: { type: "string" },
    work: { type: "string" },
    tune: { type: "string" },
    validate: { type: "string" },
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
  },
  ["parallax", "work", "tune", "validate"],
);
const count = +options.count;
const methods = ["MinMax", "Percentile", "MSE", "KL"];
fs.mkdirSync(options.work, { recursive: true });
const work = resolve(options.work);

/// Exit code 1 says that no trial was good enough.
async function tune(config, more) {
  const words = ["tune", "--config", config, "--tuning.validation_share", "0"];
  await runProgram(options.parallax, ...words, ...more).catch(() => {});
}

/// The trials with a result.
function trialsOf(folder) {
  return fs
    .readFileSync(join(folder, "tuning", "history.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((record) => "number" in record && !record.failure);
}

/// The edits of a trial as a custom strategy gives them.
function patchOf(edits) {
  const patch = {};
  for (const { field, value, appends } of edits)
    if (appends) (patch[field] ??= []).push(JSON.parse(value));
    else patch[field] = JSON.parse(value);
  return patch;
}

/// By layer, what 16 bits cost more.
async function extraCycles() {
  const cycles = [];
  for (const more of [[], ["--quant.highest_mix_precision", "true"]]) {
    const folder = join(work, `cycles-${cycles.length}`);
    await runProgram(
      ...[options.parallax, "build", "--config", options.tune],
      ...["--output_dir", folder, "--phase-to", "compile"],
      ...["--compiler.npu_perf", "1", ...more],
    );
    const [head, ...rows] = fs
      .readFileSync(join(folder, "compiler", "op_profile.csv"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    const [column, weights] = ["cycles", "weight_bytes"].map((name) =>
      head.indexOf(name),
    );
    cycles.push(
      new Map(
        rows.map((row) => [
          row[0],
          { cycles: +row[column], hasWeights: +row[weights] > 0 },
        ]),
      ),
    );
  }
  const [narrow, wide] = cycles;
  return [...narrow]
    .map(([layer, own]) => ({
      layer,
      extra: (wide.get(layer)?.cycles ?? 0) - own.cycles,
      hasWeights: own.hasWeights,
    }))
    .filter(({ extra }) => extra > 0);
}

/// Layers in a random order as long as the budget lasts.
function draw(layers, budget, base, random) {
  const order = layers
    .map((layer) => ({ ...layer, place: random.next() }))
    .sort((a, b) => a.place - b.place);
  let left = budget * random.next();
  const chosen = order.filter(({ extra }) => {
    const fits = extra <= left;
    if (fits) left -= extra;
    return fits;
  });
  const patch = { ...base, "quant.layer_configs": [] };
  if (random.next() < 0.5)
    patch["quant.calibration_method"] = methods[random.integer(0, 3)];
  for (const weights of [undefined, "S16"]) {
    const own = chosen.filter(
      ({ place, hasWeights }) => (hasWeights && place < 0.25) === !!weights,
    );
    if (own.length > 0)
      patch["quant.layer_configs"].push({
        layer_names: own.map(({ layer }) => layer),
        data_type: "U16",
        output_data_type: "U16",
        weight_data_type: weights,
      });
  }
  if (patch["quant.layer_configs"].length === 0)
    delete patch["quant.layer_configs"];
  return JSON.stringify(patch);
}

const tuned = join(work, "tuned");
await tune(options.tune, ["--output_dir", tuned]);
const found = JSON.parse(
  fs.readFileSync(join(tuned, "tuning", "outcome.json"), "utf8"),
);
const first = trialsOf(tuned);
const best = first.find((trial) => trial.number === found.best);
if (best.edits.length === 0) {
  console.error("error: nothing was changed; give a stricter criterion");
  process.exit(2);
}
const base = patchOf(best.edits);
const levers = { ...base };
delete levers["quant.layer_configs"];
const plain = first[0].cycles;
console.log(
  `tuned on ${best.samples} samples: ${best.cycles} cycles instead of ${plain}`,
);

const layers = await extraCycles();
const random = new Random(options.seed);
const proposals = join(work, "proposals.jsonl");
const script = join(work, "propose.sh");
// The next line; a search that ends at one that it knows goes on behind it.
const counter = join(work, "next");
fs.writeFileSync(counter, "1\n");
fs.writeFileSync(
  script,
  `n=$(cat '${counter}')\necho $((n + 1)) >'${counter}'\n` +
    `sed -n "\${n}p" '${proposals}'\n`,
);
const lines = [JSON.stringify(base)];
const folder = join(work, "random");
let trials = [];
let valid = [];
// What was drawn may cost more than it seems, where types meet.
for (let round = 0; round < 20 && valid.length < count; ++round) {
  const wanted = lines.length + Math.ceil((count - valid.length) * 1.2);
  for (let tries = 0; lines.length < wanted && tries < 20 * count; ++tries) {
    const line = draw(layers, best.cycles - plain, levers, random);
    if (line !== "{}" && !lines.includes(line)) lines.push(line);
  }
  fs.writeFileSync(proposals, lines.join("\n") + "\n");
  await tune(options.validate, [
    ...["--output_dir", folder, "--tuning.strategy", "custom"],
    ...["--tuning.custom_command", `sh ${script}`],
    ...["--tuning.exit_policy.max_trials", "100000"],
    ...(round > 0 ? ["--resume"] : []),
  ]);
  trials = trialsOf(folder);
  valid = trials
    .filter(({ number }) => number > 2)
    .filter(({ cycles }) => cycles <= best.cycles)
    .slice(0, count);
}
const own = trials.find(({ number }) => number === 2);
const better = valid.filter(({ loss }) => loss.value < own.loss.low);
const row = (name, { metric, loss, cycles }) => [
  name,
  cycles,
  metric.value.toFixed(5),
  `${loss.value.toFixed(5)} [${loss.low.toFixed(5)}, ${loss.high.toFixed(5)}]`,
];
const byLoss = [...valid].sort((a, b) => a.loss.value - b.loss.value);
printTable(
  ["configuration", "cycles", "metric", "loss [95 %]"],
  [
    row("as configured", trials[0]),
    row("tuned", own),
    row("best of random", byLoss[0]),
    row("median of random", byLoss[Math.floor(byLoss.length / 2)]),
  ].map((cells) => cells.map(String)),
);
console.log(
  `${valid.length} random configurations of the same or less cost on ` +
    `${own.samples} other samples: ${better.length} better beyond the ` +
    `interval, ${valid.filter((one) => one.loss.value < own.loss.value).length} at all`,
);
process.exit(better.length > 0 || valid.length < count ? 1 : 0);
