//===- Attribution.tsx - Which layers cause the loss ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Alone ranks layers for repairs; parts add up to the measured loss, and may
// cancel each other. See docs/precision-analysis.md.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import { changeOf } from "../changes";
import { lossAlone, whyNoShares } from "../data";
import type { Data } from "../data";
import { open, select, selectedTensor } from "../store";
import type { Attribution, AttributionRow } from "../types";
import { Bars } from "../ui/Bars";
import type { Bar } from "../ui/Bars";
import { inlineName, numberText, plural } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Change, LayerLink, Value } from "../ui/Value";

const mostBars = 20;

/// Parts of more than this many times the loss cancel each other too much for
/// an order of layers; the tool warns at the same number.
const mostCancellation = 5;

function barOf(row: AttributionRow, all: number): Bar {
  return {
    key: row.tensor,
    label: <LayerLink tensor={row.tensor} text={row.operator} most={40} />,
    segments: [
      { from: 0, to: row.alone_weights, tone: "second", title: "by weights" },
      {
        from: row.alone_weights,
        to: row.alone,
        tone: "first",
        title: "by activations",
      },
    ],
    value: (
      <>
        <Value of={row.alone} />{" "}
        <span class="soft">{numberText(row.alone / all, "percent")}</span>
      </>
    ),
  };
}

function columnsOf(all: number): Column<AttributionRow>[] {
  const part = (
    id: keyof AttributionRow & ("total" | "weights" | "activations"),
    title: string,
    help: string,
  ): Column<AttributionRow> => ({
    id,
    title,
    help,
    kind: "general",
    value: (row) => row[id],
  });
  return [
    {
      id: "operator",
      title: "Layer",
      width: 330,
      value: (row) => row.operator,
      cell: (row) => (
        <LayerLink tensor={row.tensor} text={row.operator} most={44} />
      ),
    },
    { id: "type", title: "Type", width: 150, value: (row) => row.type },
    {
      id: "alone",
      title: "Alone",
      help: "Estimated loss if this layer were quantized and all others exact",
      kind: "general",
      value: (row) => row.alone,
    },
    {
      id: "share",
      title: "Share",
      help: "Alone, relative to that of all layers",
      kind: "percent",
      value: (row) => row.alone / all,
    },
    part("total", "Part", "What the layer adds to the measured loss"),
    part("weights", "Weights", "The part that quantized weights cause"),
    part(
      "activations",
      "Activations",
      "The part that the quantized result causes",
    ),
  ];
}

/// What differs from the other build of a comparison.
function changeColumns(data: Data): Column<AttributionRow>[] {
  if (!data.second) return [];
  const change = changeOf(data, (layer) => layer.attribution?.alone);
  const value = ({ tensor }: AttributionRow) => {
    const layer = data.main.byTensor.get(tensor);
    return layer && change(layer);
  };
  return [
    {
      id: "change",
      title: "Δ Alone",
      source: "second − first",
      kind: "general",
      width: 112,
      value,
      cell: (row) => <Change of={value(row)} better="less" />,
    },
  ];
}

function Sum(props: { attribution: Attribution }) {
  const { attribution } = props;
  const size = attribution.rows.reduce(
    (sum, row) => sum + Math.abs(row.total),
    0,
  );
  return (
    <>
      <p>
        Attributed <Value of={attribution.attributed} /> of{" "}
        <Value of={attribution.measured} /> lost cosine of the outputs (
        {attribution.mode}), as a mean over{" "}
        {plural(attribution.samples, "sample")}.
      </p>
      {size > mostCancellation * attribution.measured && (
        <p class="notice">
          The parts have {numberText(size / attribution.measured)} times the
          size of the loss and cancel each other: do not rely on the order of
          single layers.
        </p>
      )}
      {attribution.approximated.length > 0 && (
        <p class="soft">
          What lies in front of these is only roughly shared out:{" "}
          {attribution.approximated.map((name) => inlineName(name)).join(", ")}.
        </p>
      )}
    </>
  );
}

export function AttributionView(props: { data: Data }) {
  const why = whyNoShares(props.data.main);
  if (why === undefined) return <Shares data={props.data} />;
  return (
    <p class="notice">
      {why} So no shares are shown, and diagnoses and suggestions go by what
      each layer loses by itself (PerLayer).
    </p>
  );
}

function Shares(props: { data: Data }) {
  const attribution = props.data.main.analysis!.attribution!;
  const { rows } = attribution;
  const all = lossAlone(props.data.main) || 1;
  const columns = useMemo(
    () => [...columnsOf(all), ...changeColumns(props.data)],
    [all, props.data],
  );
  const first = [...rows].sort((a, b) => b.alone - a.alone).slice(0, mostBars);
  return (
    <>
      <Sum attribution={attribution} />
      <Bars
        label={`Alone: the loss if only this layer were quantized, the first ${first.length} layers`}
        heads={["Layer", "Alone, and share"]}
        bars={first.map((row) => barOf(row, all))}
      />
      <ul class="legend">
        <li>
          <i class="second" />
          by weights
        </li>
        <li>
          <i class="first" />
          by activations
        </li>
      </ul>
      <h2>Parts</h2>
      <p class="soft">
        Part = Weights + Activations. Parts add up to the measured loss;
        negative ones undo errors of other layers.
      </p>
      <Table
        label="Parts of the loss"
        rows={rows}
        columns={columns}
        rowKey={(row) => row.tensor}
        sort={{ column: "alone", isDescending: true }}
        selected={selectedTensor.value}
        onSelect={(row) => select(row.tensor)}
        onOpen={(row) => open("layer", row.tensor)}
        fileName="attribution.csv"
        visibleRows={16}
      />
    </>
  );
}
