//===- shown.mjs - What a page and the files of its build say -------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Numbers of a page are in the titles of their elements, with all digits.

import * as fs from "node:fs";
import { join } from "node:path";

export const jsonOf = (folder, name) => JSON.parse(fs.readFileSync(join(folder, name)));
export const analysisOf = ({ folder }) =>
  jsonOf(folder, "quant/debug/precision_analysis_table.json");

/// What the page shows, as text.
export const shown = (page) => page.$eval("main", (main) => main.innerText);

/// The rows of the table of layers: for each the name and, by column and table,
/// the title of the cell, which has all digits.
export const layerCells = (page) =>
  page.evaluate(() => {
    const heads = [...document.querySelectorAll("main thead th button")].map((head) => ({
      title: head.querySelector("span").firstChild.textContent,
      table: /\((\w+ \w+)\)$/.exec(head.title)?.[1],
    }));
    return [...document.querySelectorAll("main tbody tr[aria-rowindex]")].map((row) => {
      const cells = [...row.querySelectorAll("td[role=gridcell]")];
      return {
        layer: row.querySelector("bdi.name").title,
        tensor: new URLSearchParams(row.querySelector("a").hash.split("?")[1]).get("layer"),
        values: cells.map((cell, i) => ({
          ...heads[i],
          value: cell.querySelector(".value")?.title,
        })),
      };
    });
  });

/// The titles of all numbers in a view, which have all digits.
export const numbersOf = (page) =>
  page.$$eval("main .value", (all) => all.map((value) => value.title));

export const lastMetrics = (folder) =>
  jsonOf(folder, "evaluation/accuracy.json").networks.at(-1).metrics;
export const cyclesOf = (folder) => jsonOf(folder, "compiler/lowering.json").cycles;
