//===- statistics.ts - How well two lists of numbers agree ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pearson's and Spearman's correlation, of predictions and measurements.
//===----------------------------------------------------------------------===//

type Pairs = readonly (readonly [number, number])[];

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/// Pearson's correlation; NaN if one side does not vary.
export function correlation(pairs: Pairs): number {
  const meanX = meanOf(pairs.map(([x]) => x));
  const meanY = meanOf(pairs.map(([, y]) => y));
  let [xy, xx, yy] = [0, 0, 0];
  for (const [x, y] of pairs) {
    xy += (x - meanX) * (y - meanY);
    xx += (x - meanX) ** 2;
    yy += (y - meanY) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/// Equal values have the mean of their ranks.
function ranksOf(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map(
    (value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2,
  );
}

/// Spearman's correlation.
export function rankCorrelation(pairs: Pairs): number {
  const x = ranksOf(pairs.map((pair) => pair[0]));
  const y = ranksOf(pairs.map((pair) => pair[1]));
  return correlation(x.map((rank, i) => [rank, y[i] ?? 0] as const));
}
