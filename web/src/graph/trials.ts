//===- trials.ts - The history of a tuning --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// history.jsonl has a line for the configuration and one for each trial;
// front.json, of --pareto, says which trials no other one beats.
//===----------------------------------------------------------------------===//
import type { Build } from "../data";
import type { Estimate } from "../types";
import { plural } from "../ui/format";
import { metricName } from "../ui/words";

export interface TrialEdit {
  field: string;
  appends: boolean;
  /// The value as JSON, for reading.
  text: string;
  /// Layers that it names.
  layers: number;
  /// The precision that it asks for.
  type: string;
}

export interface Trial {
  number: number;
  purpose: string;
  edits: TrialEdit[];
  changes: string;
  metric?: Estimate;
  loss?: Estimate;
  cycles?: number;
  predictedMetric?: number;
  predictedCycles?: number;
  samples: number;
  seconds: number;
  failure: string;
}

export interface Tuning {
  trials: Trial[];
  /// Numbers of trials.
  front: number[];
  metric: string;
  objective: string;
  floatMetric?: number;
  mostSamples: number;
}

/// A line of history.jsonl with a trial.
interface TrialLine {
  number: number;
  purpose?: string;
  edits?: { field: string; value: unknown; appends?: boolean }[];
  metric?: Estimate;
  loss?: Estimate;
  cycles?: number;
  predicted_metric?: number;
  predicted_cycles?: number;
  samples?: number;
  seconds?: number;
  failure?: string;
}

interface FrontFile {
  metric: string;
  objective: string;
  float_metric: number;
  points: { trial: number }[];
}

/// Values are JSON in a string; what is not, is text.
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function editOf(edit: { field: string; value: unknown; appends?: boolean }) {
  const value = parsed(edit.value);
  const config = value as { layer_names?: string[]; data_type?: string } | null;
  const isRule = typeof value === "object" && config !== null;
  return {
    field: edit.field,
    appends: edit.appends ?? false,
    text: JSON.stringify(value, null, 2),
    layers: isRule ? (config.layer_names?.length ?? 0) : 0,
    type: isRule ? (config.data_type ?? "") : String(value),
  };
}

function changesText(edits: readonly TrialEdit[]): string {
  if (edits.length === 0) return "none";
  return edits
    .map(({ field, layers, type }) =>
      layers > 0
        ? `${type} for ${plural(layers, "layer")}`
        : `${field.split(".").at(-1) ?? ""} ${type}`,
    )
    .join("; ");
}

function trialOf(line: TrialLine): Trial {
  const edits = (line.edits ?? []).map(editOf);
  return {
    number: line.number,
    purpose: line.purpose ?? "",
    edits,
    changes: changesText(edits),
    metric: line.metric,
    loss: line.loss,
    cycles: line.cycles,
    predictedMetric: line.predicted_metric,
    predictedCycles: line.predicted_cycles,
    samples: line.samples ?? 0,
    seconds: line.seconds ?? 0,
    failure: line.failure ?? "",
  };
}

export function readTuning(build: Build): Tuning {
  const lines = build.tuningHistory ?? [];
  const trials = lines
    .filter((line) => typeof line["number"] === "number")
    .map((line) => trialOf(line as unknown as TrialLine));
  const front = build.tuningFront as FrontFile | undefined;
  return {
    trials,
    front: front?.points.map((point) => point.trial) ?? [],
    metric: front?.metric ?? metricOf(build),
    objective: front?.objective ?? "Cycles",
    floatMetric: front?.float_metric ?? floatOf(build, trials),
    mostSamples: Math.max(0, ...trials.map((trial) => trial.samples)),
  };
}

/// Without labels, outputs are judged by their similarity.
function metricOf({ accuracy }: Build): string {
  return accuracy ? metricName(accuracy.metric) : "similarity";
}

/// What float reaches follows from any trial: its metric and what it lost.
function floatOf({ accuracy }: Build, trials: readonly Trial[]) {
  const first = trials.find((trial) => trial.metric && trial.loss);
  if (!first?.metric || !first.loss) return undefined;
  const metric = accuracy?.networks[0]?.metrics[accuracy.metric];
  const sign = metric?.higher_is_better === false ? -1 : 1;
  return first.metric.value + sign * first.loss.value;
}
