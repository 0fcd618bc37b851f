//===- python.mjs - What Python costs -------------------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// session.run on the quickstart network against Runtime.h, and `import
// parallax` against `parallax --help`, each in turns.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { alternate, commandLine, printTable, timed } from "./lib.mjs";

const options = commandLine(
  "node python.mjs --parallax PATH [--count N] [--calls N]",
  {
    parallax: { type: "string" },
    count: { type: "string", default: "21" },
    calls: { type: "string", default: "5000" },
  },
  ["parallax"],
);

const here = dirname(fileURLToPath(import.meta.url));
const bin = dirname(options.parallax);
const count = Number(options.count);
const env = {
  ...process.env,
  PYTHONPATH: join(bin, "..", "python"),
  OMP_WAIT_POLICY: "passive",
};

const execute = (command, args) =>
  execFileSync(command, args, { cwd: join(here, ".."), env, encoding: "utf8" });
const python = (...args) => execute("/usr/bin/python3", args);
const inTurns = (ours, theirs, turns) =>
  alternate(ours, theirs, 2, (done) => done < turns);

const work = mkdtempSync(join(tmpdir(), "parallax-bench-"));
try {
  execute(options.parallax, [
    ...["build", "--config", "configs/quickstart.json", "--output_dir", work],
    ...["--quant.precision_analysis", "false"],
  ]);
  const model = join(work, "compiled.axmodel");
  const turns = Math.ceil(count / 3);
  const run = await inTurns(
    () => Number(python(join(here, "session.py"), model, options.calls)),
    () => Number(execute(join(bin, "bench-runtime"), [model, options.calls])),
    turns,
  );
  printTable(
    ["session.run us", "Runtime.h us", "difference us", "ratio", "turns"],
    [
      [
        run.ours.toFixed(1),
        run.theirs.toFixed(1),
        (run.ours - run.theirs).toFixed(1),
        (run.ours / run.theirs).toFixed(3),
        turns,
      ],
    ],
  );

  // The first name that is used loads the library, and a session NumPy too.
  const rows = [];
  for (const code of [
    "pass",
    "import parallax",
    "import parallax; parallax.Error",
    "import parallax; parallax.InferenceSession; import numpy",
  ]) {
    const start = await inTurns(
      () => timed(() => python("-c", code)),
      () => timed(() => execute(options.parallax, ["--help"])),
      count,
    );
    rows.push([
      code,
      start.ours.toFixed(1),
      start.theirs.toFixed(1),
      (start.ours / start.theirs).toFixed(3),
    ]);
  }
  printTable(["python3 -c", "ms", "parallax --help ms", "ratio"], rows);
} finally {
  rmSync(work, { recursive: true });
}
