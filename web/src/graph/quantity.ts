//===- quantity.ts - What the colors of the graph say --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A quantity has a value for each node, and an emphasis from 0 to 1: the worse,
// slower or wider, the stronger the color. Losses and cycles span orders of
// magnitude, so their scales are logarithmic.
//===----------------------------------------------------------------------===//
import { changeOf } from "../changes";
import { lossAlone, sharesOf } from "../data";
import type { Build, Data, Layer } from "../data";
import type { TableKey } from "../types";
import { changeText, minus, numberText } from "../ui/format";
import type { Kind, Maybe } from "../ui/format";
import type { GraphNode } from "./network";

export interface Quantity {
  id: string;
  title: string;
  isPerTable: boolean;
  isAvailable: (build: Build) => boolean;
  /// Undefined where it is unknown.
  valueOf: (
    node: GraphNode,
    build: Build,
    table?: TableKey,
  ) => number | undefined;
  /// What a tick of the scale says, if that is not a value of a node.
  tickText?: (value: number) => string;
  /// Grows with the emphasis; and back.
  toScale: (value: number) => number;
  fromScale: (position: number) => number;
  /// Positions further below the largest one all look the same.
  span: number;
  format: (value: number) => string;
}

const log = (value: number) => Math.log10(Math.max(value, 1e-30));
const power = (position: number) => 10 ** position;

const known = (values: (number | null | undefined)[]) =>
  values.filter((value): value is number => typeof value === "number");

const sumOf = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0);

function largest(values: (number | null | undefined)[]): number | undefined {
  const list = known(values).filter((value) => !Number.isNaN(value));
  return list.length > 0 ? Math.max(...list) : undefined;
}

function smallest(values: (number | null | undefined)[]): number | undefined {
  const negative = largest(known(values).map((value) => -value));
  return negative === undefined ? undefined : -negative;
}

function bitsOf(type: string): number | undefined {
  const digits = /\d+$/.exec(type);
  return digits ? Number(digits[0]) : undefined;
}

function shareText(share: number): string {
  if (share === 0) return "0 %";
  if (share > 0 && share < 1e-4) return "< 0.01 %";
  return numberText(share, "percent");
}

/// Five digits don't tell those apart that are close to 1.
function cosineText(value: number): string {
  const lost = 1 - value;
  return lost > 0 && lost < 1e-5
    ? `1 − ${lost.toExponential(0).replace("-", minus)}`
    : numberText(value, "cosine");
}

const quantities: readonly Quantity[] = [
  {
    id: "loss",
    title: "Share of loss, alone",
    isPerTable: false,
    isAvailable: (build) =>
      sharesOf(build)?.rows.some((row) => row.alone > 0) ?? false,
    valueOf: (node, build) => {
      const all = lossAlone(build);
      const parts = known(node.layers.map((l) => l.attribution?.alone));
      return parts.length > 0 && all > 0 ? sumOf(parts) / all : undefined;
    },
    toScale: log,
    fromScale: power,
    span: 4,
    format: shareText,
  },
  {
    id: "cosine",
    title: "Cosine",
    isPerTable: true,
    isAvailable: (build) => build.tables.length > 0,
    valueOf: (node, _, table) =>
      table && smallest(node.layers.map((l) => l.rows[table]?.cosine)),
    toScale: (value) => log(1 - value),
    fromScale: (position) => 1 - power(position),
    span: 6,
    format: cosineText,
  },
  {
    id: "sqnr",
    title: "SQNR [dB]",
    isPerTable: true,
    isAvailable: (build) => build.tables.length > 0,
    valueOf: (node, _, table) =>
      table && smallest(node.layers.map((l) => l.rows[table]?.sqnr_db)),
    toScale: (value) => -value,
    fromScale: (position) => -position,
    span: 60,
    format: (value) => `${numberText(value, "decibel")} dB`,
  },
  {
    id: "cycles",
    title: "Cycles",
    isPerTable: false,
    isAvailable: (build) => build.layers.some((layer) => layer.cycles > 0),
    valueOf: (node) => largest(node.layers.map((layer) => layer.cycles)),
    toScale: log,
    fromScale: power,
    span: 3,
    format: (value) => `${numberText(value, "integer")} cycles`,
  },
  {
    id: "width",
    title: "Width",
    isPerTable: false,
    isAvailable: () => true,
    valueOf: (node) => bitsOf(node.qdtype),
    toScale: log,
    fromScale: power,
    span: Infinity,
    format: (value) => `${Math.round(value)} bits`,
  },
];

/// The more a number differs between two builds, the stronger the color; the
/// text says in which direction.
function changeQuantity(
  data: Data,
  id: string,
  kind: Kind,
  valueOf: (layer: Layer, table?: TableKey) => Maybe<number>,
  span: number,
): Quantity {
  return {
    id: `change of ${id}`,
    title: `Change of ${id}, second − first build`,
    isPerTable: id === "cosine",
    isAvailable: ({ layers }) => layers.some((l) => valueOf(l) !== undefined),
    valueOf: (node, _, table) => {
      const change = changeOf(data, (layer) => valueOf(layer, table));
      const [first, ...rest] = known(node.layers.map(change));
      return rest.reduce<number | undefined>(
        (most, next) =>
          Math.abs(next) > Math.abs(most ?? 0) ? next : most,
        first,
      );
    },
    toScale: (value) => log(Math.abs(value)),
    fromScale: power,
    span,
    format: (value) => changeText(value, kind),
    tickText: (size) => `± ${numberText(size, kind)}`,
  };
}

/// What the shown build can be colored by.
export function quantitiesOf(data: Data): Quantity[] {
  const changes = data.second
    ? [
        changeQuantity(data, "cosine", "general", (layer, table) => {
          const key = table ?? data.main.tables[0];
          return key && layer.rows[key]?.similarity;
        }, 6),
        changeQuantity(data, "cycles", "integer", (layer) => layer.cycles, 4),
        changeQuantity(data, "bits", "integer", (layer) => {
          return bitsOf(layer.qdtype);
        }, 2),
      ]
    : [];
  return [...quantities, ...changes].filter((quantity) =>
    quantity.isAvailable(data.main),
  );
}

/// The values of all nodes and how strongly each is shown.
export interface Scale {
  quantity: Quantity;
  values: (number | undefined)[];
  emphasis: (number | undefined)[];
  /// Values at the weak end, the middle and the strong end; the first is
  /// undefined if nothing is known.
  ticks: number[];
}

export function scaleOf(
  quantity: Quantity,
  nodes: readonly GraphNode[],
  build: Build,
  table?: TableKey,
): Scale {
  const values = nodes.map((node) => quantity.valueOf(node, build, table));
  const places = values.map((value) =>
    value === undefined ? undefined : quantity.toScale(value),
  );
  const finite = known(places).filter((place) => Number.isFinite(place));
  if (finite.length === 0)
    return { quantity, values, emphasis: values.map(() => undefined), ticks: [] };
  const top = Math.max(...finite);
  const bottom = Math.max(Math.min(...finite), top - quantity.span);
  const length = top - bottom || 1;
  const emphasis = places.map((place) =>
    place === undefined || Number.isNaN(place)
      ? undefined
      : Math.min(1, Math.max(0, (place - bottom) / length)),
  );
  const ends = top > bottom ? [bottom, (bottom + top) / 2, top] : [top];
  return { quantity, values, emphasis, ticks: ends.map(quantity.fromScale) };
}
