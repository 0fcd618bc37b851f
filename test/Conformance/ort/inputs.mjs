//===- inputs.mjs - Deterministic model inputs ----------------------------===//
// Part of Parallax, under the Apache License 2.0. SPDX-License-Identifier: Apache-2.0
//
// Both sides of a comparison must see the same bytes, on every machine and in
// every run. White noise drives a trained network into saturation and hides
// errors, so float inputs are image-like: smooth fields with a few sharp
// edges, in the range that the model was trained on. Only + - * / are used,
// which IEEE arithmetic rounds the same everywhere.
//
// As a script: node inputs.mjs MODEL DIR   writes one .bin file per input.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const mask64 = (1n << 64n) - 1n;

/// The splitmix64 generator, seeded from a text by FNV-1a.
export class Random {
  constructor(text) {
    this.state = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(text))
      this.state = ((this.state ^ BigInt(byte)) * 0x100000001b3n) & mask64;
  }

  /// A double in [0, 1) from the upper 53 bits.
  next() {
    this.state = (this.state + 0x9e3779b97f4a7c15n) & mask64;
    let z = this.state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask64;
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
  }

  /// An integer in [low, high].
  integer(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }
}

const typedArrays = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
};

const elementCount = (shape) => shape.reduce((count, n) => count * n, 1);

/// Adds value noise: random heights on a coarse grid, smoothly interpolated.
function addNoise(plane, rows, cols, cell, amplitude, random) {
  const gridCols = Math.floor((cols - 1) / cell) + 2;
  const gridRows = Math.floor((rows - 1) / cell) + 2;
  const grid = Float64Array.from({ length: gridRows * gridCols }, () =>
    random.next(),
  );
  const ease = (t) => t * t * (3 - 2 * t);
  for (let r = 0; r < rows; ++r) {
    const top = Math.floor(r / cell) * gridCols;
    const v = ease((r % cell) / cell);
    for (let c = 0; c < cols; ++c) {
      const at = top + Math.floor(c / cell);
      const u = ease((c % cell) / cell);
      const along = (i) => grid[i] + (grid[i + 1] - grid[i]) * u;
      const upper = along(at);
      const lower = along(at + gridCols);
      plane[r * cols + c] += amplitude * (upper + (lower - upper) * v);
    }
  }
}

/// Adds a constant to a random rectangle: the sharp edge of an object.
function addRectangle(plane, rows, cols, random) {
  const top = random.integer(0, rows - 1);
  const left = random.integer(0, cols - 1);
  const bottom = random.integer(top, rows - 1);
  const right = random.integer(left, cols - 1);
  const height = random.next() - 0.5;
  for (let r = top; r <= bottom; ++r)
    for (let c = left; c <= right; ++c) plane[r * cols + c] += height;
}

/// The letters A B E H I L N O T in 5x7 dots, a row per five bits.
const letters = [
  0x3a31fc631n,
  0x7a31f463en,
  0x7e10f421fn,
  0x4631fc631n,
  0x38842108en,
  0x42108421fn,
  0x4735ad671n,
  0x3a318c62en,
  0x7c8421084n,
];

/// Darkens `plane` by lines of writing: a text network answers nothing but
/// zeros to a picture without any.
function addWriting(plane, rows, cols, random) {
  const dot = Math.max(1, Math.floor(Math.min(rows, 128) / 12));
  const [width, height] = [6 * dot, 7 * dot];
  for (let top = 2 * dot; top + height <= rows; top += height + 4 * dot)
    for (let left = 2 * dot; left + width <= cols; left += width) {
      const letter = letters[random.integer(0, letters.length - 1)];
      for (let r = 0; r < height; ++r)
        for (let c = 0; c < 5 * dot; ++c) {
          const bit = 34 - 5 * Math.floor(r / dot) - Math.floor(c / dot);
          if ((letter >> BigInt(bit)) & 1n)
            plane[(top + r) * cols + left + c] -= 4;
        }
    }
}

