//===- differences.ts - What classes of differing bits mean ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The table of docs/precision-analysis.md. A class that this page does not know
// counts as a fault: it is better to look once too often.
//===----------------------------------------------------------------------===//

export interface DifferenceMeaning {
  meaning: string;
  isFault: boolean;
}

const allowed: Readonly<Record<string, string>> = {
  RoundingTie:
    "One code apart, where the exact result lies halfway between two codes, closer than multipliers or floats can resolve.",
  ReferenceSum:
    "The NPU is right; the floats of Reference can't represent the sum.",
  ReferenceNotFinite:
    "The NPU is right, or nothing is; the floats of Reference are NaN or infinite.",
  TableInterpolation:
    "A 16-bit function between the entries of its table, within its bound.",
  Approximation:
    "An integer algorithm, as of softmax and layer normalization, within its bound.",
};

const faults: Readonly<Record<string, string>> = {
  Rounding: "The NPU has a code next to the exact result, but not the nearest.",
  Saturation: "One side saturates, the other does not.",
  ScaleOrZeroPoint:
    "Nearly all codes differ by the same offset or the same factor.",
  Accumulator:
    "A sum is wrong and shows no other pattern: overflow, or multipliers of other channels.",
  TableEntries: "A table has other values than its function.",
  Layout: "The same codes in another order.",
};

export function differenceOf(id: string): DifferenceMeaning {
  const meaning = allowed[id];
  if (meaning !== undefined) return { meaning, isFault: false };
  return { meaning: faults[id] ?? "", isFault: true };
}
