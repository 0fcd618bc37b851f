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
  "output",
  "inputs",
  "unmatched",
  "approximated",
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

/// Splits one line of CSV; fields in quotes may contain commas and, doubled,
/// quotes.
function splitCsvLine(line: string): string[] {
  const fields: string[] = [];
  for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
  return fields;
}

/// Lines as objects with the fields of the first line; `texts` stay strings.
export function parseCsv<T>(text: string, texts: readonly string[]): T[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  const head = splitCsvLine(lines[0] ?? "");
  return lines.slice(1).map((line) => {
    const fields = splitCsvLine(line);
    return Object.fromEntries(
      head.map((name, i) => {
        const field = fields[i] ?? "";
        return [name, texts.includes(name) ? field : Number(field)];
      }),
    ) as T;
  });
}
