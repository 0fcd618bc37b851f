//===- Tuning.tsx - Every trial of a tuning -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the trials cost and reach, with intervals, and how good the predictions
// were that chose them. Only what was executed is on the front.
//===----------------------------------------------------------------------===//
import { useMemo, useState } from "preact/hooks";
import type { Build, Data } from "../data";
import { Scatter } from "../graph/Scatter";
import type { Group, Line, Point } from "../graph/Scatter";
import "../graph/plots.css";
import { readTuning } from "../graph/trials";
import type { Trial, Tuning } from "../graph/trials";
import { correlation, rankCorrelation } from "../graph/statistics";
import { CopyButton } from "../ui/CopyButton";
import { numberText, plural } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Name, Value } from "../ui/Value";

export function TuningView({ data }: { data: Data }) {
  const build = data.main;
  const tuning = useMemo(() => readTuning(build), [build]);
  const [chosen, setChosen] = useState<number>();
  if (tuning.trials.length === 0)
    return (
      <p class="notice">
        This is no tuned build. <code>parallax tune</code> with the same
        configuration searches for the cheapest network that is good enough.
      </p>
    );
  const built = tuning.trials.find((t) => t.number === build.report.trial);
  const trial =
    tuning.trials.find((t) => t.number === chosen) ?? built ?? tuning.trials[0];
  const seconds = tuning.trials.reduce((sum, t) => sum + t.seconds, 0);
  const pick = (point: Point) => {
    const found = tuning.trials.find((t) => nameOf(t) === point.name);
    if (found) setChosen(found.number);
  };
  return (
    <>
      <p>
        {plural(tuning.trials.length, "trial")} in {numberText(seconds)} s
        {tuning.front.length > 0 &&
          `, ${plural(tuning.front.length, "point")} on the front`}
        .{built && ` This build is ${nameOf(built)}.`}
      </p>
      <div class="grid">
        <Front tuning={tuning} onPick={pick} />
        <Predictions tuning={tuning} onPick={pick} />
      </div>
      <h2>Trials</h2>
      <Trials tuning={tuning} chosen={trial?.number} onChoose={setChosen} />
      {trial && <Changes trial={trial} />}
      <TunedConfig build={build} />
    </>
  );
}

const nameOf = (trial: Trial) => `trial ${trial.number}, ${trial.purpose}`;

function pointOf(trial: Trial): Point[] {
  const { metric, cycles } = trial;
  if (!metric || cycles === undefined) return [];
  const { value, low, high } = metric;
  return [{ name: nameOf(trial), x: cycles, y: value, low, high }];
}

function Front(props: { tuning: Tuning; onPick: (point: Point) => void }) {
  const { tuning } = props;
  const { groups, lines } = useMemo(() => {
    const front = new Set(tuning.front);
    const good = tuning.trials.filter((trial) => trial.failure === "");
    const isShort = (trial: Trial) => trial.samples < tuning.mostSamples;
    const isOn = (trial: Trial) => front.has(trial.number);
    const group = (
      label: string,
      shape: Group["shape"],
      color: Group["color"],
      trials: Trial[],
    ): Group => ({ label, shape, color, points: trials.flatMap(pointOf) });
    const others = good.filter((trial) => !isOn(trial));
    const groups = [
      group("on the front", "diamond", "main", good.filter(isOn)),
      group("other trials", "circle", "second", others.filter((t) => !isShort(t))),
      group("given up early", "square", "text", others.filter(isShort)),
    ].filter(({ points }) => points.length > 0);
    return { groups, lines: linesOf(tuning, groups) };
  }, [tuning]);
  if (groups.length === 0)
    return <p class="notice">No trial has been measured.</p>;
  return (
    <Scatter
      label={`${tuning.objective} against ${tuning.metric}, with 95 % intervals`}
      x={{ label: tuning.objective }}
      y={{ label: tuning.metric }}
      groups={groups}
      lines={lines}
      onPick={props.onPick}
    />
  );
}

/// The front as steps, and float as a level.
function linesOf(tuning: Tuning, groups: readonly Group[]): Line[] {
  const points = groups.flatMap((group) => group.points);
  const costs = points.map((point) => point.x);
  const [low, high] = [Math.min(...costs), Math.max(...costs)];
  const lines: Line[] = [];
  const onFront = groups.find((group) => group.label === "on the front");
  if (onFront)
    lines.push({
      label: "front",
      dash: [],
      points: [...onFront.points]
        .sort((a, b) => a.x - b.x)
        .map((point) => [point.x, point.y] as const),
    });
  if (tuning.floatMetric !== undefined) {
    const level = tuning.floatMetric;
    lines.push({
      label: `float ${numberText(level, "metric")}`,
      dash: [9, 4],
      points: [[low, level] as const, [high, level] as const],
    });
  }
  return lines;
}

