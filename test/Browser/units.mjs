//===- units.mjs - Parts of the page without a browser --------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// node units.mjs --web DIR --work DIR
// How the files of a build are read. DIR has the sources and their packages.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { commandLine } from "../../bench/lib.mjs";

const options = commandLine(
  "node units.mjs --web DIR --work DIR",
  { web: { type: "string" }, work: { type: "string" } },
  ["web", "work"],
);

/// A module of the page, as JavaScript.
async function load(name) {
  const { build } = createRequire(resolve(options.web, "x.cjs"))("esbuild");
  const outfile = join(options.work, "units", `${name}.mjs`);
  await build({
    entryPoints: [join(options.web, "src", `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    logLevel: "warning",
  });
  return import(pathToFileURL(resolve(outfile)));
}

const { parseCsv, parseJson } = await load("json");
const { buildOf, decidingCosine, lossOfOutputs, sharesOf, whyNoShares } = await load("data");
const { otherAnswers } = await load("changes");
const { liesIn } = await load("ui/links");
const { barRange, sharedBins, stepsWithin, weightCodes } = await load("ui/histograms");
const { quantitiesOf } = await load("graph/quantity");

test("CSV has the texts that were written", () => {
  const layers = (text) => parseCsv(text, ["layer"]).map(({ layer }) => layer);
  const names = {
    plain: "plain",
    '"a,b"': "a,b",
    '"say ""hi"""': 'say "hi"',
    '"two\nlines"': "two\nlines",
    '"two\r\nlines, and ""more"""': 'two\r\nlines, and "more"',
    "'=1+1": "=1+1",
    "\"'-a,b\"": "-a,b",
    "' =1": " =1",
    "\"' \t\r\n@a\"": " \t\r\n@a",
    "'\tplain": "'\tplain",
    "'quoted'": "'quoted'",
    "": "",
  };
  const lines = Object.keys(names).map((field) => `${field},7\n`);
  assert.deepEqual(layers(`layer,cycles\n${lines.join("")}`), Object.values(names));
  assert.deepEqual(layers(`layer,cycles\n${lines.join("").trimEnd()}`), Object.values(names));
});

test("CSV has the numbers that were written", () => {
  const rows = parseCsv("layer,cycles,used\r\n,-3,0.5\r\n\r\n\"a\n\",4,1\r\n", ["layer"]);
  assert.deepEqual(rows, [
    { layer: "", cycles: -3, used: 0.5 },
    { layer: "a\n", cycles: 4, used: 1 },
  ]);
  assert.deepEqual(parseCsv("", ["layer"]), []);
});

test("names that look like infinities stay names", () => {
  const text = JSON.stringify({
    odd_samples: [{ sample: "nan", of: "inf", tensors: 1 }],
    networks: [{ network: "-inf", value: "inf" }],
    rules: [{ subject: "inf", cosine: "nan" }],
  });
  assert.deepEqual(parseJson(text), {
    odd_samples: [{ sample: "nan", of: "inf", tensors: 1 }],
    networks: [{ network: "-inf", value: Infinity }],
    rules: [{ subject: "inf", cosine: NaN }],
  });
});

test("a file that can't be read leaves the others", () => {
  const known = { name: "quant/calibration.json", reason: "is cut off" };
  const build = buildOf(
    new Map([
      ["report.json", JSON.stringify({ model: "digits.onnx", unreadable: [known] })],
      ["quant/weights_summary.json", ""],
      ["tuning/history.jsonl", '{"number": 0}\n{"number":'],
      ["compiler/lowering.json", new Error("incorrect header check")],
      ["compiler/op_profile.csv", "layer,cycles\nconv,7\n"],
    ]),
  );
  assert.equal(build.report.model, "digits.onnx");
  assert.deepEqual(build.profile, [{ layer: "conv", cycles: 7 }]);
  assert.equal(build.tuningHistory, undefined);
  assert.deepEqual(build.unreadable[0], known);
  assert.deepEqual(
    build.unreadable.slice(1).map(({ name }) => name),
    ["compiler/lowering.json", "quant/weights_summary.json", "tuning/history.jsonl"],
  );
  for (const { reason } of build.unreadable) assert(reason.length > 5, reason);
});

test("a page knows its folder by any name", () => {
  for (const name of ["out", "run #3", "what?", "100%", "100%zz", "50%25", "größer", "a&b c"]) {
    const address = pathToFileURL(`/tmp/${name}/report.html`).href;
    assert(liesIn(`${address}#layer?layer=x`, `output/${name}`), name);
    assert(liesIn(address, `/home/me/${name}/`), name);
    assert(!liesIn(address, "/tmp/other"), name);
  }
  // As a browser that was given a path has it.
  assert(liesIn("file:///tmp/100%/report.html", "100%"));
  assert(!liesIn("https://example.org/out/report.html", "out"));
  assert(!liesIn("data:text/html;base64,PGh0bWw+", ""));
});

/// A build with an analysis of these fields, and with other files.
const analyzedBuild = (analysis, files = {}) =>
  buildOf(
    new Map([
      [
        "quant/debug/precision_analysis_table.json",
        JSON.stringify({
          tables: [{ method: "EndToEnd", mode: "Reference", rows: [] }],
          inputs: [],
          ...Object.fromEntries(
            ["histograms", "suggestions", "differences", "outliers", "diagnoses", "weights"].map(
              (name) => [name, []],
            ),
          ),
          ...analysis,
        }),
      ],
      ...Object.entries(files),
    ]),
  );
const inputRow = (name) => ({ tensor: name, operator: name, type: "Input", inputs: [] });

test("an analysis without what layers need leaves the other files", () => {
  const accuracy = JSON.stringify({ samples: 7 });
  for (const analysis of [
    { inputs: undefined },
    { inputs: [inputRow("x")], histograms: undefined },
    { inputs: [inputRow("x")], suggestions: [{ rule: "widen" }] },
    { inputs: [null] },
  ]) {
    const build = analyzedBuild(analysis, { "evaluation/accuracy.json": accuracy });
    assert.deepEqual(
      build.unreadable.map(({ name }) => name),
      ["quant/debug/precision_analysis_table.json"],
    );
    assert.equal(build.analysis, undefined);
    assert.deepEqual([build.layers, build.tables], [[], []]);
    assert.deepEqual([build.byTensor.size, build.byOperator.size], [0, 0]);
    assert.equal(build.accuracy.samples, 7);
  }
  const empty = buildOf(new Map([["quant/debug/precision_analysis_table.json", "null"]]));
  assert.deepEqual([empty.analysis, empty.unreadable.length], [undefined, 1]);
});

test("layers find their cycles by names that no CSV file may hold", () => {
  const names = ["plain", "\u202egnp.\u2067right to left", "red\x1b[0m", "two\nlines", "👩‍👩‍👧"];
  const written = ["plain", "\ufffdgnp.\ufffdright to left", "red\ufffd[0m", '"two\nlines"', "👩‍👩‍👧"];
  const { layers, profile } = analyzedBuild(
    { inputs: names.map(inputRow) },
    {
      "compiler/op_profile.csv": `layer,cycles\n${written
        .map((name, i) => `${name},${i + 1}\n`)
        .join("")}x_U8,9\n`,
    },
  );
  assert.deepEqual(
    layers.map((layer) => layer.profile.map(({ cycles }) => cycles)),
    [[1], [2], [3], [4], [5]],
  );
  assert.deepEqual(profile.map(({ layer }) => layer), [...names, "x_U8"]);
});

test("the other build answers as float only where it surely does", () => {
  const build = (accuracy, model = "digits.onnx") => ({
    report: { model },
    accuracy: {
      samples: 10,
      networks: [{ network: "float" }, { network: "NPU" }],
      changed_count: 1,
      changed: [{ sample: "a", before: "1", after: "2" }],
      ...accuracy,
    },
  });
  const answers = (other) => {
    const answer = otherAnswers({ main: build({}), other });
    return ["a", "b"].map((sample) => answer({ sample, before: "5", after: "6" }));
  };
  assert.deepEqual(answers(build({})), ["2", "5"]);
  assert.deepEqual(answers(build({ samples: 9 })), ["2", undefined]);
  assert.deepEqual(answers(build({ changed_count: 2 })), ["2", undefined]);
  assert.deepEqual(answers(build({}, "faces.onnx")), ["2", undefined]);
  const alone = { networks: [{ network: "float" }], changed_count: 0, changed: [] };
  assert.deepEqual(answers(build(alone)), [undefined, undefined]);
  assert.deepEqual(answers({ report: { model: "digits.onnx" } }), [undefined, undefined]);
  assert.deepEqual(answers(undefined), [undefined, undefined]);
});

test("parts that are not the loss are not shown", () => {
  const buildWith = (closes) =>
    analyzedBuild({
      inputs: [inputRow("x")],
      attribution: { measured: 0.25, closes, rows: [{ tensor: "x", alone: 1 }] },
    });
  const open = buildWith(false);
  assert.equal(open.layers[0].attribution, undefined);
  assert.equal(sharesOf(open), undefined);
  assert.match(whyNoShares(open), /^The loss of 0.25 could not be shared out/);
  for (const closed of [buildWith(true), buildWith(undefined)]) {
    assert.equal(closed.layers[0].attribution.alone, 1);
    assert.equal(sharesOf(closed).measured, 0.25);
    assert.equal(whyNoShares(closed), undefined);
  }
});

test("float and quantized values are counted in the same bins", () => {
  const values = { start: -0.75, width: 0.25, counts: [1, 2, 3, 4, 5] };
  const quantized = { start: -0.5, width: 0.5, counts: [6, 7, 8] };
  assert.deepEqual(sharedBins({ values, quantized }), {
    start: -1,
    width: 0.5,
    floats: [1, 5, 9, 0],
    quantized: [0, 6, 7, 8],
  });
  assert.deepEqual(sharedBins({ values }).floats, values.counts);
  assert.deepEqual(sharedBins({ values: { start: 0, width: 1, counts: [] } }).floats, []);
});

test("single values at different places share few bins", () => {
  const oneBin = (start, width, count = 9) => ({ start, width, counts: [count] });
  const sum = (counts) => counts.reduce((all, count) => all + count, 0);
  for (const [values, quantized] of [
    [oneBin(1, 2 ** -24), oneBin(0.75, 2 ** -25)],
    [oneBin(0, 2 ** -149), oneBin(0.5, 2 ** -25)],
    [oneBin(-1e38, 2 ** 102), oneBin(0, 2 ** -149)],
  ]) {
    const { start, width, floats, quantized: codes } = sharedBins({ values, quantized });
    assert.equal(floats.length, codes.length);
    assert(floats.length > 128 && floats.length <= 256, `${floats.length}`);
    assert(Number.isInteger(Math.log2(width)), `${width}`);
    for (const [bins, counts] of [[values, floats], [quantized, codes]]) {
      assert.equal(sum(counts), 9);
      const left = start + counts.indexOf(9) * width;
      assert(left <= bins.start && bins.start < left + width, `${left}`);
    }
  }
});

test("zeros, and bins at no place, give bins that are finite", () => {
  const zeros = { start: 0, width: 2 ** -149, counts: [5] };
  const both = { start: 0, width: 2 ** -149, floats: [5], quantized: [5] };
  assert.deepEqual(sharedBins({ values: zeros, quantized: zeros }), both);
  const none = { start: 0, width: 1, floats: [], quantized: [] };
  for (const odd of [
    { start: Infinity, width: 1, counts: [1] },
    { start: NaN, width: 1, counts: [1] },
    { start: 0, width: 0, counts: [1, 2] },
    { start: 0, width: Infinity, counts: [1] },
    { start: 7, width: 1, counts: [] },
  ]) {
    assert.deepEqual(sharedBins({ values: odd, quantized: odd }), none);
    assert.deepEqual(sharedBins({ values: zeros, quantized: odd }), { ...both, quantized: [0] });
  }
  // The quotient is too large for a number.
  const far = { start: 2 ** 1000, width: 2 ** -149, counts: [1] };
  assert.equal(sharedBins({ values: zeros, quantized: far }).floats[0], 5);
});

test("steps are those of codes in sight", () => {
  const codes = weightCodes({ clip: [-1.27, 1.27] }, "S8");
  assert.deepEqual([codes.low, codes.high, codes.zero_point], [-127, 127, 0]);
  assert.deepEqual(
    stepsWithin(codes, -0.021, 0.011).map((value) => Math.round(value * 1e4) / 1e4),
    [-0.02, -0.01, 0, 0.01],
  );
  assert.equal(stepsWithin({ scale: 1, zero_point: 3, low: 0, high: 255 }, -50, 2).length, 6);
  // Biases have billions of codes.
  assert.equal(stepsWithin(weightCodes({ clip: [-2e5, 2e5] }, "S32"), 0, 1e-3).length, 11);
  assert.equal(weightCodes({ clip: [-1, 1] }, "FP32"), undefined);
  assert.equal(weightCodes({}, "S8"), undefined);
});

test("the weakest channels decide of an output", () => {
  const row = (tensor, similarity, groups, is_output = true) => ({
    ...inputRow(tensor), similarity, groups, is_output,
  });
  const group = (cosine, is_constant = false) => ({ cosine, is_constant });
  const boxes = row("boxes", 0.999, [group(0.9996), group(0.75), group(0.1, true)]);
  const scores = row("scores", 0.875, []);
  assert.equal(decidingCosine(boxes), 0.75);
  assert.equal(decidingCosine(scores), 0.875);
  const rows = [boxes, scores, row("inner", 0.1, [], false)];
  const table = (method) => ({ method, mode: "NPUBackend", rows });
  assert.equal(lossOfOutputs(analyzedBuild({ tables: [table("EndToEnd")] })), (0.25 + 0.125) / 2);
  // Errors of layers by themselves say nothing of outputs.
  assert.equal(lossOfOutputs(analyzedBuild({ tables: [table("PerLayer")] })), undefined);
});

test("bars begin at zero", () => {
  assert.deepEqual(barRange(2), [0, 2.2]);
  assert.deepEqual(barRange(0), [0, 1]);
  assert.deepEqual(barRange(null), [0, 1]);
});

test("cosines close to one are told apart", () => {
  const main = analyzedBuild({ inputs: [inputRow("x")] });
  const { format } = quantitiesOf({ main }).find(({ id }) => id === "cosine");
  assert.deepEqual(
    [0.9, 0.999, 1 - 2.3e-7, 1 - 2 ** -46, 1].map(format),
    ["0.90000", "0.99900", "1 − 2e−7", "1 − 1e−14", "1"],
  );
});
