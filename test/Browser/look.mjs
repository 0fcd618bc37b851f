//===- look.mjs - Reports in a real browser -------------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// node look.mjs --parallax PROGRAM --modules DIR --cache DIR --work DIR
// Every view of every report is opened and used. Screenshots stay in the work
// folder. Exit code 77 without a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine, skipped } from "../../bench/lib.mjs";
import { goTo, hasBrowser, openReport, settle, startBrowser, viewsOf } from "./browser.mjs";
import { checkBoxes, checkPhotos, checkRules, useComparison, useTuning } from "./forms.mjs";
import { makeReports } from "./reports.mjs";
import { analysisOf, cyclesOf, jsonOf, layerCells, numbersOf, shown } from "./shown.mjs";

const options = commandLine(
  "node look.mjs --parallax PROGRAM --modules DIR --cache DIR --work DIR",
  {
    parallax: { type: "string" },
    modules: { type: "string" },
    cache: { type: "string" },
    work: { type: "string" },
  },
  ["parallax", "modules", "cache", "work"],
);
if (!hasBrowser()) {
  console.log("SKIPPED: there is no /usr/bin/chromium, so no report was opened");
  process.exit(skipped);
}

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const pictures = join(options.work, "screenshots");
fs.mkdirSync(pictures, { recursive: true });
const browser = await startBrowser(options.modules);

const fieldOf = { Cosine: "similarity", SQNR: "sqnr_db" };

/// Numbers in the page are those of the file.
async function checkNumbers(page, report) {
  await goTo(page, "Layers");
  const { tables, inputs } = analysisOf(report);
  let compared = 0;
  for (const { layer, tensor, values } of (await layerCells(page)).slice(0, 20))
    for (const { title, table, value } of values) {
      if (!table || !(title in fieldOf)) continue;
      const rows = tables.find((one) => `${one.method} ${one.mode}` === table).rows;
      const row = [...rows, ...inputs].find((one) => one.tensor === tensor);
      const expected = row[fieldOf[title]];
      // Integers have no distance.
      const text = expected === null ? undefined : String(expected === "inf" ? Infinity : expected);
      assert.equal(value, text, `${layer}, ${title} ${table}`);
      ++compared;
    }
  assert(compared >= 20 || tables[0].rows.length < 10, `only ${compared} numbers were compared`);
  return compared;
}

/// What people read first is what the files say.
async function checkSummary(page, report) {
  await goTo(page, "Summary");
  const numbers = new Set(await numbersOf(page));
  const accuracy = join(report.folder, "evaluation/accuracy.json");
  if (fs.existsSync(accuracy))
    for (const { network, metrics } of jsonOf(report.folder, "evaluation/accuracy.json").networks)
      for (const [id, { value, loss }] of Object.entries(metrics)) {
        assert(numbers.has(String(value.value)), `${id} of ${network}`);
        if (network !== "Float") assert(numbers.has(String(loss.value)), `loss of ${id} of ${network}`);
      }
  // Shares of the loss are those that the tool has printed.
  const log = join(report.folder, "build.log");
  if (fs.existsSync(log)) {
    const said = [...fs.readFileSync(log, "utf8").matchAll(/ {2}[123]\. .*it has ([\d.]+) % of the loss/g)];
    const seen = [...(await shown(page)).matchAll(/([\d.]+) % of the loss/g)];
    for (const [i, [, share]] of said.slice(0, 3).entries())
      assert(Math.abs(Number(seen[i]?.[1]) - Number(share)) < 0.06, `${seen[i]} is ${share} %`);
  }
  // Nothing but layers that were compared says what is left for processors.
  assert(report.name !== "answers" || !(await shown(page)).includes("input processors"));
  const cycles = cyclesOf(report.folder);
  if (cycles > 0) assert(numbers.has(String(cycles)), `${cycles} cycles are shown`);
}

/// Sort, filter, select with the keyboard, open.
async function useLayers(page, report) {
  await goTo(page, "Layers");
  const { tables } = analysisOf(report);
  const sortBy = async (title) => {
    await page.evaluate((wanted) => {
      [...document.querySelectorAll("main thead th button")]
        .find((head) => head.querySelector("span").firstChild.textContent === wanted)
        .click();
    }, title);
    await settle(page);
  };
  await sortBy("Cosine");
  const cosines = (await layerCells(page)).map(({ values }) =>
    Number(values.find(({ title }) => title === "Cosine").value),
  );
  for (let i = 1; i < cosines.length; ++i) assert(cosines[i - 1] <= cosines[i], "sorted");
  await page.$eval("main div[role=grid]", (grid) => grid.focus());
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await settle(page);
  const chosen = await page.$eval("main tr[aria-selected=true] bdi.name", (name) => name.title);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Layer");
  await settle(page);
  assert((await shown(page)).includes(chosen.slice(0, 20)), "the chosen layer is shown");
  await goTo(page, "Layers");
  const wanted = tables[0].rows.at(-1).operator.slice(0, 24);
  await page.type("main input[type=search]", wanted);
  await settle(page);
  const left = await layerCells(page);
  assert(left.length > 0 && left.length <= tables[0].rows.length, "filtered");
  for (const { layer } of left)
    assert(layer.toLowerCase().includes(wanted.toLowerCase().split(/\s+/)[0]), "matches the filter");
}

