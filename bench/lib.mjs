//===- lib.mjs - What benchmarks and peer tests share ---------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Every script that puts Parallax next to ONNX Runtime needs the same things:
// the pinned models, a session, the command line for one model, a served child
// process, medians and a table. They live here once, so that a benchmark and
// the conformance check can't disagree about what they run.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, promisify } from "node:util";
import { makeInputs } from "../test/Conformance/ort/inputs.mjs";

/// The exit code by which lit, CTest and automake know a skipped test.
export const skipped = 77;

export const manifest = JSON.parse(
  readFileSync(
    new URL("../test/Conformance/ort/models.json", import.meta.url),
    "utf8",
  ),
);

export const runtimeDir = (cache) => join(cache, "runtime");
export const modelFile = (cache, model) =>
  model.file ?? join(cache, `${model.name}.onnx`);

/// Parses the command line against parseArgs' `options`, and arguments without
/// a flag into the names in `positional`; a wrong one prints the usage line
/// and exits with 2.
export function commandLine(usage, options, required = [], positional = []) {
  try {
    const allowPositionals = positional.length > 0;
    const { values, positionals } = parseArgs({ options, allowPositionals });
    if (positionals.length > positional.length)
      throw new Error(`'${positionals[positional.length]}' is one too many`);
    positionals.forEach((value, i) => (values[positional[i]] = value));
    for (const name of required)
      if (!values[name]) throw new Error(`'${name}' is missing`);
    return values;
  } catch (error) {
    console.error(`error: ${error.message}\nusage: ${usage}`);
    process.exit(2);
  }
}

/// The options of a check against ONNX Runtime.
export const peerOptions = (script) =>
  commandLine(
    `node ${script} --cache DIR --parallax PATH --work DIR ` +
      "[--all] [--only NAME,..]",
    {
      cache: { type: "string" },
      parallax: { type: "string" },
      work: { type: "string" },
      all: { type: "boolean" },
      only: { type: "string" },
    },
    ["cache", "parallax", "work"],
  );

/// The models named by `only` (comma separated), else all or the CI subset.
export function selectModels({ all, only }) {
  if (!only) return manifest.models.filter((model) => all || model.in_ci);
  return only.split(",").map((name) => {
    const model = manifest.models.find((model) => model.name === name);
    if (model) return model;
    const known = manifest.models.map((model) => model.name).join(", ");
    console.error(`error: no model '${name}' in models.json; it has ${known}`);
    process.exit(2);
  });
}

/// The models of a folder that no manifest knows: what models.json beside them
/// says of a file (an entry as in ours, without package and digest), else the
/// inputs that it declares, if their shapes are fixed.
async function folderModels(dir, cache, only) {
  const described = join(dir, "models.json");
  const entries = existsSync(described)
    ? JSON.parse(readFileSync(described, "utf8")).models
    : [];
  const names = readdirSync(dir)
    .filter((file) => file.endsWith(".onnx"))
    .map((file) => file.slice(0, -".onnx".length))
    .filter((name) => !only || only.split(",").includes(name));
  const models = [];
  for (const name of names.sort()) {
    const file = join(dir, `${name}.onnx`);
    const inputs =
      entries.find((entry) => entry.name === name)?.inputs ??
      (await declaredInputs(requireOrt(cache), file));
    if (inputs) models.push({ name, file, inputs });
    else console.log(`SKIPPED: ${name} has open shapes; ${described} has none`);
  }
  return models;
}

/// Floats are taken for pictures in [0, 1], integers for small numbers.
async function declaredInputs(ort, file) {
  const session = await createSession(ort, file, 1);
  const inputs = session.inputMetadata;
  await session.release();
  if (inputs.some(({ shape }) => shape.some((size) => !(size > 0))))
    return undefined;
  return Object.fromEntries(
    inputs.map(({ name, type, shape }) => [
      name,
      { dtype: type, shape, range: [0, 1] },
    ]),
  );
}

/// What a benchmark measures: the models of the folder `--models`, else those
/// of the cache that `selected` says.
export const benchModels = (options, selected) =>
  options.models
    ? folderModels(options.models, options.cache, options.only)
    : cachedModels(options.cache, selectModels(selected));

