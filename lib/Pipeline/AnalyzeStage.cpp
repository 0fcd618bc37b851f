//===- AnalyzeStage.cpp - Where the precision goes ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/AnalyzeStage.h"
#include "../../tools/run/TensorFolder.h"
#include "AnalysisDump.h"
#include "CompileStage.h"
#include "LayerEvidence.h"
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

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// One sample per folder, or the folder itself.
AnalyzedSamples samplesIn(const fs::path &folder,
                          const std::vector<PortInfo> &inputs) {
  if (!fs::is_directory(folder))
    throw Error(fmt::format("quant.input_sample_dir: {} is no folder",
                            folder.string()));
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.is_directory())
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  if (folders.empty())
    folders.push_back(folder);
  return {
      folders.size(),
      [folders, inputs](size_t i) { return readFolder(folders[i], inputs); },
      folder.string()};
}

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
      // Weights are no layers.
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

void printAnalysis(const PrecisionReport &report, const BuildState &state) {
  const QuantConfig &config = state.config.quant;
  bool isFull = config.precisionAnalysisColumns == AnalysisColumns::Full;
  for (const PrecisionTable &table : report.tables) {
    bool isEndToEnd = table.method == AnalysisMethod::EndToEnd;
    bool isAsked = isEndToEnd == (config.precisionAnalysisMethod ==
                                  PrecisionAnalysisMethod::EndToEnd);
    if (isAsked)
      showResult(renderPrecision(table, isFull, state.style));
  }
  showResult(renderOutliers(report.outliers, state.style));
  showResult(renderWaterfall(report.waterfall, state.style));
  showResult(renderAttribution(report, worstRows, state.style));
  if (isFull) {
    showResult(renderWeights(report, worstRows, state.style));
    showResult(renderActivations(report, worstRows, state.style));
  }
  showResult(renderDifferences(report, worstDifferences, state.style));
  showResult(verdictText(report));
  showResult(renderDiagnoses(report, worstRows));
  showResult(renderSuggestions(report));
}

fs::path debugFolder(const BuildConfig &config) {
  return fs::path(config.outputDir) / "quant" / "debug";
}

void write(const PrecisionReport &report,
           const std::vector<PrecisionEdge> &edges, const BuildConfig &config) {
  fs::path folder = debugFolder(config);
  bool isFull = config.quant.precisionAnalysisColumns == AnalysisColumns::Full;
  fs::path stem = folder / "precision_analysis_table";
  fs::path chart = folder / "precision_analysis.mmd";
  writeFileAtomically(stem.string() + ".txt",
                      precisionTableText(report, isFull));
  writeFileAtomically(stem.string() + ".csv", precisionTableCsv(report));
  writeFileAtomically(stem.string() + ".json", precisionJson(report));
  writeFileAtomically(chart, precisionMermaid(report, edges));
  writeFileAtomically(folder / "weights_table.csv", weightsTableCsv(report));
  writeFileAtomically(folder / "activations_table.csv",
                      activationsTableCsv(report));
  writeFileAtomically(folder / "attribution_table.csv",
                      attributionTableCsv(report));
  writeFileAtomically(folder / "profiling_table.csv",
                      profilingTableCsv(report));
  log(LogLevel::Info, "save precision analysis table to [{}.txt]",
      stem.string());
  log(LogLevel::Info, "save precision analysis graph to [{}]", chart.string());
}

} // namespace

AnalyzedSamples analyzedSamples(BuildState &state) {
  const BuildConfig &config = state.config;
  std::vector<PortInfo> inputs = state.network->inputs();
  if (!config.quant.inputSampleDir.empty())
    return samplesIn(config.quant.inputSampleDir, inputs);
  if (!config.quant.inputConfigs.empty()) {
    auto set = std::make_shared<CalibrationSet>(
        openCalibrationSet(*state.network, config));
    return {set->size(), [set](size_t i) { return set->load(i); },
            config.quant.inputConfigs[0].calibrationDataset};
  }
  auto few = std::make_shared<CheckSamples>(evaluationSamples(config, inputs));
  return {few->samples.size(), [few](size_t i) { return few->samples[i]; },
          few->source};
}

void runAnalyzeStage(BuildState &state) {
  const QuantConfig &config = state.config.quant;
  AnalyzedSamples samples = analyzedSamples(state);
  size_t allSamples = samples.count;
  if (config.precisionAnalysisSize > 0)
    samples.count =
        std::min(samples.count, size_t(config.precisionAnalysisSize));
  AnalyzedNetwork views{state.network->function(),
                        state.network->view("quantized"), nullptr};
  if (config.precisionAnalysisMode != PrecisionAnalysisMode::Reference)
    views.machine = machineOf(state);
  // A model that came quantized has no stages to compare.
  std::optional<Network> imported;
  if (state.config.modelType == ModelType::Onnx) {
    imported.emplace(networkOptions(state.config));
    views.imported = imported->function();
  }
  std::vector<Comparison> comparisons = comparisonsOf(config);
  std::optional<AnalysisDump> dump;
  if (config.precisionAnalysisDump)
    dump.emplace(debugFolder(state.config), views.network, comparisons,
                 samples.count);
  PrecisionReport report;
  {
    Progress progress("Analyzing precision", int64_t(samples.count));
    AnalysisSamples analyzed{samples.count, samples.load,
                             [&] { progress.advance(); }, state.threads};
    analyzed.attributes = true;
    if (dump)
      analyzed.look = [&](const ComparedValues &compared) {
        dump->write(compared);
      };
    report = analyzePrecision(views, comparisons, analyzed);
  }
  if (dump)
    dump->finish();
  report.sampleSource = samples.source;
  mlir::func::FuncOp machine = views.machine ? views.machine : machineOf(state);
  addCycles(report, machine, state.config);
  std::optional<OtherSamples> others;
  if (!config.inputSampleDir.empty())
    others = {allSamples, samples.load};
  addSuggestions(report, state, machine, others);
  if (!state.evidenceDir.empty() && samples.count > 0)
    writeEvidence(state.evidenceDir, {views.network, views.quantized, machine},
                  samples.load(0), report);
  printAnalysis(report, state);
  write(report, edgesOf(views.network), state.config);
  writeSuggestions(report, state);
  state.cycles = cyclesOf(machine, state.config);
  state.report = std::move(report);
  // Otherwise the result is still to come.
  bool isLast =
      state.suggestionsToApply == 0 || state.report->suggestions.empty();
  if (isLast && state.failUnder && !passes(*state.report, *state.failUnder)) {
    state.isTooImprecise = true;
    log(LogLevel::Error, "the network is less precise than --fail-under {}",
        *state.failUnder);
  }
}

} // namespace parallax