/// Image-like values that fill [low, high] exactly; the two innermost axes
/// longer than one are a plane. Planes differ, but show the same writing.
function imageLike({ shape, range: [low, high], writing }, random) {
  const axes = shape.filter((n) => n > 1);
  const cols = axes.at(-1) ?? 1;
  const rows = axes.at(-2) ?? 1;
  const ink = new Float64Array(rows * cols);
  if (writing) addWriting(ink, rows, cols, random);
  const values = new Float64Array(elementCount(shape));
  for (let at = 0; at < values.length; at += ink.length) {
    const plane = values.subarray(at, at + ink.length);
    plane.set(ink);
    for (const [cell, amplitude] of [
      [64, 1],
      [16, 0.5],
      [4, 0.25],
      [1, 0.05],
    ])
      addNoise(plane, rows, cols, cell, amplitude, random);
    for (let i = 0; i < 6; ++i) addRectangle(plane, rows, cols, random);
  }
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const scale = (high - low) / (max - min || 1);
  return values.map((value) => low + (value - min) * scale);
}

/// The values of one input: a constant, a mask that shows as many of the first
/// elements as a range says, image-like floats, or integers (token ids) in a
/// range with an optional first and last one.
function makeValues(spec, random) {
  const count = elementCount(spec.shape);
  if (spec.value !== undefined) return new Float64Array(count).fill(spec.value);
  if (spec.shown) {
    const shown = random.integer(...spec.shown);
    return Float64Array.from({ length: count }, (_, i) => Number(i < shown));
  }
  if (spec.dtype.startsWith("float")) return imageLike(spec, random);
  const values = Float64Array.from({ length: count }, () =>
    random.integer(...spec.range),
  );
  if (spec.first !== undefined) values[0] = spec.first;
  if (spec.last !== undefined) values[count - 1] = spec.last;
  return values;
}

/// All inputs of a models.json entry as { name, dtype, shape, data }.
export function makeInputs(model) {
  return Object.entries(model.inputs).map(([name, spec]) => {
    const values = makeValues(
      spec,
      new Random(`${model.name}/${name}/${spec.seed ?? 0}`),
    );
    const Typed = typedArrays[spec.dtype];
    const data =
      Typed === BigInt64Array
        ? BigInt64Array.from(values, (value) => BigInt(value))
        : Typed.from(values);
    return { name, dtype: spec.dtype, shape: spec.shape, data };
  });
}

/// The file that holds the tensor `name`, for inputs and outputs alike.
export const tensorFile = (dir, name) =>
  join(dir, `${name.replace(/[^a-zA-Z0-9_-]/g, "_")}.bin`);

/// The little-endian bytes of a typed array (every platform that ONNX Runtime
/// supports is little-endian).
export const rawBytes = (data) =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength);

/// Writes the inputs that `model` doesn't bake as raw files into `dir`.
export function writeInputs(model, dir) {
  mkdirSync(dir, { recursive: true });
  for (const { name, data } of makeInputs(model))
    if (!model.bake?.includes(name))
      writeFileSync(tensorFile(dir, name), rawBytes(data));
}

/// The model with inputs that end in padding.
export const withPadding = (model) => ({
  ...model,
  label: `${model.name}, padded`,
  inputs: { ...model.inputs, ...model.padding },
});

/// The model with inputs of other values.
export const withSeed = (model, seed) => ({
  ...model,
  inputs: Object.fromEntries(
    Object.entries(model.inputs).map(([name, spec]) => [
      name,
      { ...spec, seed: (spec.seed ?? 0) + seed },
    ]),
  ),
});

/// Writes samples for calibration, one folder per input, of which the first is
/// the model's own input; gives the `input_configs` that name them.
export function writeSamples(model, dir, count) {
  const folderOf = (name) => tensorFile(dir, name).replace(/\.bin$/, "");
  const names = Object.keys(model.inputs).filter(
    (name) => !model.bake?.includes(name),
  );
  for (const name of names) mkdirSync(folderOf(name), { recursive: true });
  for (let i = 0; i < count; ++i)
    for (const { name, data } of makeInputs(withSeed(model, i)))
      if (names.includes(name))
        writeFileSync(join(folderOf(name), `${i}.bin`), rawBytes(data));
  return names.map((name) => ({
    tensor_name: name,
    calibration_dataset: folderOf(name),
    calibration_format: "Binary",
    calibration_size: count,
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, dir] = process.argv.slice(2);
  const file = new URL("models.json", import.meta.url);
  const { models } = JSON.parse(readFileSync(file, "utf8"));
  const model = models.find((model) => model.name === name);
  if (!model || !dir) {
    console.error("usage: node inputs.mjs MODEL DIR (MODEL as in models.json)");
    process.exit(2);
  }
  writeInputs(model, dir);
}
