//===- report.mjs - How long people wait for a report ---------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// In a real browser, from the disk: until the first screen is there, until a
// selected layer is shown, and what writing takes, by itself and as the last
// phase of the build. Medians of several turns.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine, printTable, skipped } from "./lib.mjs";
import { goTo, hasBrowser, openReport, startBrowser, viewsOf } from "../test/Browser/browser.mjs";
import { makeReports } from "../test/Browser/reports.mjs";

const options = commandLine(
  "node report.mjs --cache DIR --parallax PATH [--modules DIR] [--turns N]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    modules: { type: "string" },
    turns: { type: "string", default: "7" },
  },
  ["cache", "parallax"],
);
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules =
  options.modules ?? join(root, "build/release/test/Browser/web/node_modules");
if (!hasBrowser() || !fs.existsSync(join(modules, "puppeteer-core"))) {
  console.log("SKIPPED: run './parallax test -R browser' once; it brings what is needed");
  process.exit(skipped);
}

/// What a build has spent on its report, as its log says.
const phaseOf = (folder) =>
  /^time: .*\breport ([\d.]+) s/m.exec(
    fs.readFileSync(join(folder, "build.log"), "utf8"),
  )?.[1] ?? "-";
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const textOf = (values) => median(values)?.toFixed(0) ?? "-";
const work = fs.mkdtempSync(join(tmpdir(), "report-"));
const browser = await startBrowser(modules);
const reports = await makeReports({
  root,
  browser,
  ...options,
  folder: join(work, "reports"),
});
const rows = [];
for (const { name, folder, file } of reports) {
  const paints = [], ready = [], selections = [], writes = [];
  for (let turn = 0; turn < +options.turns; ++turn) {
    const { page } = await openReport(browser, file);
    const times = await page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
      ready: performance.now(),
    }));
    paints.push(times.paint);
    ready.push(times.ready);
    // Without an analysis there are no layers to select.
    if ((await viewsOf(page)).includes("Layers")) {
      await goTo(page, "Layers");
      selections.push(
        await page.evaluate(
          () =>
            new Promise((done) => {
              const rows = document.querySelectorAll("main tbody tr[aria-rowindex]");
              const begin = performance.now();
              rows[rows.length >> 1].click();
              requestAnimationFrame(() =>
                setTimeout(() => done(performance.now() - begin)),
              );
            }),
        ),
      );
    }
    await page.close();
    const begin = performance.now();
    execFileSync(options.parallax, ["report", folder, "-o", join(work, "again.html")]);
    writes.push(performance.now() - begin);
  }
  rows.push([
    name,
    (fs.statSync(file).size / 1e6).toFixed(2),
    ...[paints, ready, selections, writes].map(textOf),
    phaseOf(folder),
  ]);
}
await browser.close();
fs.rmSync(work, { recursive: true });
printTable(
  ["report", "MB", "first paint ms", "ready ms", "select ms", "write ms", "phase s"],
  rows,
);
