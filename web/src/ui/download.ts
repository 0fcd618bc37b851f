//===- download.ts - Saves a table as CSV ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Spreadsheets execute texts that begin with = + - @, and names come from
// models: such texts get an apostrophe in front. Infinities are inf and -inf,
// as in the files of the tool.
//===----------------------------------------------------------------------===//

export type Field = string | number | null | undefined;

function csvField(field: Field): string {
  if (field === null || field === undefined) return "";
  if (typeof field === "number")
    return Number.isNaN(field)
      ? "nan"
      : String(field).replace("Infinity", "inf");
  const text = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvText(lines: readonly (readonly Field[])[]): string {
  return lines.map((line) => line.map(csvField).join(",") + "\r\n").join("");
}

export function download(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
