//===- data.ts - The builds that a report is about ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files of a build are elements of the page: base64 of gzip. This unpacks
// them, and gathers what they say about a tensor in one `Layer`, so that views
// need not search.
//===----------------------------------------------------------------------===//
import { parseCsv, parseJson, parseJsonLines } from "./json";
import type * as T from "./types";
import { numberText } from "./ui/format";

/// What is known of one result tensor, or of a network input.
export interface Layer {
  /// In the order of the network; inputs come first.
  index: number;
  tensor: string;
  operator: string;
  type: string;
  isInput: boolean;
  isOutput: boolean;
  shape: number[];
  dtype: string;
  qdtype: string;
  cycles: number;
  /// Of the tables; an input has the same row in all of them.
  rows: Partial<Record<T.TableKey, T.Row>>;
  producers: Layer[];
  readers: Layer[];
  attribution?: T.AttributionRow;
  difference?: T.Difference;
  outliers?: T.Outliers;
  calibration?: T.CalibrationTensor;
  accumulator?: T.Accumulator;
  diagnoses: T.Diagnosis[];
  suggestions: T.Suggestion[];
  weights: T.Weights[];
  weightChannels: T.WeightChannels[];
  histograms: T.Histogram[];
  profile: T.ProfileLine[];
}

/// All files of one build. Only `report` is always there.
export interface Build {
  report: T.Report;
  context?: T.JsonObject;
  target?: T.Target;
  lowering?: T.Lowering;
  profile?: T.ProfileLine[];
  times?: T.TimeRow[];
  analysis?: T.Analysis;
  audit?: unknown;
  sharedScales?: T.SharedScales;
  floatChanges?: unknown;
  calibration?: T.Calibration;
  weightsSummary?: T.WeightsSummary;
  accuracy?: T.Accuracy;
  changed?: T.Changed;
  tuningHistory?: T.JsonObject[];
  tuningFront?: unknown;
  tunedConfig?: T.JsonObject;
  /// What could not be read; all else is shown.
  unreadable: T.Unreadable[];

  layers: Layer[];
  byTensor: Map<string, Layer>;
  byOperator: Map<string, Layer[]>;
  /// The tables that this build has, in the order of the file.
  tables: T.TableKey[];
}

export interface Data {
  /// What views show.
  main: Build;
  /// The other build of a comparison.
  other?: Build;
  /// Both in the order in which they were given: changes are the second one
  /// minus the first one, whichever is shown.
  first: Build;
  second?: Build;
}

/// Texts by name, or why there is none.
type Files = Map<string, string | Error>;

const asError = (reason: unknown) =>
  reason instanceof Error ? reason : new Error(String(reason));

async function unpack(base64: string): Promise<string> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function filesOf(build: string): Promise<Files> {
  const elements = document.querySelectorAll<HTMLElement>(
    `script[type="application/gzip"][data-build="${build}"]`,
  );
  const entries = [...elements].map(async (element) => {
    const text = await unpack(element.textContent).catch(asError);
    // The text is not needed twice, and base64 of large builds is large.
    element.remove();
    return [element.dataset["name"] ?? "", text] as const;
  });
  return new Map(await Promise.all(entries));
}

const analysisName = "quant/debug/precision_analysis_table.json";
const profileTexts = ["layer", "op", "unit", "types", "shape"];

const noLayers = (): Pick<
  Build,
  "layers" | "byTensor" | "byOperator" | "tables"
> => ({ layers: [], byTensor: new Map(), byOperator: new Map(), tables: [] });

