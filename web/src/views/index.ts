//===- index.ts - The views of the report ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line for each view, in the order of the navigation. A view that has
// nothing to show for a build is not offered.
//===----------------------------------------------------------------------===//
import type { ComponentType } from "preact";
import type { Data } from "../data";
import { AttributionView } from "./Attribution";
import { AuditView } from "./Audit";
import { BitsView } from "./Bits";
import { CalibrationView } from "./Calibration";
import { CompareView } from "./Compare";
import { CostView } from "./Cost";
import { EvaluationView } from "./Evaluation";
import { GraphView } from "./Graph";
import { LayerView } from "./Layer";
import { LayersView } from "./Layers";
import { OutliersView } from "./Outliers";
import { ProfilingView } from "./Profiling";
import { SummaryView } from "./Summary";
import { TuningView } from "./Tuning";

export interface View {
  id: string;
  title: string;
  component: ComponentType<{ data: Data }>;
  isAvailable: (data: Data) => boolean;
}

const always = () => true;
const hasAnalysis = (data: Data) => data.main.analysis !== undefined;
const hasAttribution = (data: Data) =>
  (data.main.analysis?.attribution?.rows.length ?? 0) > 0;
const hasTimes = (data: Data) =>
  (data.main.times?.length ?? 0) > 0;
const hasTrials = (data: Data) => data.main.tuningHistory !== undefined;
const hasRules = (data: Data) =>
  data.main.audit !== undefined || data.main.sharedScales !== undefined;
const hasCalibration = (data: Data) =>
  data.main.calibration !== undefined || hasAnalysis(data);
const hasTwoBuilds = (data: Data) => data.other !== undefined;
const hasLayers = (data: Data) => data.main.layers.length > 0;

export const views: readonly View[] = [
  { id: "summary", title: "Summary", component: SummaryView, isAvailable: always },
  { id: "compare", title: "Compare", component: CompareView, isAvailable: hasTwoBuilds },
  { id: "layers", title: "Layers", component: LayersView, isAvailable: hasLayers },
  { id: "layer", title: "Layer", component: LayerView, isAvailable: hasLayers },
  { id: "attribution", title: "Attribution", component: AttributionView, isAvailable: hasAttribution },
  { id: "outliers", title: "Outliers", component: OutliersView, isAvailable: hasAnalysis },
  { id: "graph", title: "Graph", component: GraphView, isAvailable: hasLayers },
  { id: "evaluation", title: "Evaluation", component: EvaluationView, isAvailable: always },
  { id: "calibration", title: "Calibration", component: CalibrationView, isAvailable: hasCalibration },
  { id: "bits", title: "Bits", component: BitsView, isAvailable: hasAnalysis },
  { id: "cost", title: "Cost", component: CostView, isAvailable: always },
  { id: "profiling", title: "Profiling", component: ProfilingView, isAvailable: hasTimes },
  { id: "tuning", title: "Tuning", component: TuningView, isAvailable: hasTrials },
  { id: "audit", title: "Audit", component: AuditView, isAvailable: hasRules },
];