/// ONNX Runtime from the cache directory, or null when it isn't there.
export function loadOrt(cache) {
  const require = createRequire(join(resolve(runtimeDir(cache)), "index.js"));
  try {
    return require("onnxruntime-node");
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}

/// Ends the script as skipped, loudly, when ONNX Runtime isn't in the cache.
export function requireOrt(cache) {
  const ort = loadOrt(cache);
  if (ort) return ort;
  console.log(
    `SKIPPED: no ONNX Runtime in ${cache}; run ` +
      "'node test/Conformance/ort/fetch.mjs' on it first",
  );
  process.exit(skipped);
}

/// Splits off, with one line each, the models that aren't in the cache.
export function cachedModels(cache, models) {
  return models.filter((model) => {
    const present = existsSync(modelFile(cache, model));
    if (!present) console.log(`SKIPPED: ${model.name} is not in ${cache}`);
    return present;
  });
}

/// A session as its users tune it for latency: default (full) graph
/// optimizations, one operator at a time, `threads` threads inside it. The
/// `model` is a file name or the bytes of one.
export function createSession(ort, model, threads, extra = {}) {
  return ort.InferenceSession.create(model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    logSeverityLevel: 3,
    extra,
  });
}

export function makeFeeds(ort, model) {
  return Object.fromEntries(
    makeInputs(model).map(({ name, dtype, shape, data }) => [
      name,
      new ort.Tensor(dtype, data, shape),
    ]),
  );
}

/// The options that fix the shapes and baked inputs of `model`.
export function shapeArguments(model) {
  const baked = model.bake ?? [];
  const shapes = Object.entries(model.inputs)
    .filter(([name]) => !baked.includes(name))
    .map(([name, { shape }]) => `${name}:${shape.join("x")}`);
  return [
    "--input_shapes",
    shapes.join(";"),
    ...baked.flatMap((name) => [
      "--bake",
      `${name}=${model.inputs[name].value}`,
    ]),
  ];
}

/// The arguments that describe `model` to `parallax run`.
export const runArguments = (cache, model) => [
  "run",
  "--model",
  modelFile(cache, model),
  ...shapeArguments(model),
];

const execute = promisify(execFile);

/// Runs a program and returns what it printed; throws its last line.
export async function runProgram(program, ...args) {
  try {
    const { stdout, stderr } = await execute(program, args, {
      maxBuffer: 1 << 28,
    });
    return stdout + stderr;
  } catch (error) {
    const said = (error.stderr || error.message).trim().split("\n").at(-1);
    throw new Error(`${args[0]} failed: ${said}`);
  }
}

/// The outputs of a session, which is given only the inputs that it has.
export async function runSession(session, feeds) {
  const known = session.inputNames;
  const outputs = await session.run(
    Object.fromEntries(
      Object.entries(feeds).filter(([name]) => known.includes(name)),
    ),
  );
  await session.release();
  return outputs;
}

/// Milliseconds of one inference on one thread.
export function inferenceMilliseconds(parallax, model) {
  const text = execFileSync(
    parallax,
    ["run", "--model", model, "--serve", "--threads", "1"],
    { input: "run\n".repeat(12) + "quit\n", encoding: "utf8" },
  );
  return median(
    [...text.matchAll(/^time ([0-9.]+)/gm)].map((m) => Number(m[1])).slice(2),
  );
}

