//===- Outliers.tsx - Channels that are far larger than others ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A channel of level n has n bits less than its type, because a larger one
// sets the scale of the tensor.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import type { Build, Data, Layer } from "../data";
import { open, select, selectedTensor } from "../store";
import type { Outliers, Peak, Weights } from "../types";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { LayerLink, Name } from "../ui/Value";

interface Entry {
  outliers: Outliers;
  layer?: Layer;
}

const ratioOf = (peak: Peak | undefined) => peak && peak.largest / peak.median;

function levelColumn(level: 3 | 4 | 5 | 6): Column<Entry> {
  return {
    id: `level_${level}`,
    title: `Level ${level}`,
    help: `Channels that lose ${level} bits${level === 6 ? " or more" : ""} because they share a scale`,
    kind: "percent",
    width: 84,
    value: ({ outliers }) => outliers[`level_${level}`],
  };
}

const peakColumns = <Row,>(
  id: string,
  source: string,
  peakOf: (row: Row) => Peak | undefined,
): Column<Row>[] => [
  {
    id: `${id} ratio`,
    title: "Peak ratio",
    source,
    help: "The largest channel relative to the median one",
    kind: "general",
    width: 100,
    value: (row) => ratioOf(peakOf(row)),
  },
  {
    id: `${id} channel`,
    title: "Channel",
    source,
    kind: "integer",
    width: 84,
    value: (row) => peakOf(row)?.channel,
  },
  {
    id: `${id} largest`,
    title: "Largest",
    source,
    kind: "general",
    value: (row) => peakOf(row)?.largest,
  },
  {
    id: `${id} median`,
    title: "Median",
    source,
    kind: "general",
    value: (row) => peakOf(row)?.median,
  },
];

const activationColumns: readonly Column<Entry>[] = [
  {
    id: "layer",
    title: "Layer",
    width: 330,
    value: ({ outliers, layer }) => layer?.operator ?? outliers.tensor,
    cell: ({ outliers, layer }) =>
      layer ? (
        <LayerLink tensor={layer.tensor} text={layer.operator} most={44} />
      ) : (
        <Name of={outliers.tensor} most={44} />
      ),
  },
  {
    id: "channels",
    title: "Channels",
    kind: "integer",
    width: 84,
    value: ({ outliers }) => outliers.channels,
  },
  ...peakColumns<Entry>("peak", "result", ({ outliers }) => outliers.peak),
  ...([3, 4, 5, 6] as const).map(levelColumn),
  {
    id: "sparse",
    title: "Sparse",
    help: "Channels that are zero in all samples",
    kind: "percent",
    width: 84,
    value: ({ outliers }) => outliers.sparse,
  },
  {
    id: "alone",
    title: "Alone",
    help: "Estimated loss of the outputs if only this layer were quantized",
    kind: "general",
    value: ({ layer }) => layer?.attribution?.alone,
  },
];

function weightColumns(build: Build): Column<Weights>[] {
  return [
    {
      id: "layer",
      title: "Layer",
      width: 330,
      value: (weights) => weights.operator,
      cell: (weights) => {
        const layer = build.byOperator.get(weights.operator)?.[0];
        if (!layer) return <Name of={weights.operator} most={44} />;
        return (
          <LayerLink tensor={layer.tensor} text={layer.operator} most={44} />
        );
      },
    },
    {
      id: "tensor",
      title: "Weights",
      width: 200,
      value: (weights) => weights.tensor,
    },
    {
      id: "codes",
      title: "Codes",
      width: 64,
      value: (weights) => weights.qdtype,
    },
    ...peakColumns<Weights>(
      "output",
      "by output",
      (weights) => weights.output_peak,
    ),
    ...peakColumns<Weights>(
      "input",
      "by input",
      (weights) => weights.input_peak,
    ),
  ];
}

export function OutliersView(props: { data: Data }) {
  const build = props.data.main;
  const analysis = build.analysis!;
  const entries = useMemo(
    () =>
      analysis.outliers.map((outliers): Entry => {
        return { outliers, layer: build.byTensor.get(outliers.tensor) };
      }),
    [build],
  );
  const columns = useMemo(() => weightColumns(build), [build]);
  return (
    <>
      <p class="soft">
        A channel of level n loses n bits, because the largest channel of the
        tensor sets the scale for all.
      </p>
      {entries.length > 0 ? (
        <Table
          label="Activations"
          rows={entries}
          columns={activationColumns}
          rowKey={({ outliers }) => outliers.tensor}
          sort={{ column: "peak ratio", isDescending: true }}
          selected={selectedTensor.value}
          onSelect={({ outliers }) => select(outliers.tensor)}
          onOpen={({ outliers }) => open("layer", outliers.tensor)}
          fileName="outliers.csv"
          visibleRows={16}
        />
      ) : (
        <p>No activations have outliers.</p>
      )}
      {analysis.weights.length > 0 && (
        <>
          <h2>Weights</h2>
          <Table
            label="Weights"
            rows={analysis.weights}
            columns={columns}
            rowKey={(weights) => `${weights.operator} ${weights.tensor}`}
            sort={{ column: "output ratio", isDescending: true }}
            fileName="weight_outliers.csv"
            visibleRows={16}
          />
        </>
      )}
    </>
  );
}
