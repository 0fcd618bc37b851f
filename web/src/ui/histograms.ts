//===- histograms.ts - Two histograms on one axis -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts can only be compared in bins of one width. Widths are powers of two,
// so narrow bins are parts of wide ones.
//===----------------------------------------------------------------------===//
import type { Bins, Codes, Histogram } from "../types";

/// What float and quantized values have in the same bins.
export interface SharedBins {
  start: number;
  width: number;
  floats: number[];
  quantized?: number[];
}

/// Nobody can tell more of them apart.
const mostBins = 256;

/// Where the first and the last bin begin.
const endsOf = ({ start, width, counts }: Bins) => [
  start,
  start + (counts.length - 1) * width,
];

const hasPlace = (bins: Bins) =>
  bins.counts.length > 0 && bins.width > 0 && endsOf(bins).every(Number.isFinite);

export function sharedBins({ values, quantized }: Histogram): SharedBins {
  const all = (quantized ? [values, quantized] : [values]).filter(hasPlace);
  if (all.length === 0)
    return { start: 0, width: 1, floats: [], quantized: quantized && [] };
  const ends = all.flatMap(endsOf);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  let width = Math.max(...all.map((bins) => bins.width));
  const indexOf = (value: number) => Math.floor(value / width);
  // The bin of a single value is as narrow as floats allow, and another one may
  // be far away: even so far that its index is infinite at first.
  while (!(indexOf(high) - indexOf(low) < mostBins)) width *= 2;
  const first = indexOf(low);
  const countsOf = (bins: Bins) => {
    const counts = new Array<number>(indexOf(high) - first + 1).fill(0);
    if (!hasPlace(bins)) return counts;
    bins.counts.forEach((count, i) => {
      const place = indexOf(bins.start + i * bins.width) - first;
      counts[place] = (counts[place] ?? 0) + count;
    });
    return counts;
  };
  return {
    start: first * width,
    width,
    floats: countsOf(values),
    quantized: quantized && countsOf(quantized),
  };
}

/// The codes of weights, which are symmetric, from the outermost ones.
export function weightCodes(
  histogram: Histogram,
  qdtype: string | undefined,
): Codes | undefined {
  const bits = Number(/^S(\d+)$/.exec(qdtype ?? "")?.[1]);
  if (!histogram.clip || !(bits > 1)) return undefined;
  const high = 2 ** (bits - 1) - 1;
  const scale = histogram.clip[1] / high;
  return { scale, zero_point: 0, low: -high, high };
}

/// The values of codes between two values, in their order.
export function stepsWithin(codes: Codes, low: number, high: number): number[] {
  const { scale, zero_point: zero } = codes;
  const first = Math.max(codes.low, Math.ceil(low / scale + zero));
  const last = Math.min(codes.high, Math.floor(high / scale + zero));
  const steps = [];
  for (let code = first; code <= last; ++code) steps.push((code - zero) * scale);
  return steps;
}

/// The length of a bar says something only if it begins at zero. `highest` is
/// null where there are no numbers.
export function barRange(highest: number | null): [number, number] {
  return [0, highest !== null && highest > 0 ? 1.1 * highest : 1];
}
