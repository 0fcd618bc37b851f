//===- json.ts - Reads the files of a build -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// JSON has no infinities, so the tool writes the strings "inf", "-inf" and
// "nan". They become numbers, but not where a name is expected: a tensor may
// be called "inf".
//===----------------------------------------------------------------------===//

const special: ReadonlyMap<string, number> = new Map([
  ["inf", Infinity],
  ["-inf", -Infinity],
  ["nan", NaN],
]);

/// Fields, or lists, of text.
const textFields: ReadonlySet<string> = new Set([
  "operator",
  "tensor",
  "type",
  "layer",
  "layers",
  "node",
  "network",
  "of",
  "subject",
  "output",
  "inputs",
  "unmatched",
  "approximated",
  "unexamined",
  "sample",
  "sample_names",
  "sample_source",
  "class",
  "classes",
  "layer_names",
  "tensor_name",
  "title",
  "facts",
  "reason",
  "operands",
  "name",
  "min_sample",
  "max_sample",
  "expected",
  "before",
  "after",
  "folder",
  "model",
  "command",
]);

function replaceSpecials(value: unknown): unknown {
  if (typeof value === "string") return special.get(value) ?? value;
  if (Array.isArray(value)) return value.map(replaceSpecials);
  if (value === null || typeof value !== "object") return value;
  const object = value as Record<string, unknown>;
  for (const [key, field] of Object.entries(object)) {
    const isText =
      textFields.has(key) &&
      (typeof field === "string" ||
        (Array.isArray(field) && typeof field[0] === "string"));
    if (!isText) object[key] = replaceSpecials(field);
  }
  return object;
}

export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return /"(-?inf|nan)"/.test(text) ? replaceSpecials(value) : value;
}

export function parseJsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseJson);
}

/// The rows of RFC 4180: a field in quotes may contain commas, line feeds and,
/// doubled, quotes. Empty lines are no rows.
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const parts = /(?:"([^"]*(?:""[^"]*)*)"|([^,\r\n]*))(,|\r?\n|$)/g;
  for (const [, quoted, plain, end] of text.matchAll(parts)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

/// SafeText.cpp puts an apostrophe before what a spreadsheet would take for a
/// formula, also after white space.
const withoutGuard = (text: string) =>
  text.replace(/^'(?=[ \t\r\n]*[=+\-@])/, "");

/// Lines as objects with the fields of the first line; `texts` stay strings.
export function parseCsv<T>(text: string, texts: readonly string[]): T[] {
  const [head = [], ...rows] = rowsOf(text);
  return rows.map(
    (fields) =>
      Object.fromEntries(
        head.map((name, i) => {
          const field = fields[i] ?? "";
          return [
            name,
            texts.includes(name) ? withoutGuard(field) : Number(field),
          ];
        }),
      ) as T,
  );
}
