//===- evaluation.mjs - Evaluating a task against bare inference ----------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Evaluating should cost what inference costs: reading pictures, scoring and
// drawing intervals included. The peer only runs its session, on inputs that
// are in memory already.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cachedModels,
  commandLine,
  createSession,
  makeFeeds,
  median,
  modelFile,
  printTable,
  requireOrt,
  runProgram,
  selectModels,
  timed,
} from "./lib.mjs";

const options = commandLine(
  "node evaluation.mjs --cache DIR --parallax PATH [--threads 1,2] [--samples N]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    threads: { type: "string", default: "1,2" },
    samples: { type: "string", default: "32" },
  },
  ["cache", "parallax"],
);

/// A picture of noise around a gradient, as an uncompressed BMP file.
function bitmap(width, height, seed) {
  const header = Buffer.alloc(54);
  header.write("BM");
  header.writeUInt32LE(54 + width * height * 3, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  const pixels = Buffer.alloc(width * height * 3);
  let state = seed + 1;
  for (let i = 0; i < pixels.length; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    pixels[i] = ((i / 64) & 127) + (state >>> 25);
  }
  return Buffer.concat([header, pixels]);
}

/// A detector on pictures with a box each.
function writeTask(folder, model, count) {
  fs.mkdirSync(join(folder, "images"));
  fs.mkdirSync(join(folder, "labels"));
  for (let i = 0; i < count; ++i) {
    fs.writeFileSync(join(folder, "images", `${i}.bmp`), bitmap(640, 480, i));
    fs.writeFileSync(join(folder, "labels", `${i}.txt`), "0 0.5 0.5 0.5 0.5\n");
  }
  const config = join(folder, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      input: modelFile(options.cache, model),
      evaluation: {
        task: "Detection",
        images: join(folder, "images"),
        labels: join(folder, "labels"),
        resize: "Letterbox",
        std: [255, 255, 255],
      },
    }),
  );
  return config;
}

const samples = Number(options.samples);
const ort = requireOrt(options.cache);
const models = cachedModels(options.cache, selectModels({ only: "yolov8n" }));
const rows = [];
for (const model of models)
  for (const threads of options.threads.split(",").map(Number)) {
    const folder = fs.mkdtempSync(join(tmpdir(), "parallax-evaluation-"));
    try {
      const config = writeTask(folder, model, samples);
      const session = await createSession(
        ort,
        modelFile(options.cache, model),
        threads,
      );
      const feeds = makeFeeds(ort, model);
      await session.run(feeds);
      const ours = [];
      const theirs = [];
      for (let turn = 0; turn < 3; ++turn) {
        // The whole command: import and preparation are part of it.
        ours.push(
          await timed(() =>
            runProgram(
              options.parallax,
              "evaluate",
              "--config",
              config,
              "--threads",
              String(threads),
            ),
          ),
        );
        theirs.push(
          await timed(async () => {
            for (let i = 0; i < samples; ++i) await session.run(feeds);
          }),
        );
      }
      await session.release();
      const [a, b] = [median(ours), median(theirs)];
      rows.push([
        model.name,
        threads,
        ((1000 * samples) / a).toFixed(2),
        ((1000 * samples) / b).toFixed(2),
        (a / b).toFixed(3),
      ]);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
printTable(
  ["network", "threads", "samples/s", "ORT samples/s", "time / ORT's"],
  rows,
);
