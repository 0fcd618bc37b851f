//===- analysis.ts - Shapes of the precision analysis --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// quant/debug/precision_analysis_table.json, as docs/precision-analysis.md
// describes it.
//===----------------------------------------------------------------------===//

export type Method = "PerLayer" | "EndToEnd";
export type Mode = "Reference" | "NPUBackend";
export type Verdict = "good" | "undecided" | "bad";

/// One table of the analysis, such as "EndToEnd NPUBackend".
export type TableKey = `${Method} ${Mode}`;

export interface Summary {
  count: number;
  min: number;
  max: number;
  mean: number;
  std: number;
  variance: number;
}

export interface Codes {
  scale: number;
  zero_point: number;
  low: number;
  high: number;
}

export interface Peak {
  channel: number;
  largest: number;
  median: number;
}

export interface ChannelGroup {
  channels: { first: number; last: number }[];
  min: number;
  max: number;
  is_constant: boolean;
  cosine: number;
  samples: number;
  mean: number;
  std: number;
  worst_sample: number;
  lowest: number;
  highest: number;
}

/// A tensor that was compared: float against quantized.
export interface Row {
  operator: string;
  type: string;
  tensor: string;
  shape: number[];
  dtype: string;
  qdtype: string;
  is_output: boolean;
  cosine: number | null;
  mse: number | null;
  similarity: number;
  sqnr_db: number | null;
  max_abs: number | null;
  max_steps: number | null;
  worst_sample: number;
  worst_sample_cosine: number;
  channels: number;
  worst_channel: number;
  worst_channel_cosine: number;
  dead_channels: number;
  sparse_channels: number;
  saturated: number;
  rows: number;
  agreement: number | null;
  is_exact: boolean;
  samples: number;
  count: number;
  nan_quantized: number;
  nan_float: number;
  inf_quantized: number;
  inf_float: number;
  codes?: Codes;
  inputs: string[];
  cycles: number;
  moves: boolean;
  groups: ChannelGroup[];
  quantized?: Summary;
  reference?: Summary;
  sample_cosines?: number[];
  channel_errors?: number[];
}

export interface Table {
  method: Method;
  mode: Mode;
  rows: Row[];
  unmatched: string[];
}

export interface Weights {
  operator: string;
  tensor: string;
  shape: number[];
  qdtype: string;
  mse: number;
  float: Summary;
  quantized: Summary;
  output_peak?: Peak;
  input_peak?: Peak;
}

export interface Outliers {
  tensor: string;
  channels: number;
  sparse: number;
  level_3: number;
  level_4: number;
  level_5: number;
  level_6: number;
  peak?: Peak;
}

export interface AttributionRow {
  operator: string;
  tensor: string;
  type: string;
  weights: number;
  activations: number;
  total: number;
  alone: number;
  alone_weights: number;
}

export interface Attribution {
  mode: Mode;
  samples: number;
  measured: number;
  attributed: number;
  gap: number;
  /// Whether the parts are the loss; if not, no number of any row holds.
  closes?: boolean;
  approximated: string[];
  rows: AttributionRow[];
}

/// The loss of an output, 1 - cosine, after each stage.
export interface Waterfall {
  output: string;
  optimization: number;
  weights: number;
  activations: number;
  machine: number;
  has_machine: boolean;
}

export interface DifferenceExample {
  sample: number;
  index: number[];
  reference: number;
  machine: number;
  exact: number;
  operands: string;
}

export interface Difference {
  operator: string;
  tensor: string;
  type: string;
  elements: number;
  differing: number;
  max_codes: number;
  class: string;
  is_first: boolean;
  examples: DifferenceExample[];
}

export interface Diagnosis {
  operator: string;
  tensor: string;
  cause: string;
  facts: string;
  loss: number;
}

export interface Edit {
  field: string;
  value: unknown;
  appends: boolean;
}

export interface Suggestion {
  title: string;
  layers: string[];
  edits: Edit[];
  predicted_gain: number;
  extra_cycles: number;
}

/// Bin i begins at start + i * width; widths are powers of two, and bins begin
/// at their multiples.
export interface Bins {
  min: number;
  max: number;
  nan: number;
  inf: number;
  start: number;
  width: number;
  counts: number[];
}

export interface Histogram {
  operator: string;
  tensor: string;
  is_weight: boolean;
  channel: number;
  samples: number;
  clip?: [number, number];
  values: Bins;
  /// What the codes of these values stand for.
  quantized?: Bins;
}

export interface OutputVerdict {
  mode: Mode;
  tensor: string;
  verdict: Verdict;
  reason: string;
}

export interface TaskVerdict {
  metric: string;
  loss: number;
  verdict: Verdict;
  sentence: string;
}

/// quant/debug/precision_analysis_table.json
export interface Analysis {
  schema: number;
  samples: number;
  sample_source: string;
  sample_origin: string;
  sample_names: string[];
  thresholds: {
    output: number;
    layer: number;
    fall: number;
    good: number;
    good_sample: number;
    bad_sample: number;
  };
  passes: boolean;
  verdict: string;
  outputs: OutputVerdict[];
  tables: Table[];
  inputs: Row[];
  outliers: Outliers[];
  smoothed: boolean;
  task?: TaskVerdict;
  weights: Weights[];
  attribution?: Attribution;
  waterfall: Waterfall[];
  differences: Difference[];
  diagnoses: Diagnosis[];
  suggestions: Suggestion[];
  histograms: Histogram[];
}
