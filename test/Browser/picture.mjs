//===- picture.mjs - A picture of a view for the documentation ------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// node picture.mjs --modules DIR --report FILE --view "layer?layer=NAME" -o PNG
//                  [--width N] [--height N] [--scroll SELECTOR]

import { resolve } from "node:path";
import { commandLine } from "../../bench/lib.mjs";
import { openReport, settle, startBrowser } from "./browser.mjs";

const options = commandLine(
  "node picture.mjs --modules DIR --report FILE --view VIEW -o PNG",
  {
    modules: { type: "string" },
    report: { type: "string" },
    view: { type: "string", default: "summary" },
    output: { type: "string", short: "o" },
    width: { type: "string", default: "1200" },
    height: { type: "string", default: "800" },
    scroll: { type: "string" },
  },
  ["modules", "report", "output"],
);
const browser = await startBrowser(options.modules);
const size = { width: +options.width, height: +options.height };
const { page, problems } = await openReport(browser, resolve(options.report), size);
await page.evaluate((view) => (location.hash = view), options.view);
await page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Laying out"));
await settle(page);
if (options.scroll)
  await page.$eval(options.scroll, (element) => element.scrollIntoView());
await settle(page);
await page.screenshot({ path: options.output });
await browser.close();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
