//===- layerColumns.tsx - The columns of tables of layers -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What all tables of layers share: names, types and costs, and the columns of
// each method and mode.
//===----------------------------------------------------------------------===//
import { changeOf, sharedTable } from "../changes";
import type { Build, Data, Layer } from "../data";
import { mainTable, sharesOf } from "../data";
import type { Row, TableKey } from "../types";
import type { Kind, Maybe } from "../ui/format";
import { shapeText } from "../ui/format";
import type { Column } from "../ui/Table";
import { Change, LayerLink, Name, Value } from "../ui/Value";

export const operatorColumn: Column<Layer> = {
  id: "operator",
  title: "Layer",
  width: 330,
  value: (layer) => layer.operator,
  cell: (layer) => (
    <LayerLink tensor={layer.tensor} text={layer.operator} most={44} />
  ),
};

export const typeColumn: Column<Layer> = {
  id: "type",
  title: "Type",
  width: 150,
  value: (layer) => layer.type,
};

export const tensorColumn: Column<Layer> = {
  id: "tensor",
  title: "Tensor",
  width: 260,
  isHidden: true,
  value: (layer) => layer.tensor,
};

const placeColumns: readonly Column<Layer>[] = [
  {
    id: "index",
    title: "#",
    help: "Position in the network",
    kind: "integer",
    width: 52,
    value: (layer) => layer.index,
  },
  operatorColumn,
  typeColumn,
  tensorColumn,
  {
    id: "shape",
    title: "Shape",
    width: 130,
    value: (layer) => shapeText(layer.shape),
  },
  { id: "qdtype", title: "Codes", width: 64, value: (layer) => layer.qdtype },
];

/// The fields of a row that can be columns.
interface Field {
  id: string;
  title: string;
  help: string;
  kind: Kind;
  value: (row: Row) => number | null;
}

const fields: readonly Field[] = [
  {
    id: "similarity",
    title: "Cosine",
    help: "Between float and quantized values; of integers, the fraction that agrees",
    kind: "cosine",
    value: (row) => row.similarity,
  },
  {
    id: "sqnr",
    title: "SQNR",
    help: "Signal to quantization noise, in dB",
    kind: "decibel",
    value: (row) => row.sqnr_db,
  },
  {
    id: "mse",
    title: "MSE",
    help: "Mean squared error",
    kind: "general",
    value: (row) => row.mse,
  },
  {
    id: "max_steps",
    title: "Max steps",
    help: "The largest error, in steps of the codes",
    kind: "general",
    value: (row) => row.max_steps,
  },
  {
    id: "worst_sample",
    title: "Worst sample",
    help: "The lowest cosine of a sample",
    kind: "cosine",
    value: (row) => (row.worst_sample < 0 ? null : row.worst_sample_cosine),
  },
  {
    id: "worst_channel",
    title: "Worst channel",
    help: "The lowest cosine of a channel",
    kind: "cosine",
    value: (row) => (row.worst_channel < 0 ? null : row.worst_channel_cosine),
  },
  {
    id: "saturated",
    title: "Saturated",
    help: "The fraction of values beyond the outermost codes",
    kind: "percent",
    value: (row) => row.saturated,
  },
  {
    id: "dead",
    title: "Dead",
    help: "Channels that vary in float and have one single code",
    kind: "integer",
    value: (row) => row.dead_channels,
  },
];

const shortKey = (key: TableKey) =>
  key.replace("Reference", "Ref").replace("NPUBackend", "NPU");

/// A cosine below the threshold of its table is marked.
function cosineCell(value: number | null | undefined, least: number) {
  const isBelow = typeof value === "number" && value < least;
  return (
    <>
      {isBelow && (
        <strong class="worse" title={`below ${least}`}>
          !{" "}
        </strong>
      )}
      <Value of={value} kind="cosine" />
    </>
  );
}

function fieldColumn(
  build: Build,
  field: Field,
  key: TableKey,
  isHidden: boolean,
): Column<Layer> {
  const { layer: own, fall } = build.analysis!.thresholds;
  const least = key.startsWith("PerLayer") ? own : fall;
  const value = (layer: Layer) => {
    const row = layer.rows[key];
    return row && field.value(row);
  };
  return {
    id: `${key} ${field.id}`,
    title: field.title,
    source: shortKey(key),
    help: `${field.help} (${key})`,
    kind: field.kind,
    width: 112,
    isHidden,
    value,
    cell:
      field.id === "similarity"
        ? (layer) => cosineCell(value(layer), least)
        : undefined,
  };
}