/// A `parallax run --serve` child process: it prints `prepare-time <ms>` once,
/// then answers each line `run` with `time <ms>` until `quit`.
export class Server {
  static async start(parallax, args) {
    const server = new Server();
    server.child = spawn(parallax, [...args, "--serve"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    server.errors = "";
    server.child.stderr.on("data", (text) => (server.errors += text));
    server.child.stdin.on("error", () => {}); // reported by the missing answer
    server.closed = new Promise((done) => {
      server.child.on("error", (error) => done(error.message));
      server.child.on("close", (code, signal) =>
        done(`exit code ${code ?? signal}`),
      );
    });
    server.lines = createInterface({ input: server.child.stdout })[
      Symbol.asyncIterator
    ]();
    server.prepareTime = await server.answer("prepare-time");
    return server;
  }

  /// The number on the next line that begins with `key`.
  async answer(key) {
    for (;;) {
      const line = await Promise.race([this.lines.next(), this.closed]);
      if (typeof line === "string" || line.done) {
        const why = await this.closed;
        const detail = this.errors.trim().split("\n").at(-1);
        throw new Error(
          `parallax ended before '${key}' (${why})${detail && `: ${detail}`}`,
        );
      }
      const [word, number] = line.value.trim().split(/\s+/);
      if (word !== key) continue;
      if (!(Number(number) >= 0))
        throw new Error(`parallax answered '${line.value}', not '${key} <ms>'`);
      return Number(number);
    }
  }

  run() {
    this.child.stdin.write("run\n");
    return this.answer("time");
  }

  /// The most memory that it has had at once.
  peakMegabytes() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)[1]) / 1000;
  }

  async stop() {
    this.child.stdin.end("quit\n");
    await this.closed;
  }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/// The wall time of `action` in milliseconds.
export async function timed(action) {
  const start = process.hrtime.bigint();
  await action();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/// Runs the two sides in turn, so that whatever else the computer does hits
/// both; the first `warmup` pairs are dropped. `more(count, elapsedMs)` says
/// whether another pair is wanted. Returns the two medians.
export async function alternate(ours, theirs, warmup, more) {
  for (let i = 0; i < warmup; ++i) {
    await ours();
    await theirs();
  }
  const [ourTimes, theirTimes] = [[], []];
  const start = Date.now();
  while (more(ourTimes.length, Date.now() - start)) {
    ourTimes.push(await ours());
    theirTimes.push(await theirs());
  }
  return {
    ours: median(ourTimes),
    theirs: median(theirTimes),
    count: ourTimes.length,
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length % 2) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

export const geometricMean = (values) =>
  Math.exp(values.reduce((sum, x) => sum + Math.log(x), 0) / values.length);

/// Prints rows of cells: text to the left, numbers to the right.
export function printTable(header, rows) {
  const text = [header, ...rows].map((row) => row.map(String));
  const width = header.map((_, i) =>
    Math.max(...text.map((row) => row[i].length)),
  );
  const rightAligned = header.map(
    (_, i) => rows.length > 0 && rows.every((row) => /^[-\d.]/.test(row[i])),
  );
  const line = (row) =>
    row
      .map((cell, i) =>
        rightAligned[i] ? cell.padStart(width[i]) : cell.padEnd(width[i]),
      )
      .join("  ")
      .trimEnd();
  console.log(line(text[0]));
  console.log(width.map((n) => "-".repeat(n)).join("  "));
  for (const row of text.slice(1)) console.log(line(row));
}

/// For checks that build a network again and again: in CI, only those that take
/// milliseconds. One layer at a time takes a quarter of an hour in u2netp.
export function limitToQuick(options) {
  if (!options.all && !options.only)
    options.only = "ppocr-cls,retinaface,fr-pose,fr-feature";
}

/// What a check of models ends with: a table whose last column is "ok" or what
/// failed, the closing line that a CI counts by, and the exit code.
export function closeChecks(header, rows, missing) {
  if (rows.length > 0) printTable(header, rows);
  const failed = rows.filter((row) => row.at(-1) !== "ok").length;
  console.log(
    `${rows.length - failed} passed, ${failed} failed, ` +
      `${missing} models skipped`,
  );
  process.exitCode = failed ? 1 : rows.length ? 0 : skipped;
}

/// Runs check(model, variant) for every model; what it throws is a row that
/// failed. Rows begin with the names of both.
export async function checkModels(options, header, variants, check) {
  const selected = selectModels(options);
  const models = cachedModels(options.cache, selected);
  const rows = [];
  for (const model of models)
    for (const variant of variants) {
      const names = [model.name, ...(variant ? [variant] : [])];
      process.stderr.write(`${names.join(", ")}\n`);
      rows.push([
        ...names,
        ...(await check(model, variant).catch((error) => [
          ...Array(header.length - names.length - 1).fill("-"),
          `FAILED: ${error.message}`,
        ])),
      ]);
    }
  closeChecks(header, rows, selected.length - models.length);
}