/// Color by everything that can be chosen, zoom, search.
async function useGraph(page, report) {
  await goTo(page, "Graph");
  await page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Laying out"));
  const colors = await page.$$eval("main select option", (list) => list.map(({ value }) => value));
  assert(colors.length >= 3, "quantities to color by");
  assert(await page.$("main .graph-legend .scale"), "the first one is known");
  const select = await page.$("main select");
  for (const color of await select.$$eval("option", (list) => list.map(({ value }) => value))) {
    await select.select(color);
    await settle(page);
  }
  for (const label of ["Zoom in", "Zoom out"]) {
    await page.click(`main button[aria-label="${label}"]`);
    await settle(page);
  }
  const name = analysisOf(report).tables[0].rows.at(-1).operator.slice(0, 30);
  await page.type("main input[type=search]", name);
  await page.keyboard.press("Enter");
  await settle(page);
}

/// Names of the model are text, whatever they look like, in every view.
async function checkMarkup(page) {
  const names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(3)"];
  const expectText = async (view, expected) => {
    const text = await shown(page);
    for (const name of expected) assert(text.includes(name), `${view}: ${name} is shown`);
    assert.equal(await page.$("main script, main img"), null, `${view}: names are no elements`);
    const links = await page.$$eval("main a:not([download])", (all) =>
      all.map((link) => link.getAttribute("href")),
    );
    assert(links.every((link) => link.startsWith("#")), `${view}: links lead into the page`);
  };
  for (const view of await viewsOf(page)) {
    await goTo(page, view);
    const all = ["Layers", "Attribution", "Calibration", "Cost"];
    await expectText(view, all.includes(view) ? names : []);
  }
  const layers = await page.evaluate(() => location.hash);
  for (const name of names) {
    await page.evaluate((layer) => {
      location.hash = `layer?${new URLSearchParams({ layer })}`;
    }, `${name}!`);
    await settle(page);
    assert.equal(await page.$eval("main h2.title bdi", (title) => title.innerText), name);
    await expectText("Layer", [name]);
  }
  await page.evaluate((hash) => (location.hash = hash), layers);
}

/// A layer links to the models that Netron opens, which are beside the page.
async function checkModelLinks(page, report) {
  await goTo(page, "Layer");
  // The first one is an input of the network.
  await page.$$eval("main a", (all) =>
    all.find(({ textContent }) => textContent.startsWith("Next"))?.click(),
  );
  await settle(page);
  const links = await page.$$eval("main a[download]", (all) => all.map((link) => link.href));
  assert.equal(links.length, report.name === "compare" ? 0 : 2, "links to models");
  for (const link of links) assert(fs.existsSync(fileURLToPath(link)), link);
}

/// On paper everything is light, whatever the theme of the screen: charts are
/// canvases, which no style sheet changes.
async function checkPrint(page) {
  await goTo(page, "Layer");
  const brightness = () =>
    page.evaluate(() => {
      const canvas = document.querySelector("main .chart canvas");
      const { width, height } = canvas;
      const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
      let sum = 0, count = 0;
      for (let i = 0; i < pixels.length; i += 4)
        if (pixels[i + 3] === 255) {
          sum += pixels[i] + pixels[i + 1] + pixels[i + 2];
          ++count;
        }
      return sum / count / 3;
    });
  const light = await brightness();
  await page.select("header select", "dark");
  await settle(page);
  const dark = await brightness();
  assert(Math.abs(dark - light) > 20, `charts follow the theme: ${dark}, ${light}`);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const printed = await brightness();
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.select("header select", "auto");
  assert(Math.abs(printed - light) < 1, `charts are printed light: ${printed}, ${light}`);
}

