//===- types.ts - Shapes of the files of a build --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the tool writes, as documented in docs/. Only fields that the page reads are listed. Infinities
// and NaN have become numbers here: see json.ts.
//===----------------------------------------------------------------------===//
import type { Verdict } from "./analysis";

export type * from "./analysis";

export interface Picture {
  sample: string;
  kind: "evaluation" | "calibration";
  width: number;
  height: number;
  full_width: number;
  full_height: number;
  data: string;
}

export interface Report {
  format: number;
  tool: string;
  commit?: string;
  folder: string;
  model: string;
  phases?: string[];
  total_cycles?: number;
  files?: Record<string, string>;
  pictures?: Picture[];
  /// Of the tuning, the one that has given this model.
  trial?: number | null;
  unreadable?: Unreadable[];
}

/// A file of the build that the page could not be told of, and why.
export interface Unreadable {
  name: string;
  reason: string;
}

/// A measured number with its confidence interval.
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface Metric {
  value: Estimate;
  loss: Estimate;
  higher_is_better: boolean;
}

/// evaluation/accuracy.json
export interface Accuracy {
  task: string;
  samples: number;
  metric: string;
  networks: { network: string; metrics: Record<string, Metric> }[];
  tolerable_loss: number;
  verdict: Verdict;
  sentence: string;
  classes: { class: string; count: number; values: number[] }[];
  changed_count: number;
  changed: {
    sample: string;
    expected: string;
    before: string;
    after: string;
    loss: number;
  }[];
}

export interface Detection {
  class: string;
  score: number;
  box: [number, number, number, number];
}

/// evaluation/changed.json
export interface Changed {
  task: string;
  samples: {
    sample: string;
    loss: number;
    expected: Detection[];
    before: Detection[];
    after: Detection[];
  }[];
}

export type Range = [number, number];

export interface CalibrationTensor {
  tensor: string;
  node: string;
  values: Range;
  u8: Range;
  u16: Range;
  channel_axis?: number;
  channels?: number;
  channel_index?: number[];
  channel_min?: number[];
  channel_max?: number[];
  min_sample?: string;
  max_sample?: string;
}

/// quant/calibration_summary.json
/// A sample that somebody should look at.
export interface OddSample {
  sample: string;
  kind: "repeats" | "constant" | "not_finite" | "widens";
  of: string;
  tensors: number;
}

export interface Calibration {
  method: string;
  samples: number;
  odd_samples?: OddSample[];
  tensors: CalibrationTensor[];
}

export interface WeightChannels {
  operator: string;
  tensor: string;
  axis: number;
  channel_max: number[];
}

/// quant/weights_summary.json
export interface WeightsSummary {
  weights: WeightChannels[];
}

export interface Accumulator {
  layer: string;
  accumulator_bits: number;
  unused_bits: number;
  multiplier?: Range;
  shift?: Range;
}

/// compiler/lowering.json
export interface Lowering {
  integer_layers: number;
  movements: number;
  fused_clamps: number;
  float_layers: number;
  cpu_float_islands: unknown[];
  accumulators: Accumulator[];
}

/// A line of compiler/op_profile.csv
export interface ProfileLine {
  layer: string;
  op: string;
  unit: string;
  types: string;
  shape: string;
  macs: number;
  input_bytes: number;
  weight_bytes: number;
  output_bytes: number;
  memory_bytes: number;
  start_cycle: number;
  compute_cycles: number;
  memory_cycles: number;
  cycles: number;
  utilization: number;
}

/// A line of quant/debug/profiling_table.csv
export interface TimeRow {
  Operator: string;
  "Total execution time [us]": number;
  Share: number;
  Calls: number;
}

/// quant/shared_scales.json
export interface SharedScales {
  meetings: {
    layer: string;
    tensor: string;
    decision: string;
    reason: string;
    own_scale: number;
    common_scale: number;
  }[];
}

/// compiler/target.json, as far as the page needs it
export interface Target {
  name: string;
  description: string;
  clock_mhz?: number;
  [field: string]: unknown;
}

/// Files whose fields the page shows as they are.
export type JsonObject = Record<string, unknown>;
