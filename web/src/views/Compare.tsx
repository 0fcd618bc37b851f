//===- Compare.tsx - Two builds against each other ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Changes are second build minus first one: of the verdict, the metrics, the
// cycles and each layer, in both directions.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import { minus, sharedTable } from "../changes";
import { decidingCosine } from "../data";
import type { Build, Data, Layer } from "../data";
import { open, select, selectedTensor } from "../store";
import type { Row, TableKey } from "../types";
import type { Kind, Maybe } from "../ui/format";
import { inlineName, plural } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Change, LayerLink, Name, VerdictMark } from "../ui/Value";
import { BuildTable, metricLines } from "./BuildTable";
import type { Line } from "./BuildTable";

interface Pair {
  first: Layer;
  second: Layer;
}

type Figure = Maybe<number>;

export function CompareView(props: { data: Data }) {
  const { first } = props.data;
  const second = props.data.second!;
  const [a, b] = [first.report.model, second.report.model];
  return (
    <>
      {a !== b && (
        <p class="notice">
          These builds are of different models, <Name of={a} /> and{" "}
          <Name of={b} />: only layers of the same name are compared.
        </p>
      )}
      <Builds data={props.data} />
      <Layers data={props.data} />
    </>
  );
}

function outputLines(data: Data): Line[] {
  const key = sharedTable(data);
  const { first, second } = data;
  if (!key || !second) return [];
  return first.layers
    .filter((layer) => layer.isOutput && second.byTensor.has(layer.tensor))
    .flatMap((layer) => {
      const rows = [layer, second.byTensor.get(layer.tensor)].map(
        (one) => one?.rows[key],
      );
      const line = (what: string, cosineOf: (row: Row) => number): Line => ({
        title: `${what} of ${inlineName(layer.tensor, 40)} (${key})`,
        first: rows[0] && cosineOf(rows[0]),
        second: rows[1] && cosineOf(rows[1]),
        kind: "cosine",
        better: "more",
      });
      const hasGroups = rows.some(
        (row) => row && decidingCosine(row) !== row.similarity,
      );
      return [
        line("Cosine", (row) => row.similarity),
        ...(hasGroups ? [line("Weakest channels", decidingCosine)] : []),
      ];
    });
}

function Builds(props: { data: Data }) {
  const { first } = props.data;
  const second = props.data.second!;
  const lines: Line[] = [
    ...metricLines(first, second),
    ...outputLines(props.data),
    {
      title: "Cycles",
      first: first.report.total_cycles,
      second: second.report.total_cycles,
      kind: "integer",
      better: "less",
    },
  ];
  return (
    <BuildTable
      data={props.data}
      lines={lines}
      verdictOf={(build) => <BuildVerdict build={build} />}
    />
  );
}

/// Of the task if it was measured, else of the worst output.
function BuildVerdict(props: { build: Build }) {
  const { accuracy, analysis } = props.build;
  if (accuracy) return <VerdictMark of={accuracy.verdict} />;
  const verdicts = analysis?.outputs.map((output) => output.verdict) ?? [];
  const worst = (["bad", "undecided", "good"] as const).find((verdict) =>
    verdicts.includes(verdict),
  );
  return worst ? <VerdictMark of={worst} /> : <>not analyzed</>;
}

/// Two columns with the numbers of both builds, and one with the change.
function columnsOf(
  id: string,
  title: string,
  kind: Kind,
  better: "more" | "less",
  valueOf: (layer: Layer) => Figure,
): Column<Pair>[] {
  const change = (pair: Pair) =>
    minus(valueOf(pair.second), valueOf(pair.first));
  const isHidden = id === "alone" || id === "own";
  return [
    {
      id: `${id} first`,
      title,
      source: "first",
      kind,
      isHidden,
      value: (pair) => valueOf(pair.first),
    },
    {
      id: `${id} second`,
      title,
      source: "second",
      kind,
      isHidden,
      value: (pair) => valueOf(pair.second),
    },
    {
      id: `${id} change`,
      title,
      source: "change",
      // Differences of cosines have too few digits as cosines.
      kind: kind === "cosine" ? "general" : kind,
      width: 112,
      value: change,
      cell: (pair) => (
        <Change
          of={change(pair)}
          kind={kind === "cosine" ? "general" : kind}
          better={better}
        />
      ),
    },
  ];
}

