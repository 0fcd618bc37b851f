//===- outputs.mjs - Outputs against ONNX Runtime's -----------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// One comparison for all peer checks, in double precision and with no code
// shared with the tool.

import * as fs from "node:fs";

export const fail = (verdict) => ({ verdict: `FAILED: ${verdict}` });

/// Compares two float arrays. An output without any range (one element, or a
/// constant) is measured against its magnitude.
function compareFloats(actual, expected, { minCosine, maxErrorOfRange }) {
  let [dot, actualSquares, expectedSquares] = [0, 0, 0];
  let [min, max, error] = [Infinity, -Infinity, 0];
  for (let i = 0; i < expected.length; ++i) {
    const [a, e] = [actual[i], expected[i]];
    if (!Number.isFinite(e)) return fail(`ONNX Runtime gave ${e} at ${i}`);
    if (!Number.isFinite(a)) return fail(`${a} at element ${i}`);
    dot += a * e;
    actualSquares += a * a;
    expectedSquares += e * e;
    min = Math.min(min, e);
    max = Math.max(max, e);
    error = Math.max(error, Math.abs(a - e));
  }
  const zeros = actualSquares === 0 && expectedSquares === 0;
  const norm = Math.sqrt(actualSquares) * Math.sqrt(expectedSquares);
  const cosine = zeros ? 1 : norm && dot / norm;
  const range = max - min || Math.abs(max);
  const relative = error === 0 ? 0 : error / range;
  const ok = cosine >= minCosine && relative <= maxErrorOfRange;
  return {
    cosine: cosine.toFixed(8),
    error: relative.toExponential(2),
    verdict: ok ? "ok" : "FAILED",
  };
}

function compareIntegers(actual, expected) {
  const wrong = expected.findIndex((value, i) => value !== actual[i]);
  return wrong < 0
    ? { error: "0", verdict: "ok" }
    : fail(`${actual[wrong]} for ${expected[wrong]} at element ${wrong}`);
}

/// Compares raw bytes with a tensor of ONNX Runtime's.
export function compareBytes(bytes, expected, limits) {
  const data = expected.data;
  if (bytes.length !== data.byteLength)
    return fail(`${bytes.length} bytes for ${data.byteLength}`);
  const actual = new data.constructor(new Uint8Array(bytes).buffer);
  return /^float(32|64)$/.test(expected.type)
    ? compareFloats(actual, data, limits)
    : compareIntegers(actual, data);
}

/// Compares the file that our side wrote for an output with ONNX Runtime's.
export function compareOutput(file, expected, limits) {
  if (!fs.existsSync(file)) return fail(`${file} was not written`);
  return compareBytes(fs.readFileSync(file), expected, limits);
}
