//===- format.ts - Numbers and names as text ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The one place that decides how many digits a reader sees. The full value is
// in a title, see Value.tsx.
//===----------------------------------------------------------------------===//

export const minus = "−";
export const none = "–";

/// How a number is written.
export type Kind =
  "general" | "cosine" | "integer" | "percent" | "decibel" | "metric" | "bytes";

const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function generalText(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(4)));
  return value
    .toExponential(2)
    .replace(/e([+-])(\d+)/, (_, sign: string, digits: string) => {
      return `e${sign === "-" ? "-" : ""}${digits}`;
    });
}

/// Only what is equal is shown as 1.
function cosineText(value: number): string {
  if (value === 1) return "1";
  return (value < 1 ? Math.min(value, 0.99999) : value).toFixed(5);
}

function bytesText(value: number): string {
  if (value < 1024) return `${integers.format(value)} B`;
  if (value < 1024 ** 2) return `${(value / 1024).toFixed(1)} KiB`;
  return `${(value / 1024 ** 2).toFixed(2)} MiB`;
}

function finiteText(value: number, kind: Kind): string {
  switch (kind) {
    case "cosine":
      return cosineText(value);
    case "integer":
      return integers.format(value);
    case "percent":
      return `${(value * 100).toFixed(Math.abs(value) < 0.1 ? 2 : 1)} %`;
    case "decibel":
      return value.toFixed(1);
    case "metric":
      return value.toFixed(4);
    case "bytes":
      return bytesText(value);
    case "general":
      return generalText(value);
  }
}

export type Maybe<T> = T | null | undefined;

export function numberText(value: Maybe<number>, kind: Kind = "general") {
  if (value === null || value === undefined) return none;
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${minus}∞`;
  return finiteText(value, kind).replaceAll("-", minus);
}

/// A difference, with the symbols that replace color: ▲ more, ▼ less.
export function changeText(value: Maybe<number>, kind: Kind = "general") {
  if (value === null || value === undefined || Number.isNaN(value)) return none;
  if (value === 0) return "=";
  const size = numberText(Math.abs(value), kind);
  return value > 0 ? `▲ +${size}` : `▼ ${minus}${size}`;
}

/// All digits, for titles.
export function fullText(value: Maybe<number>): string {
  return value === null || value === undefined ? "" : String(value);
}

/// Keeps the beginning and the end of a name: both tell layers of a network
/// apart, "layer.3/…/MatMul".
export function shortText(text: string, most: number): string {
  const characters = [...text.slice(0, 8192)];
  if (text.length <= most || characters.length <= most) return text;
  const head = Math.floor((most - 1) / 2);
  const tail = [...text.slice(-4 * most)].slice(-(most - 1 - head));
  return `${characters.slice(0, head).join("")}…${tail.join("")}`;
}

/// A shortened name inside of a sentence that is one string, such as a label:
/// the marks isolate its direction, as <bdi> does.
export function inlineName(name: string, most = 64): string {
  return `\u2068${shortText(name, most)}\u2069`;
}

/// Time, in the unit that gives few zeros.
export function timeText(seconds: number): string {
  if (seconds < 1e-3) return `${numberText(seconds * 1e6)} µs`;
  return seconds < 1
    ? `${numberText(seconds * 1e3)} ms`
    : `${numberText(seconds)} s`;
}

export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? "scalar" : shape.join("×");
}

export function rangeText(range: readonly [number, number]): string {
  return `${numberText(range[0])} … ${numberText(range[1])}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count, "integer")} ${count === 1 ? one : many}`;
}
