//===- patch.ts - A suggestion as a piece of configuration ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Edits name fields by paths, "quant.layer_configs"; people paste nested
// objects.
//===----------------------------------------------------------------------===//
import type { JsonObject, Suggestion } from "../types";

/// Entries that are to be appended to a list are a list of their own here.
export function patchOf(suggestion: Suggestion): JsonObject {
  const patch: JsonObject = {};
  for (const edit of suggestion.edits) {
    const path = edit.field.split(".");
    const last = path.pop()!;
    let place = patch;
    for (const name of path) place = (place[name] ??= {}) as JsonObject;
    if (!edit.appends) place[last] = edit.value;
    else ((place[last] ??= []), place[last] as unknown[]).push(edit.value);
  }
  return patch;
}

export function patchText(suggestion: Suggestion): string {
  return JSON.stringify(patchOf(suggestion), null, 2);
}