function Predictions(props: { tuning: Tuning; onPick: (point: Point) => void }) {
  const { tuning } = props;
  const points = useMemo(
    () =>
      tuning.trials.flatMap((trial) => {
        const { metric, predictedMetric } = trial;
        if (!metric || predictedMetric === undefined) return [];
        const { value, low, high } = metric;
        return [{ name: nameOf(trial), x: predictedMetric, y: value, low, high }];
      }),
    [tuning],
  );
  const { groups, lines } = useMemo(() => {
    const ends = points.flatMap(({ x, y }) => [x, y]);
    const corners = [Math.min(...ends), Math.max(...ends)];
    const group: Group = {
      label: "trials with a prediction",
      shape: "circle",
      color: "main",
      points,
    };
    const line: Line = {
      label: "as predicted",
      dash: [9, 4],
      points: corners.map((value) => [value, value] as const),
    };
    return { groups: [group], lines: [line] };
  }, [points]);
  if (points.length === 0)
    return <p class="soft">No trial of this tuning was chosen by a prediction.</p>;
  const pairs = points.map(({ x, y }) => [x, y] as const);
  const pearson = correlation(pairs);
  return (
    <div>
      <Scatter
        label={`Predicted against measured ${tuning.metric}`}
        x={{ label: `Predicted ${tuning.metric}` }}
        y={{ label: `Measured ${tuning.metric}` }}
        groups={groups}
        lines={lines}
        onPick={props.onPick}
      />
      <p>
        {points.length < 3 ? (
          "Too few predictions for a correlation."
        ) : Number.isNaN(pearson) ? (
          "All predictions, or all measurements, are the same: they have no correlation."
        ) : (
          <>
            Correlation <Value of={pearson} /> (Pearson),{" "}
            <Value of={rankCorrelation(pairs)} /> (ranks, Spearman) of{" "}
            {plural(points.length, "trial")}.
          </>
        )}
      </p>
    </div>
  );
}

function columnsOf(tuning: Tuning): Column<Trial>[] {
  const base = tuning.trials[0]?.cycles;
  return [
    { id: "number", title: "Trial", kind: "integer", value: (t) => t.number, width: 60 },
    { id: "purpose", title: "Purpose", value: (t) => t.purpose, width: 170 },
    { id: "changes", title: "Changes", value: (t) => t.changes, width: 260 },
    {
      id: "metric",
      title: tuning.metric,
      kind: "metric",
      value: (t) => t.metric?.value,
      width: 110,
    },
    { id: "low", title: "Low", kind: "metric", value: (t) => t.metric?.low },
    { id: "high", title: "High", kind: "metric", value: (t) => t.metric?.high },
    {
      id: "predicted",
      title: "Predicted",
      kind: "metric",
      value: (t) => t.predictedMetric,
    },
    { id: "loss", title: "Loss", kind: "general", value: (t) => t.loss?.value },
    {
      id: "cost",
      title: tuning.objective,
      kind: "integer",
      value: (t) => t.cycles,
      width: 110,
    },
    {
      id: "factor",
      title: "Factor",
      help: "Of the cost of the first trial.",
      kind: "general",
      value: (t) =>
        base && t.cycles !== undefined ? t.cycles / base : undefined,
      width: 70,
    },
    {
      id: "predictedCost",
      title: "Predicted cost",
      kind: "integer",
      value: (t) => t.predictedCycles,
      width: 120,
    },
    { id: "samples", title: "Samples", kind: "integer", value: (t) => t.samples, width: 80 },
    { id: "seconds", title: "Seconds", kind: "general", value: (t) => t.seconds, width: 80 },
    {
      id: "front",
      title: "Front",
      value: (t) => (tuning.front.includes(t.number) ? "yes" : ""),
      width: 60,
    },
    { id: "failure", title: "Failure", value: (t) => t.failure, width: 220 },
  ];
}

function Trials(props: {
  tuning: Tuning;
  chosen?: number;
  onChoose: (trial: number) => void;
}) {
  const columns = useMemo(() => columnsOf(props.tuning), [props.tuning]);
  return (
    <Table
      label="Trials"
      rows={props.tuning.trials}
      columns={columns}
      rowKey={(trial) => String(trial.number)}
      selected={props.chosen === undefined ? undefined : String(props.chosen)}
      onSelect={(trial) => props.onChoose(trial.number)}
      fileName="trials.csv"
      visibleRows={14}
    />
  );
}

function Changes(props: { trial: Trial }) {
  const { trial } = props;
  return (
    <section>
      <h3>
        <Name of={nameOf(trial)} />
      </h3>
      {trial.edits.length === 0 ? (
        <p class="soft">Nothing was changed.</p>
      ) : (
        trial.edits.map((edit, i) => (
          <div key={i} class="edit">
            <code>{edit.field}</code> {edit.appends ? "gets in addition" : "becomes"}
            <pre>{edit.text}</pre>
          </div>
        ))
      )}
    </section>
  );
}

function TunedConfig(props: { build: Build }) {
  const { tunedConfig } = props.build;
  if (!tunedConfig) return null;
  const text = () => JSON.stringify(tunedConfig, null, 2);
  return (
    <section>
      <h2>Tuned configuration</h2>
      <p>
        <code>parallax build</code> makes the measured model of it.{" "}
        <CopyButton text={text} label="Copy configuration" />
      </p>
    </section>
  );
}