function allColumns(key: TableKey | undefined): Column<Pair>[] {
  const own = key?.replace("EndToEnd", "PerLayer") as TableKey | undefined;
  const cosine = (table: TableKey | undefined) => (layer: Layer) =>
    table && layer.rows[table]?.similarity;
  return [
    {
      id: "operator",
      title: "Layer",
      width: 330,
      value: ({ first }) => first.operator,
      cell: ({ first }) => (
        <LayerLink tensor={first.tensor} text={first.operator} most={44} />
      ),
    },
    { id: "type", title: "Type", width: 150, value: ({ first }) => first.type },
    {
      id: "codes",
      title: "Codes",
      width: 100,
      value: ({ first, second }) =>
        first.qdtype === second.qdtype
          ? first.qdtype
          : `${first.qdtype} → ${second.qdtype}`,
    },
    ...columnsOf("cosine", "Cosine", "cosine", "more", cosine(key)),
    ...columnsOf("own", "PerLayer", "cosine", "more", cosine(own)),
    ...columnsOf(
      "alone",
      "Alone",
      "general",
      "less",
      (l) => l.attribution?.alone,
    ),
    ...columnsOf("cycles", "Cycles", "integer", "less", (l) => l.cycles),
  ];
}

function Layers(props: { data: Data }) {
  const { first } = props.data;
  const second = props.data.second!;
  const key = sharedTable(props.data);
  const pairs = useMemo(
    () =>
      first.layers.flatMap((layer): Pair[] => {
        const other = second.byTensor.get(layer.tensor);
        return other ? [{ first: layer, second: other }] : [];
      }),
    [first, second],
  );
  const columns = useMemo(() => allColumns(key), [key]);
  const changes = useMemo(() => changesOf(pairs, key), [pairs, key]);
  return (
    <>
      <div class="grid">
        <Most
          title="Layers that got worse"
          pairs={changes.slice(0, 8)}
          sign={-1}
          tableKey={key}
        />
        <Most
          title="Layers that got better"
          pairs={changes.slice(-8).reverse()}
          sign={1}
          tableKey={key}
        />
      </div>
      <h2>All layers</h2>
      <p class="soft">
        Change is the second build minus the first one
        {key ? `, of ${key}` : "; the builds have no table in common"}.
      </p>
      <Table
        label="Layers of both builds"
        rows={pairs}
        columns={columns}
        rowKey={(pair) => pair.first.tensor}
        sort={{ column: "cosine change", isDescending: false }}
        selected={selectedTensor.value}
        onSelect={(pair) => select(pair.first.tensor)}
        onOpen={(pair) => open("layer", pair.first.tensor)}
        fileName="compare.csv"
        visibleRows={18}
      />
      <OnlyIn build={first} other={second} title="Only in the first build" />
      <OnlyIn build={second} other={first} title="Only in the second build" />
    </>
  );
}

function changeOf(pair: Pair, key: TableKey | undefined): number | undefined {
  if (!key) return undefined;
  return minus(
    pair.second.rows[key]?.similarity,
    pair.first.rows[key]?.similarity,
  );
}

function changesOf(pairs: readonly Pair[], key: TableKey | undefined): Pair[] {
  return pairs
    .filter((pair) => changeOf(pair, key))
    .sort((a, b) => changeOf(a, key)! - changeOf(b, key)!);
}

function Most(props: {
  title: string;
  pairs: readonly Pair[];
  sign: 1 | -1;
  tableKey: TableKey | undefined;
}) {
  const pairs = props.pairs.filter(
    (pair) => changeOf(pair, props.tableKey)! * props.sign > 0,
  );
  return (
    <section>
      <h2>{props.title}</h2>
      {pairs.length === 0 && <p>None.</p>}
      <ol class="reasons">
        {pairs.map((pair) => (
          <li key={pair.first.tensor}>
            <LayerLink tensor={pair.first.tensor} text={pair.first.operator} />{" "}
            <Change of={changeOf(pair, props.tableKey)} better="more" />
          </li>
        ))}
      </ol>
    </section>
  );
}

function OnlyIn(props: { build: Build; other: Build; title: string }) {
  const layers = props.build.layers.filter(
    (layer) => !props.other.byTensor.has(layer.tensor),
  );
  if (layers.length === 0) return null;
  return (
    <details>
      <summary>
        {props.title}: {plural(layers.length, "layer")}
      </summary>
      <ul>
        {layers.map((layer) => (
          <li key={layer.tensor}>
            <Name of={layer.tensor} most={120} />{" "}
            <span class="soft">{layer.type}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