export function buildOf(files: Files): Build {
  const unreadable: T.Unreadable[] = [];
  /// One bad file must not take the others with it.
  const attempt = <U>(name: string, read: () => U): U | undefined => {
    try {
      return read();
    } catch (error) {
      unreadable.push({ name, reason: asError(error).message });
      return undefined;
    }
  };
  const fileAs = <U>(name: string, read: (text: string) => unknown) =>
    attempt(name, () => {
      const text = files.get(name);
      if (text instanceof Error) throw text;
      return text === undefined ? undefined : (read(text) as U);
    });
  const json = <U>(name: string) => fileAs<U>(name, parseJson);
  const build: Build = {
    report: json<T.Report>("report.json") ?? {
      format: 1,
      tool: "",
      folder: "",
      model: "",
    },
    context: json("build_context.json"),
    target: json("compiler/target.json"),
    lowering: json("compiler/lowering.json"),
    profile: fileAs("compiler/op_profile.csv", (text) =>
      parseCsv(text, profileTexts),
    ),
    analysis: json(analysisName),
    times: fileAs("quant/debug/profiling_table.csv", (text) =>
      parseCsv(text, ["Operator"]),
    ),
    audit: json("quant/layer_config_audit.json"),
    sharedScales: json("quant/shared_scales.json"),
    floatChanges: json("quant/float_changes.json"),
    calibration: json("quant/calibration_summary.json"),
    weightsSummary: json("quant/weights_summary.json"),
    accuracy: json("evaluation/accuracy.json"),
    changed: json("evaluation/changed.json"),
    tuningHistory: fileAs("tuning/history.jsonl", parseJsonLines),
    tuningFront: json("tuning/front.json"),
    tunedConfig: json("tuning/tuned_config.json"),
    unreadable,
    ...noLayers(),
  };
  unreadable.unshift(...(build.report.unreadable ?? []));
  const areLayersRead = attempt(analysisName, () => {
    addLayers(build);
    return true;
  });
  // Views take an analysis for complete.
  return areLayersRead ? build : { ...build, analysis: undefined, ...noLayers() };
}