/// NPUBackend - Reference of the cosine. Cosines of both modes are near each
/// other, so a column with the difference shows what two columns hide.
function modeColumn(method: "PerLayer" | "EndToEnd"): Column<Layer> {
  const reference: TableKey = `${method} Reference`;
  const machine: TableKey = `${method} NPUBackend`;
  const value = (layer: Layer) => {
    const [a, b] = [layer.rows[reference], layer.rows[machine]];
    return a && b ? b.similarity - a.similarity : null;
  };
  return {
    id: `${method} modes`,
    title: "NPU − Ref",
    source: method,
    help: `Cosine of NPUBackend minus that of Reference (${method})`,
    kind: "general",
    width: 112,
    isHidden: method === "PerLayer",
    value,
    cell: (layer) => <Change of={value(layer)} better="more" />,
  };
}

const shareColumns: readonly Column<Layer>[] = [
  {
    id: "alone",
    title: "Alone",
    help: "Estimated loss of the outputs if only this layer were quantized",
    kind: "general",
    value: (layer) => layer.attribution?.alone,
  },
  {
    id: "part",
    title: "Part",
    help: "What the layer adds to the measured loss",
    kind: "general",
    isHidden: true,
    value: (layer) => layer.attribution?.total,
  },
];

const costColumns: readonly Column<Layer>[] = [
  {
    id: "cycles",
    title: "Cycles",
    kind: "integer",
    value: (layer) => layer.cycles,
  },
  {
    id: "bits",
    title: "Bits differ",
    help: "Elements whose codes differ between NPUBackend and Reference, given the same input codes",
    kind: "integer",
    isHidden: true,
    value: (layer) => layer.difference?.differing,
  },
  {
    id: "cause",
    title: "Cause",
    help: "What the diagnosis says",
    width: 150,
    value: (layer) =>
      layer.diagnoses.map((diagnosis) => diagnosis.cause).join(", "),
    cell: (layer) => {
      const [first] = layer.diagnoses;
      return first && <Name of={first.cause} />;
    },
  },
];

/// What differs from the other build of a comparison.
function changeColumns(data: Data): Column<Layer>[] {
  const { second, other } = data;
  if (!second || !other) return [];
  const key = sharedTable(data);
  const change = (
    id: string,
    title: string,
    kind: Kind,
    better: "more" | "less",
    valueOf: (layer: Layer) => Maybe<number>,
  ): Column<Layer> => {
    const value = changeOf(data, valueOf);
    return {
      id: `change ${id}`,
      title: `Δ ${title}`,
      source: "second − first",
      help: `${title} of the second build minus that of the first one`,
      kind,
      width: 112,
      value,
      cell: (layer) => <Change of={value(layer)} kind={kind} better={better} />,
    };
  };
  return [
    ...(key
      ? [
          change("cosine", "Cosine", "general", "more", (layer) => {
            return layer.rows[key]?.similarity;
          }),
        ]
      : []),
    change("cycles", "Cycles", "integer", "less", (layer) => layer.cycles),
    {
      id: "other codes",
      title: "Codes",
      source: "other build",
      help: "The codes of the same layer in the build that is not shown",
      width: 100,
      value: ({ tensor, qdtype }) => {
        const codes = other.byTensor.get(tensor)?.qdtype ?? "no such layer";
        return codes === qdtype ? "=" : codes;
      },
    },
  ];
}

export function layerColumns(data: Data): Column<Layer>[] {
  const build = data.main;
  const main = mainTable(build);
  const own = main?.replace("EndToEnd", "PerLayer");
  const isShown = (field: Field, key: TableKey) =>
    field.id === "similarity"
      ? key === main || key === own
      : key === main && (field.id === "sqnr" || field.id === "worst_sample");
  const methods = (["PerLayer", "EndToEnd"] as const).filter(
    (method) =>
      build.tables.includes(`${method} Reference`) &&
      build.tables.includes(`${method} NPUBackend`),
  );
  return [
    ...placeColumns,
    ...changeColumns(data),
    ...build.tables.flatMap((key) =>
      fields.map((field) =>
        fieldColumn(build, field, key, !isShown(field, key)),
      ),
    ),
    ...methods.map(modeColumn),
    ...(sharesOf(build) ? shareColumns : []),
    ...costColumns,
  ];
}
