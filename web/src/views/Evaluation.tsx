//===- Evaluation.tsx - What quantization changes for the task ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The metrics with their intervals, the classes that lost most, and the samples
// whose answer changed; those of detectors with their boxes.
//===----------------------------------------------------------------------===//
import { useMemo, useState } from "preact/hooks";
import { minus, otherAnswers } from "../changes";
import type { Build, Data } from "../data";
import { Boxes } from "../graph/Boxes";
import "../graph/plots.css";
import type { Accuracy } from "../types";
import { numberText, plural } from "../ui/format";
import type { Maybe } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Change, Name } from "../ui/Value";
import { metricName } from "../ui/words";
import { BuildTable, metricLines } from "./BuildTable";
import { MetricTable, Verdict } from "./Summary";

export function EvaluationView({ data }: { data: Data }) {
  const build = data.main;
  const { accuracy } = build;
  if (!accuracy)
    return (
      <p class="notice">
        The task was not evaluated. Give labelled samples in evaluation.images
        and evaluation.labels and build again.
      </p>
    );
  return (
    <>
      <Verdict build={build} />
      <MetricTable accuracy={accuracy} />
      <Intervals accuracy={accuracy} />
      <Builds data={data} />
      <Classes data={data} accuracy={accuracy} />
      <ChangedSamples data={data} accuracy={accuracy} />
    </>
  );
}

/// The metrics of two builds.
function Builds({ data }: { data: Data }) {
  const { first, second } = data;
  if (!second) return null;
  if (!first.accuracy || !second.accuracy)
    return <p class="soft">The other build was not evaluated.</p>;
  return (
    <section>
      <h2>Both builds</h2>
      <BuildTable data={data} lines={metricLines(first, second)} />
    </section>
  );
}

