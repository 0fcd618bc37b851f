//===- scaling.mjs - How cost grows ---------------------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A build with an analysis on both engines, of networks that grow in one
// direction at a time: processor time and peak memory, and the exponent that
// fits the larger half. What should be linear has 1; weights and products grow
// with the square of channels.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, printTable, runProgram } from "./lib.mjs";

const options = commandLine(
  "node scaling.mjs --parallax PATH [--cache DIR] [--only layers,..]",
  {
    parallax: { type: "string" },
    cache: { type: "string" },
    only: { type: "string" },
  },
  ["parallax"],
);

const series = {
  layers: { sizes: [10, 100, 1000, 2500, 5000], expected: 1 },
  samples: { sizes: [1, 10, 100, 1000, 3000], expected: 1 },
  pixels: { sizes: [1024, 4096, 16384, 65536, 262144], expected: 1 },
  channels: { sizes: [8, 16, 32, 64, 128], expected: 2 },
};

/// What scaling.py is given for a point.
const shapeOf = {
  layers: (n) => [n, 4, 4, 2],
  samples: (n) => [4, 4, 16, n],
  pixels: (n) => [4, 8, Math.sqrt(n), 2],
  channels: (n) => [4, n, 32, 2],
};

/// The slope of a line through the logarithms.
function exponentOf(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, p) => sum + p[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const [above, below] = logs.reduce(
    ([a, b], [x, y]) => [a + (x - mx) * (y - my), b + (x - mx) ** 2],
    [0, 0],
  );
  return above / below;
}

const fits = [];
for (const name of options.only?.split(",") ?? Object.keys(series)) {
  const { sizes, expected } = series[name];
  const points = [];
  for (const size of sizes) {
    process.stderr.write(`${size} ${name}\n`);
    const work = fs.mkdtempSync(join(tmpdir(), "parallax-scaling-"));
    const said = await runProgram(
      "/usr/bin/python3",
      new URL("scaling.py", import.meta.url).pathname,
      ...[options.parallax, join(work, "run"), ...shapeOf[name](size).map(String)],
    );
    fs.rmSync(work, { recursive: true });
    const { seconds, megabytes } = JSON.parse(said);
    points.push([size, seconds, megabytes]);
  }
  console.log(`\n${name}`);
  printTable(
    [name, "processor s", "peak MB"],
    points.map(([size, seconds, megabytes]) => [
      size,
      seconds.toFixed(2),
      megabytes.toFixed(1),
    ]),
  );
  const large = points.slice(-3);
  fits.push([
    name,
    exponentOf(large.map(([size, seconds]) => [size, seconds])).toFixed(2),
    exponentOf(large.map(([size, , megabytes]) => [size, megabytes])).toFixed(2),
    expected,
  ]);
}
console.log("\nexponents of the three largest");
printTable(["", "time", "memory", "expected of time"], fits);
