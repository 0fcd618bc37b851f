//===- AnalyzeStage.cpp - Where the precision goes ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One sweep over the samples, then tables, files and suggestions.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/AnalyzeStage.h"
#include "AnalysisDump.h"
#include "CompileStage.h"
#include "InputSamples.h"
#include "LayerEvidence.h"
#include "OutputWorth.h"
#include "Suggestions.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/Evaluation.h"

#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/Ranks.h"
#include "parallax/Support/Views.h"

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

std::vector<Comparison> comparisonsOf(const QuantConfig &config) {
  std::vector<AnalysisMode> modes;
  if (config.precisionAnalysisMode != PrecisionAnalysisMode::NpuBackend)
    modes.push_back(AnalysisMode::Reference);
  if (config.precisionAnalysisMode != PrecisionAnalysisMode::Reference)
    modes.push_back(AnalysisMode::NPUBackend);
  std::vector<Comparison> result;
  for (AnalysisMethod method :
       {AnalysisMethod::PerLayer, AnalysisMethod::EndToEnd})
    for (AnalysisMode mode : modes)
      result.push_back({method, mode});
  return result;
}

/// Which tensors a layer computes from which, for the flow chart.
std::vector<PrecisionEdge> edgesOf(mlir::func::FuncOp network) {
  std::vector<PrecisionEdge> edges;
  for (Operation &op : network.front().without_terminator())
    for (Value operand : op.getOperands()) {
      // Weights are not layers.
      Operation *maker = operand.getDefiningOp();
      if (!maker || maker->getNumOperands() > 0)
        edges.push_back(
            {getTensorName(operand), getTensorName(op.getResult(0))});
    }
  return edges;
}

/// What a screen shows of a summary.
constexpr size_t worstRows = 10;
constexpr size_t worstDifferences = 8;

void printAnalysis(const PrecisionReport &report, const QuantConfig &config) {
  bool isFull = config.precisionAnalysisColumns == AnalysisColumns::Full;
  TextStyle style = currentListener().style();
  showResult(comparedSamples(report));
  for (const PrecisionTable &table : report.tables)
    if (table.method == config.precisionAnalysisMethod)
      showResult(renderPrecision(table, isFull, style));
  showResult(renderOutliers(report, style));
  showResult(renderWaterfall(report, style));
  showResult(renderAttribution(report, worstRows, style));
  if (isFull) {
    showResult(renderWeights(report, worstRows, style));
    showResult(renderActivations(report, worstRows, style));
  }
  showResult(renderDifferences(report, worstDifferences, style));
  showResult(verdictText(report));
  showResult(renderDiagnoses(report, worstRows));
  showResult(renderSuggestions(report));
}

void write(const PrecisionReport &report,
           const std::vector<PrecisionEdge> &edges, const BuildState &state) {
  OutputFiles files = state.files();
  bool isFull =
      state.config.quant.precisionAnalysisColumns == AnalysisColumns::Full;
  writeFileAtomically(files.precisionText(),
                      precisionTableText(report, isFull));
  writeFileAtomically(files.precisionCsv(), precisionTableCsv(report));
  writeFileAtomically(files.precisionJson(), precisionJson(report));
  writeFileAtomically(files.precisionChart(), precisionMermaid(report, edges));
  writeFileAtomically(files.weightsTable(), weightsTableCsv(report));
  writeFileAtomically(files.activationsTable(), activationsTableCsv(report));
  writeFileAtomically(files.attributionTable(), attributionTableCsv(report));
  writeFileAtomically(files.profilingTable(), profilingTableCsv(report));
  log(LogLevel::Info, "save precision analysis table to [{}]",
      files.precisionText().string());
  log(LogLevel::Info, "save precision analysis graph to [{}]",
      files.precisionChart().string());
}

} // namespace

AnalyzedSamples analyzedSamples(BuildState &state) {
  const BuildConfig &config = state.config;
  std::vector<PortInfo> inputs = state.network->inputs();
  if (!config.quant.inputSampleDir.empty())
    return {inputSamples(inputs, config), SampleOrigin::Others, nullptr};
  if (!config.quant.inputConfigs.empty())
    return heldOutSamples(*state.network, config);
  return {evaluationSamples(config, inputs), SampleOrigin::Others, nullptr};
}

void runAnalyzeStage(BuildState &state) {
  const QuantConfig &config = state.config.quant;
  AnalyzedSamples samples = analyzedSamples(state);
  size_t allSamples = samples.count;
  if (config.precisionAnalysisSize > 0)
    samples.count =
        std::min(samples.count, size_t(config.precisionAnalysisSize));
  Network &network = *state.network;
  mlir::func::FuncOp machine = machineOf(state);
  AnalyzedNetwork analyzed{network.function(), network.view(views::quantized),
                           nullptr, network.view(views::imported)};
  if (config.precisionAnalysisMode != PrecisionAnalysisMode::Reference)
    analyzed.machine = machine;
  std::vector<Comparison> comparisons = comparisonsOf(config);
  std::optional<AnalysisDump> dump;
  if (config.precisionAnalysisDump)
    dump.emplace(state.files().debugFolder(), analyzed.network, comparisons,
                 samples.count);
  SeenOutputs seen(network.outputs(),
                   std::min(samples.count, MethodTrials::mostSamples));
  PrecisionReport report;
  {
    Progress progress("Analyzing precision", int64_t(samples.count));
    AnalysisOptions options{state.options.threads, [&] { progress.advance(); }};
    options.attributes = true;
    options.weigh = worthOfErrors(state);
    options.lookAtOutputs = [&](const ComparedValues &compared) {
      seen.take(compared);
    };
    if (dump)
      options.look = [&](const ComparedValues &compared) {
        dump->write(compared);
      };
    report = analyzePrecision(analyzed, comparisons, samples, options);
  }
  if (dump)
    dump->finish();
  report.sampleSource = samples.source;
  report.sampleOrigin = samples.origin;
  for (size_t i = 0; samples.name && i < samples.count; ++i)
    report.sampleNames.push_back(samples.name(i));
  report.isSmoothed = config.enableSmoothQuant;
  if (const std::optional<Accuracy> &accuracy = state.result->accuracy;
      accuracy && accuracy->isCompared())
    report.task = outcomeOf(*accuracy);
  addCycles(report, machine, state.config);
  std::optional<Samples> others;
  if (!config.inputSampleDir.empty())
    others = {allSamples, samples.load, samples.source};
  addSuggestions(report, state, machine, samples, seen, others);
  const std::string &evidence = state.options.evidenceDir;
  if (!evidence.empty() && samples.count > 0 && ranks().isFirst())
    writeEvidence(evidence, {analyzed.network, analyzed.quantized, machine},
                  samples.load(0), report);
  printAnalysis(report, state.config.quant);
  write(report, edgesOf(analyzed.network), state);
  writeSuggestions(report, state);
  state.cycles = cyclesOf(machine, state.config);
  state.result->report = std::move(report);
}

} // namespace parallax
