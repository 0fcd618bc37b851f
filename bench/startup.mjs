//===- startup.mjs - Time of a command that does nothing ------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// A tool that scripts call in loops must start at once. `parallax --help` is
// set against `mlir-opt --version`, a tool on the same libraries, in turns.

import { spawnSync } from "node:child_process";
import { alternate, commandLine, printTable, skipped, timed } from "./lib.mjs";

const options = commandLine(
  "node startup.mjs --parallax PATH [--mlir-opt PATH] [--count N]",
  {
    parallax: { type: "string" },
    "mlir-opt": { type: "string", default: "mlir-opt-22" },
    count: { type: "string", default: "31" },
  },
  ["parallax"],
);

/// Runs a command to its end; a failure ends the benchmark.
function execute(command, argument) {
  const { error, status, signal } = spawnSync(command, [argument], {
    stdio: "ignore",
  });
  if (error?.code === "ENOENT" && command === options["mlir-opt"]) {
    console.log(`SKIPPED: no ${command} to compare with`);
    process.exit(skipped);
  }
  if (!error && status === 0) return;
  const why = error?.message ?? `it ended with ${status ?? signal}`;
  console.error(`error: '${command} ${argument}' failed: ${why}`);
  process.exit(1);
}

const count = Number(options.count);
const { ours, theirs } = await alternate(
  () => timed(() => execute(options.parallax, "--help")),
  () => timed(() => execute(options["mlir-opt"], "--version")),
  2,
  (done) => done < count,
);
printTable(
  ["parallax --help ms", "mlir-opt --version ms", "ratio", "runs"],
  [[ours.toFixed(2), theirs.toFixed(2), (ours / theirs).toFixed(3), count]],
);