function groupBy<U>(items: readonly U[] | undefined, key: (item: U) => string) {
  const groups = new Map<string, U[]>();
  for (const item of items ?? []) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

function layerOf(row: T.Row, index: number): Layer {
  return {
    index,
    tensor: row.tensor,
    operator: row.operator,
    type: row.type,
    isInput: row.type === "Input",
    isOutput: row.is_output,
    shape: row.shape,
    dtype: row.dtype,
    qdtype: row.qdtype,
    cycles: row.cycles,
    rows: {},
    producers: [],
    readers: [],
    diagnoses: [],
    suggestions: [],
    weights: [],
    weightChannels: [],
    histograms: [],
    profile: [],
  };
}

function addRows(build: Build, analysis: T.Analysis): void {
  const add = (row: T.Row, keys: readonly T.TableKey[]) => {
    let layer = build.byTensor.get(row.tensor);
    if (!layer) {
      layer = layerOf(row, build.layers.length);
      build.layers.push(layer);
      build.byTensor.set(row.tensor, layer);
    }
    for (const key of keys) layer.rows[key] = row;
  };
  build.tables = analysis.tables.map(
    (table): T.TableKey => `${table.method} ${table.mode}`,
  );
  for (const row of analysis.inputs) add(row, build.tables);
  analysis.tables.forEach((table, i) => {
    for (const row of table.rows) add(row, build.tables.slice(i, i + 1));
  });
}

/// What the tool writes into CSV files in place of a name: control characters,
/// also those that turn the direction of text, could do harm on a screen.
const printable = (name: string) =>
  name.replace(
    /(?![\r\n\t])[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    "\ufffd",
  );

/// Lines of the profile get the names that layers have in other files.
function nameProfile({ profile, byOperator }: Build): void {
  const named = new Map(
    [...byOperator.keys()].map((operator) => [printable(operator), operator]),
  );
  for (const line of profile ?? [])
    if (!byOperator.has(line.layer))
      line.layer = named.get(line.layer) ?? line.layer;
}

function addLayers(build: Build): void {
  const { analysis } = build;
  if (analysis === undefined) return;
  addRows(build, analysis);
  build.byOperator = groupBy(build.layers, (layer) => layer.operator);
  nameProfile(build);

  const byTensor = <U extends { tensor: string }>(items?: readonly U[]) =>
    groupBy(items, (item) => item.tensor);
  const byOperator = <U extends { operator: string }>(items?: readonly U[]) =>
    groupBy(items, (item) => item.operator);
  const attribution = byTensor(sharesOf(build)?.rows);
  const differences = byTensor(analysis.differences);
  const outliers = byTensor(analysis.outliers);
  const diagnoses = byTensor(analysis.diagnoses);
  const calibration = byTensor(build.calibration?.tensors);
  const activations = byTensor(analysis.histograms.filter((h) => !h.is_weight));
  const constants = byOperator(analysis.histograms.filter((h) => h.is_weight));
  const weights = byOperator(analysis.weights);
  const channels = byOperator(build.weightsSummary?.weights);
  const profile = groupBy(build.profile, (line) => line.layer);
  const accumulators = groupBy(build.lowering?.accumulators, (a) => a.layer);
  const suggestions = groupBy(
    analysis.suggestions.flatMap((suggestion) =>
      suggestion.layers.map((layer) => ({ layer, suggestion })),
    ),
    (pair) => pair.layer,
  );

  for (const layer of build.layers) {
    const { tensor, operator } = layer;
    layer.attribution = attribution.get(tensor)?.[0];
    layer.difference = differences.get(tensor)?.[0];
    layer.outliers = outliers.get(tensor)?.[0];
    layer.calibration = calibration.get(tensor)?.[0];
    layer.accumulator = accumulators.get(operator)?.[0];
    layer.diagnoses = diagnoses.get(tensor) ?? [];
    layer.weights = weights.get(operator) ?? [];
    layer.weightChannels = channels.get(operator) ?? [];
    layer.profile = profile.get(operator) ?? [];
    layer.histograms = [
      ...(activations.get(tensor) ?? []),
      ...(constants.get(operator) ?? []),
    ];
    layer.suggestions =
      suggestions.get(operator)?.map((pair) => pair.suggestion) ?? [];
    const inputs = Object.values(layer.rows)[0]?.inputs ?? [];
    for (const input of new Set(inputs)) {
      const producer = build.byTensor.get(input);
      if (!producer) continue;
      layer.producers.push(producer);
      producer.readers.push(layer);
    }
  }
}

/// How the loss is shared out among layers, unless that failed.
export function sharesOf({ analysis }: Build): T.Attribution | undefined {
  const attribution = analysis?.attribution;
  return attribution?.closes === false ? undefined : attribution;
}

/// Why shares of the loss are missing from a build that has looked for them.
export function whyNoShares(build: Build): string | undefined {
  const attribution = build.analysis?.attribution;
  if (!attribution || sharesOf(build)) return undefined;
  return (
    `The loss of ${numberText(attribution.measured)} could not be shared out ` +
    "among layers: the parts that were found do not add up to it."
  );
}

const tableOrder: readonly T.TableKey[] = [
  "EndToEnd NPUBackend",
  "EndToEnd Reference",
  "PerLayer NPUBackend",
  "PerLayer Reference",
];

/// The table that says most of a build: errors as they accumulate, on the NPU.
export function mainTable(build: Build): T.TableKey | undefined {
  return tableOrder.find((key) => build.tables.includes(key));
}

/// What decides of an output: its weakest channels, where they have ranges of
/// their own. The tool's decidingSimilarity() is the same.
export function decidingCosine(row: T.Row): number {
  const groups = row.groups.filter((group) => !group.is_constant);
  return Math.min(row.similarity, ...groups.map((group) => group.cosine));
}

/// What the outputs lose in the mean, which diagnoses are measured by. Undefined
/// if errors were not followed to the outputs.
export function lossOfOutputs(build: Build): number | undefined {
  const table = mainTable(build);
  if (!table?.startsWith("EndToEnd")) return undefined;
  const losses = build.layers.flatMap((layer) => {
    const row = layer.rows[table];
    return row?.is_output ? [1 - decidingCosine(row)] : [];
  });
  if (losses.length === 0) return undefined;
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/// The sum of what layers would lose alone, of which they have shares.
export function lossAlone(build: Build): number {
  const rows = sharesOf(build)?.rows ?? [];
  return rows.reduce((sum, row) => sum + row.alone, 0);
}

/// The first row of a layer that has an optional field: not all tables have
/// all of them.
export function rowWith<F extends keyof T.Row>(layer: Layer, field: F) {
  for (const table of tableOrder) {
    const value = layer.rows[table]?.[field];
    if (value !== undefined) return { table, value };
  }
  return undefined;
}

export async function load(): Promise<Data> {
  const files = await Promise.all([filesOf("0"), filesOf("1")]);
  const first = buildOf(files[0]);
  const second = files[1].size > 0 ? buildOf(files[1]) : undefined;
  return { main: first, other: second, first, second };
}
