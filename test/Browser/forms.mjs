//===- forms.mjs - What only some reports show ----------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Comparisons, tunings, rules and pictures, each held against its files.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { goTo, settle } from "./browser.mjs";
import { analysisOf, cyclesOf, jsonOf, lastMetrics, layerCells, numbersOf, shown } from "./shown.mjs";

/// Both builds with their numbers, whichever is shown, and what differs.
export async function useComparison(page, { folder, other }) {
  await goTo(page, "Compare");
  const linesOf = (selector) =>
    page.$$eval(`${selector} tbody tr`, (rows) =>
      rows.map((row) => [
        row.querySelector("th")?.innerText ?? "",
        ...[...row.querySelectorAll("td .value")].map((value) => Number(value.title)),
      ]),
    );
  const expected = [
    ["top-1", ...[folder, other].map((one) => lastMetrics(one).top1.value.value)],
    ["Cycles", ...[folder, other].map(cyclesOf)],
  ];
  const lines = await linesOf("main table.plain");
  for (const [title, first, second] of expected)
    assert.deepEqual(
      lines.find(([name]) => name === title),
      [title, first, second, second - first],
      title,
    );
  const [fewer, more] = [folder, other].map(cyclesOf);
  assert(more > fewer, "the builds differ in what is compared");

  const showBuild = async (place) => {
    await page.$$eval(".builds button", (all, i) => all[i].click(), place);
    await settle(page);
  };
  const tables = [folder, other].map((one) => analysisOf({ folder: one }).tables.at(-1).rows);
  for (const place of [1, 0]) {
    await showBuild(place);
    await goTo(page, "Summary");
    const metric = lastMetrics([folder, other][place]).top1.value.value;
    assert((await numbersOf(page)).includes(String(metric)), "the metric of the shown build");
    await goTo(page, "Layers");
    for (const { tensor, values } of await layerCells(page)) {
      const rows = tables.map((all) => all.find((row) => row.tensor === tensor));
      if (!rows[0] || !rows[1]) continue;
      const valueOf = (title) => Number(values.find((one) => one.title === title).value);
      const change = (field) => rows[1][field] - rows[0][field];
      assert.equal(valueOf("Δ Cosine"), change("similarity"), `cosine of ${tensor}`);
      assert.equal(valueOf("Δ Cycles"), change("cycles"), `cycles of ${tensor}`);
      const own = values.find((one) => one.title === "Cosine" && one.table === "EndToEnd NPUBackend");
      assert.equal(Number(own.value), rows[place].similarity, "the shown build");
    }
    await goTo(page, "Layer");
    const linesOfLayer = await linesOf("main section table.plain");
    for (const [title, first, second, change] of linesOfLayer.filter((line) => line.length === 4))
      assert.equal(change, second - first, `${title} of the layer`);
    assert(linesOfLayer.some(([title]) => title.startsWith("Cosine (EndToEnd")), "a layer in both builds");
    await goTo(page, "Cost");
    assert((await shown(page)).includes("Changes, second − first build"));
    assert((await numbersOf(page)).some((title) => Number(title) > 0), "cycles that changed");
    await goTo(page, "Evaluation");
    assert.deepEqual(
      (await linesOf("main section table.plain")).find(([name]) => name === "top-1"),
      expected[0].concat(expected[0][2] - expected[0][1]),
    );
    await goTo(page, "Graph");
    const quantities = await page.$$eval("main select option", (all) => all.map(({ value }) => value));
    for (const changed of ["change of cosine", "change of cycles", "change of bits"])
      assert(quantities.includes(changed), changed);
  }
}

/// The front, all trials, and which one was built.
export async function useTuning(page, { folder }) {
  await goTo(page, "Tuning");
  const trials = fs
    .readFileSync(join(folder, "tuning/history.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"number"'));
  const text = await shown(page);
  assert(text.includes(`${trials.length} trials in`), text.slice(0, 80));
  assert(text.includes("This build is"), "the trial of this build");
  assert(!text.includes("NaN"), "no correlation of equal numbers");
  assert.equal(await page.$$eval("main .scatter", (all) => all.length), 2, "front and predictions");
  const rows = await page.$$("main tbody tr[aria-rowindex]");
  await rows.at(-1).click();
  await settle(page);
  assert(await page.$("main tr[aria-selected=true]"), "a trial can be chosen");
}

/// Every rule with what became of it.
export async function checkRules(page, { folder }) {
  await goTo(page, "Audit");
  const { rules } = jsonOf(folder, "quant/layer_config_audit.json");
  const layers = rules.flatMap((rule) => rule.layers);
  const text = await shown(page);
  assert(layers.length > 3 && text.includes(`for ${layers.length} layers`), "layers of rules");
  for (const { layer } of layers) assert(text.includes(layer), layer);
}

/// Small pictures of the samples, and those that are the same.
export async function checkPhotos(page) {
  await goTo(page, "Calibration");
  const sizes = await page.$$eval("main img", (all) =>
    all.map((image) => [image.complete, image.naturalWidth, image.naturalHeight]),
  );
  assert(sizes.length >= 3, `${sizes.length} pictures`);
  for (const size of sizes) assert.deepEqual(size, [true, 320, 240]);
  const text = await shown(page);
  assert(text.includes("is the same as"), "photos that repeat others");
  // Codes cover 0 too, but no more than all of the values.
  assert(text.includes("100.0 %") && !/10[1-9]\.\d %/.test(text), "covered parts");
}

/// A picture in which other objects are found, with the boxes of all three.
export async function checkBoxes(page, { folder }) {
  await goTo(page, "Evaluation");
  const { samples } = jsonOf(folder, "evaluation/changed.json");
  assert.equal(samples.length, 6, "answers that changed");
  const kinds = ["expected", "before", "after"];
  const drawn = () =>
    page.$$eval("main .boxes .photo rect", (all) =>
      all
        .filter((rect) => rect.getAttribute("stroke") !== "#000")
        .map((rect) => ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)))),
    );
  const rows = await page.$$("main tbody tr[aria-rowindex]");
  await rows.at(-1).click();
  await settle(page);
  const name = await page.$eval("main tr[aria-selected=true] bdi.name", (one) => one.title);
  const sets = samples.find(({ sample }) => sample === name);
  const expected = kinds.flatMap((kind) => sets[kind].map(({ box }) => box));
  assert(expected.length >= 3, "boxes of labels, float and NPU");
  assert.deepEqual(await drawn(), expected);
  const image = await page.$eval("main .boxes img", ({ complete, naturalWidth }) => [complete, naturalWidth > 0]);
  assert.deepEqual(image, [true, true], "the picture");
  const size = page.viewport();
  await page.setViewport({ width: 940, height: 800 });
  await settle(page);
  const cut = await page.$eval("main .boxes table", (table) => table.scrollWidth - table.clientWidth);
  assert(cut <= 1, "the picture leaves room for its numbers");
  await page.setViewport(size);
  await page.click("main .boxes input[type=checkbox]");
  await settle(page);
  assert.equal((await drawn()).length, expected.length - sets.expected.length, "boxes can be hidden");
}
