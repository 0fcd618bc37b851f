//===- palette.ts - Colors of the graph ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One sequential scale for each theme, from the background to a strong color.
// Its steps differ in lightness, so it reads the same without color vision.
//===----------------------------------------------------------------------===//

type Rgb = readonly [number, number, number];

const lightStops: readonly Rgb[] = [
  [255, 250, 235],
  [254, 227, 170],
  [254, 188, 95],
  [240, 138, 45],
  [196, 82, 20],
  [122, 40, 8],
];

const darkStops: readonly Rgb[] = [
  [38, 42, 50],
  [70, 56, 44],
  [118, 76, 36],
  [178, 104, 32],
  [236, 150, 52],
  [255, 214, 122],
];

export interface Paint {
  fill: string;
  /// The color of text on it.
  ink: string;
}

function luminance([r, g, b]: Rgb): number {
  const linear = (part: number) => (part / 255) ** 2.2;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

const css = (rgb: Rgb) => `rgb(${rgb.map(Math.round).join(" ")})`;

/// The color for an emphasis from 0 to 1.
export function paintOf(emphasis: number, isDark: boolean): Paint {
  const stops = isDark ? darkStops : lightStops;
  const place = emphasis * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  const low = stops[index] ?? [0, 0, 0];
  const high = stops[index + 1] ?? low;
  const part = place - index;
  const mix = (i: 0 | 1 | 2) => low[i] + (high[i] - low[i]) * part;
  const rgb: Rgb = [mix(0), mix(1), mix(2)];
  // Where black and white have the same contrast.
  return { fill: css(rgb), ink: luminance(rgb) > 0.18 ? "#111" : "#fff" };
}

/// The scale as a CSS gradient, for the legend.
export function gradientOf(isDark: boolean): string {
  const stops = (isDark ? darkStops : lightStops).map(css);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
