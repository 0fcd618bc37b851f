//===- session_creation.mjs - Time from model file to first inference -----===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Weights are mapped and never copied by the import; this keeps it true. The
// import and preparation of a 90 MB encoder is set against the creation of an
// ONNX Runtime session, each in a fresh process, taking turns.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  alternate,
  cachedModels,
  commandLine,
  createSession,
  modelFile,
  printTable,
  requireOrt,
  runArguments,
  selectModels,
  Server,
  skipped,
  timed,
} from "./lib.mjs";

const options = commandLine(
  "node session_creation.mjs --cache DIR --parallax PATH " +
    "[--model NAME] [--count N]",
  {
    cache: { type: "string" },
    parallax: { type: "string" },
    model: { type: "string", default: "all-minilm-l6-v2" },
    count: { type: "string", default: "9" },
    "ort-only": { type: "boolean" }, // the fresh process of ONNX Runtime's turn
  },
  ["cache", "parallax"],
);

const selected = selectModels({ only: options.model });
const ort = requireOrt(options.cache);
const [model] = cachedModels(options.cache, selected);
if (!model) process.exit(skipped);

// An ONNX file of one Identity node. A first session with it takes the loading
// of the library and its environment, some 40 ms, out of what is measured.
const identityModel = Buffer.from(
  "08084202100d3a370a100a017812017922084964656e74697479120167" +
    "5a0f0a0178120a0a08080112040a020801" +
    "620f0a0179120a0a08080112040a020801",
  "hex",
);

async function ours() {
  const server = await Server.start(options.parallax, [
    ...runArguments(options.cache, model),
    "--threads",
    "1",
  ]);
  await server.stop();
  return server.prepareTime;
}

async function theirs() {
  const script = fileURLToPath(import.meta.url);
  const args = [script, ...process.argv.slice(2), "--ort-only"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

if (options["ort-only"]) {
  const file = modelFile(options.cache, model);
  await createSession(ort, identityModel, 1);
  console.log(await timed(() => createSession(ort, file, 1)));
} else {
  // One dropped pair brings the file into the page cache for both.
  const count = Number(options.count);
  try {
    const result = await alternate(ours, theirs, 1, (done) => done < count);
    printTable(
      ["model", "ours ms", "ORT ms", "ours/ORT", "runs"],
      [
        [
          model.name,
          result.ours.toFixed(1),
          result.theirs.toFixed(1),
          (result.ours / result.theirs).toFixed(3),
          result.count,
        ],
      ],
    );
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}