/// Every column of every table is on a sheet of A4.
async function checkSheets(page, views) {
  await page.setViewport({ width: 718, height: 1000 });
  for (const view of views) {
    await goTo(page, view);
    await page.emulateMediaType("print");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await settle(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(width <= 718, `${view} is printed ${width} pixels wide`);
    const hasTools = await page.$$eval("main .tools", (all) => all.some((one) => one.checkVisibility()));
    assert(!hasTools, `${view} is printed without its switches`);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMediaType("screen");
  }
}

/// The same report with as many bytes, as one of a larger network has them.
function enlarged(file, bytes) {
  const large = join(options.work, "large.html");
  fs.writeFileSync(large, fs.readFileSync(file) + `<!--${"x".repeat(bytes)}-->`);
  return large;
}

/// In the frame of a notebook, as parallax.Report makes it.
async function useNotebook(report) {
  const file = join(options.work, "notebook.html");
  const frameOf = "import parallax, sys; print(parallax.Report(sys.argv[1])._repr_html_())";
  const shown = execFileSync("/usr/bin/python3", ["-c", frameOf, report], {
    env: { ...process.env, PYTHONPATH: join(dirname(options.parallax), "../python") },
    maxBuffer: Infinity,
  });
  fs.writeFileSync(file, `<main><h1>Notebook</h1>${shown}</main>`);
  const { page, problems } = await openReport(browser, file);
  const frame = await (await page.$("iframe")).contentFrame();
  await frame.waitForSelector("main h1");
  const views = await viewsOf(frame);
  for (const view of views) await goTo(frame, view);
  assert(views.length > 5, "a notebook shows all views");
  assert.equal(page.url(), `file://${file}`, "links stay within the frame");
  const seen = await frame.evaluate(() => {
    try {
      return parent.document.title;
    } catch {
      return undefined;
    }
  });
  assert.equal(seen, undefined, "a report can't see the notebook");
  assert.deepEqual(problems, [], "problems in a notebook");
  await page.close();
  console.log(`notebook: ${views.length} views in a frame of ${shown.length} bytes`);
}

/// Nothing is wider than the window of a phone.
async function checkNarrow(page, report, views) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await page.setViewport({ width: 360, height: 740 });
  for (const view of views) {
    await goTo(page, view);
    await page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Laying out"));
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert(overflow <= 1, `${view} fits a narrow window`);
    const link = await page.$eval("nav [aria-current]", (own) => {
      const { left, right } = own.getBoundingClientRect();
      return left > -1 && right < innerWidth + 1;
    });
    assert(link, `the link of ${view} is in sight`);
    await page.screenshot({ path: join(pictures, `${report.name}-${view.toLowerCase()}-narrow.png`) });
  }
}

/// What a page is made for.
const layersOfChain = 3000;

async function useReport(report) {
  const { page, problems } = await openReport(browser, report.file);
  const views = await viewsOf(page);
  const isAnalyzed = report.name !== "answers";
  assert(views.includes("Summary"), "views are offered");
  for (const view of ["Layers", "Layer", "Graph", "Outliers"])
    assert.equal(views.includes(view), isAnalyzed, view);
  assert.equal(views.includes("Compare"), report.name === "compare");
  for (const view of views) {
    await goTo(page, view);
    await page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Laying out"));
    assert.equal(await page.$("main [role=alert]"), null, `${view} can be shown`);
    assert.equal(await page.$("main .grid:empty, main .plain tbody:empty"), null, `${view} has no empty place`);
    assert((await shown(page)).length > view.length + 10, `${view} shows something`);
    await page.screenshot({ path: join(pictures, `${report.name}-${view.toLowerCase()}.png`) });
  }
  await checkSummary(page, report);
  if (report.name === "compare") await useComparison(page, report);
  if (report.name === "front") await useTuning(page, report);
  if (report.name === "rules") await checkRules(page, report);
  if (report.name === "photos") await checkPhotos(page);
  if (report.name === "boxes") await checkBoxes(page, report);
  if (report.name === "chain")
    assert(analysisOf(report).tables[0].rows.length >= layersOfChain, "a long chain");
  const numbers = isAnalyzed ? await checkNumbers(page, report) : 0;
  if (report.name === "markup") await checkMarkup(page);
  if (views.includes("Layer")) await checkModelLinks(page, report);
  if (report.name === "quickstart") await checkPrint(page);
  if (isAnalyzed) {
    await useLayers(page, report);
    await useGraph(page, report);
  }
  if (["yolov8n", "rules", "front", "compare"].includes(report.name)) await checkSheets(page, views);
  await checkNarrow(page, report, views);
  assert.deepEqual(problems, [], `problems in ${report.name}`);
  await page.close();
  console.log(`${report.name}: ${views.length} views, ${numbers} numbers equal, nothing requested`);
}

try {
  const reports = await makeReports({
    root,
    browser,
    ...options,
    folder: join(options.work, "reports"),
  });
  for (const report of reports) await useReport(report);
  await useNotebook(reports[0].file);
  await useNotebook(enlarged(reports[0].file, 10e6));
  console.log(`screenshots are in ${pictures}`);
} finally {
  await browser.close();
}
