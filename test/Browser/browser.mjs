//===- browser.mjs - A real browser for pages from the disk ---------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Opens reports in Debian's Chromium and remembers everything that must not
// happen: errors, warnings, dialogs, and requests to anywhere.

import * as fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const program = "/usr/bin/chromium";

/// Whether there is a browser at all.
export const hasBrowser = () => fs.existsSync(program);

const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/// Starts the browser; `modules` has puppeteer-core.
export async function startBrowser(modules) {
  const puppeteer = createRequire(join(modules, "x.cjs"))("puppeteer-core");
  return puppeteer.launch({ executablePath: program, headless: true, args: quiet });
}

/// Opens a file; `problems` grows as long as the page is open.
export async function openReport(browser, file, size = { width: 1400, height: 1000 }) {
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type()))
      problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && url.split("#")[0] !== `file://${file}`)
      problems.push(`request: ${url}`);
  });
  await page.setViewport(size);
  await page.goto(`file://${file}`);
  await page.waitForSelector("main h1");
  return { page, problems };
}

/// Two frames: what was asked for is on the screen then.
export const settle = (page) =>
  page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => done())),
      ),
  );

/// Goes to a view by its link in the navigation.
export async function goTo(page, title) {
  await page.evaluate((wanted) => {
    [...document.querySelectorAll("nav a")]
      .find((link) => link.textContent === wanted)
      .click();
  }, title);
  await page.waitForFunction(
    (wanted) => document.querySelector("main h1")?.textContent === wanted,
    {},
    title,
  );
  await settle(page);
}

/// The titles of all views that are offered.
export const viewsOf = (page) =>
  page.$$eval("nav a", (links) => links.map((link) => link.textContent));