/// What each network loses, as an interval against what is tolerable.
function Intervals(props: { accuracy: Accuracy }) {
  const { networks, metric, tolerable_loss: tolerable } = props.accuracy;
  const losses = networks.slice(1).flatMap(({ network, metrics }) => {
    const loss = metrics[metric]?.loss;
    return loss ? [{ network, loss }] : [];
  });
  if (losses.length === 0) return null;
  const low = Math.min(0, ...losses.map(({ loss }) => loss.low));
  const high = Math.max(tolerable, ...losses.map(({ loss }) => loss.high));
  const span = high - low || 1;
  const percent = (value: number) => `${((value - low) / span) * 100}%`;
  return (
    <table class="intervals">
      <caption>
        Loss of {metricName(metric)}: the bar is the 95 % interval, the dot the
        estimate, the thin line 0 and the dashed one what is tolerable,{" "}
        {numberText(tolerable, "metric")}
      </caption>
      <tbody>
        {losses.map(({ network, loss }) => (
          <tr key={network}>
            <th scope="row">{network}</th>
            <td aria-hidden="true">
              <div class="interval">
                <i class="zero" style={{ left: percent(0) }} />
                <i class="tolerable" style={{ left: percent(tolerable) }} />
                <span
                  style={{
                    left: percent(loss.low),
                    width: `${((loss.high - loss.low) / span) * 100}%`,
                  }}
                />
                <b style={{ left: percent(loss.value) }} />
              </div>
            </td>
            <td class="number">
              {numberText(loss.value, "metric")}{" "}
              <span class="soft">
                ({numberText(loss.low, "metric")} …{" "}
                {numberText(loss.high, "metric")})
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ClassRow {
  name: string;
  count: number;
  values: number[];
  change: number;
}

/// What the networks of both builds that will run reach for a class, the second
/// one minus the first one.
function classChanges({ first, second }: Data): (name: string) => Maybe<number> {
  const valuesOf = (build: Build | undefined) =>
    new Map(
      (build?.accuracy?.classes ?? []).map((own) => [
        own.class,
        own.values.at(-1),
      ]),
    );
  const [before, after] = [valuesOf(first), valuesOf(second)];
  return (name) => minus(after.get(name), before.get(name));
}

function Classes(props: { data: Data; accuracy: Accuracy }) {
  const { data, accuracy } = props;
  const rows = useMemo(
    () =>
      accuracy.classes.map(
        ({ class: name, count, values }): ClassRow => ({
          name,
          count,
          values,
          change: (values.at(-1) ?? NaN) - (values[0] ?? NaN),
        }),
      ),
    [accuracy],
  );
  const columns = useMemo(
    (): Column<ClassRow>[] => [
      { id: "name", title: "Class", value: (row) => row.name, width: 180 },
      { id: "count", title: "Count", kind: "integer", value: (row) => row.count },
      ...accuracy.networks.map(({ network }, i) => ({
        id: network,
        title: network,
        kind: "metric" as const,
        value: (row: ClassRow) => row.values[i],
        width: 110,
      })),
      {
        id: "change",
        title: "Change",
        help: "The last network against the first.",
        kind: "metric",
        value: (row) => row.change,
        width: 110,
      },
      ...(data.other?.accuracy ? [buildColumn(data)] : []),
    ],
    [accuracy, data],
  );
  if (rows.length === 0) return null;
  const higher = accuracy.networks[0]?.metrics[accuracy.metric]?.higher_is_better;
  return (
    <section>
      <h2>Classes, worst first</h2>
      <Table
        label="Classes"
        rows={rows}
        columns={columns}
        rowKey={(row) => row.name}
        sort={{ column: "change", isDescending: higher === false }}
        fileName="classes.csv"
        visibleRows={10}
      />
    </section>
  );
}

function buildColumn(data: Data): Column<ClassRow> {
  const change = classChanges(data);
  return {
    id: "builds",
    title: "Builds",
    source: "second − first",
    help: "The last network of the second build against that of the first one.",
    kind: "metric",
    value: (row) => change(row.name),
    cell: (row) => <Change of={change(row.name)} kind="metric" />,
    width: 110,
  };
}

type ChangedRow = Accuracy["changed"][number];

const changedColumns: Column<ChangedRow>[] = [
  { id: "sample", title: "Sample", value: (row) => row.sample, width: 200 },
  { id: "expected", title: "Expected", value: (row) => row.expected, width: 200 },
  { id: "before", title: "Float", value: (row) => row.before, width: 200 },
  { id: "after", title: "NPU", value: (row) => row.after, width: 200 },
  { id: "loss", title: "Loss", kind: "general", value: (row) => row.loss },
];

function otherColumn(data: Data): Column<ChangedRow> {
  return {
    id: "other",
    title: "NPU",
    source: "other build",
    help: "What the NPU answers in the build that is not shown",
    value: otherAnswers(data),
    width: 200,
  };
}

function ChangedSamples(props: { data: Data; accuracy: Accuracy }) {
  const { data, accuracy } = props;
  const build = data.main;
  const other = data.other?.accuracy;
  const columns = useMemo(
    () => (other ? [...changedColumns, otherColumn(data)] : changedColumns),
    [data, other],
  );
  const [chosen, setChosen] = useState<string>();
  if (accuracy.changed.length === 0)
    return <p>The answer is the same for all samples.</p>;
  const sample = chosen ?? accuracy.changed[0]?.sample ?? "";
  const hidden = accuracy.changed_count - accuracy.changed.length;
  return (
    <section>
      <h2>Samples whose answer changed</h2>
      <p class="soft">
        {plural(accuracy.changed_count, "sample")} of {accuracy.samples}
        {hidden > 0 && `; the ${accuracy.changed.length} with the largest loss`}.
      </p>
      {other && other.samples !== accuracy.samples && (
        <p class="soft">
          The other build was evaluated on {plural(other.samples, "sample")}, so
          that only its own changed answers are known.
        </p>
      )}
      <Table
        label="Changed samples"
        rows={accuracy.changed}
        columns={columns}
        rowKey={(row) => row.sample}
        sort={{ column: "loss", isDescending: true }}
        selected={sample}
        onSelect={(row) => setChosen(row.sample)}
        fileName="changed.csv"
        visibleRows={8}
      />
      <ChangedSample build={build} sample={sample} />
    </section>
  );
}

function ChangedSample(props: { build: Build; sample: string }) {
  const { build, sample } = props;
  const picture = build.report.pictures?.find(
    (p) => p.kind === "evaluation" && p.sample === sample,
  );
  const sets = build.changed?.samples.find((s) => s.sample === sample);
  if (!sets && !picture) return null;
  return (
    <section aria-label={`Sample ${sample}`}>
      <h3>
        <Name of={sample} />
      </h3>
      {sets ? (
        <Boxes
          key={sample}
          sets={sets}
          picture={picture}
          sample={sample}
        />
      ) : (
        picture && (
          <img
            src={picture.data}
            width={picture.width}
            height={picture.height}
            alt={`Sample ${sample}`}
          />
        )
      )}
    </section>
  );
}
