//===- Workbench.cpp - Where trial networks are built ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Phases say nothing while trials are built: a tuning has words of its own.
//===----------------------------------------------------------------------===//
#include "Workbench.h"

#include "parallax/Backend/NPU/Cost.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Quantize/Improve.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Views.h"

namespace fs = std::filesystem;

namespace parallax {
namespace {

constexpr const char *typesField = "quant.layer_configs";

/// All changes but those of types.
std::vector<ConfigEdit> leversOf(std::span<const ConfigEdit> edits) {
  std::vector<ConfigEdit> levers(edits.begin(), edits.end());
  std::erase_if(
      levers, [](const ConfigEdit &edit) { return edit.field == typesField; });
  return levers;
}

std::string keyOf(std::span<const ConfigEdit> edits) {
  std::string key;
  for (const ConfigEdit &edit : edits)
    key += edit.field + "=" + edit.value + "\n";
  return key;
}

} // namespace

Workbench::Workbench(BuildConfig config, fs::path folder, int threads)
    : original(std::move(config)), folder(std::move(folder)) {
  original.outputDir = this->folder.string();
  state.options.threads = threads;
  state.result = &ignored;
}

Workbench::~Workbench() {
  std::error_code error;
  fs::remove_all(folder, error);
}

std::vector<ConfigEdit>
Workbench::withRequired(std::span<const ConfigEdit> edits) const {
  std::vector<ConfigEdit> all = required;
  all.insert(all.end(), edits.begin(), edits.end());
  return all;
}

void Workbench::calibrate(std::span<const ConfigEdit> edits) {
  std::vector<ConfigEdit> levers = leversOf(edits);
  std::string key = keyOf(levers);
  bool isSame = isCalibrated && key == calibratedAs;
  if (isSame && !isImproved)
    return;
  // If it fails there is no network.
  isCalibrated = false;
  QuietListener quiet(currentListener());
  ListenerScope scope(quiet);
  state.config = withEdits(original, levers);
  fs::path checkpoint = OutputFiles(folder).checkpoint("calibrate");
  if (isSame && fs::exists(checkpoint)) {
    state.network.emplace(networkOptions(state.config), checkpoint);
  } else {
    state.network.reset();
    for (const Phase &phase : phasesBetween("", "calibrate"))
      if (phase.isWanted(state.config))
        phase.run(state);
    fs::remove(checkpoint);
    if (asksForImprovement(state.config.quant))
      state.network->save(checkpoint, state.modelDigest);
  }
  calibratedAs = key;
  isCalibrated = true;
  isImproved = false;
}

void Workbench::build(std::span<const ConfigEdit> edits) {
  calibrate(edits);
  QuietListener quiet(currentListener());
  ListenerScope scope(quiet);
  BuildConfig leversOnly = state.config;
  state.config = withEdits(original, withRequired(edits));
  isImproved = asksForImprovement(state.config.quant);
  try {
    buildAgain(state, "quantize", "compile");
    // Without samples, these phases have nothing to do.
    if (!machineOf(state))
      throw Error("these changes leave no samples to quantize with: "
                  "quant.input_configs has to stay");
  } catch (...) {
    state.config = leversOnly;
    throw;
  }
  state.config = leversOnly;
}

Executable Workbench::machine() {
  return prepare(machineOf(state), npuKernels(), {});
}

std::string Workbench::digest() const {
  return sha256OfFile(folder / original.outputName);
}

PrecisionReport Workbench::analyze(const Samples &samples,
                                   const AnalysisOptions &options) {
  Network &network = *state.network;
  AnalyzedNetwork views{network.function(), network.view(views::quantized),
                        machineOf(state)};
  return analyzePrecision(
      views,
      {{AnalysisMethod::PerLayer, AnalysisMode::NPUBackend},
       {AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend}},
      samples, options);
}

std::optional<Trial> Workbench::attempt(std::span<const ConfigEdit> edits) {
  std::vector<ConfigEdit> types = withRequired(edits);
  std::erase_if(
      types, [](const ConfigEdit &edit) { return edit.field != typesField; });
  return parallax::attempt(state, types);
}

static double countOf(const LayerCost &cost, TuningObjective objective) {
  switch (objective) {
  case TuningObjective::Size:
    return double(cost.weightBytes);
  case TuningObjective::Traffic:
    return double(cost.memoryBytes);
  case TuningObjective::Cycles:
    return double(cost.cycles);
  }
  return 0;
}

int64_t Workbench::costOf(const Trial &trial) const {
  double sum = 0;
  for (const LayerCost &cost : trial.costs)
    sum += countOf(cost, original.tuning.objective);
  return int64_t(sum);
}

std::map<std::string, double> Workbench::layerCosts(const Trial &trial) const {
  std::map<std::string, double> costs;
  for (const LayerCost &cost : trial.costs)
    costs[cost.layer] += countOf(cost, original.tuning.objective);
  return costs;
}

double Workbench::conversionCost(const PrecisionRow &tensor) const {
  int64_t elements = 1;
  for (int64_t size : tensor.shape)
    elements *= size;
  return countOf(
      estimateConversion(elements, findTarget(original.targetHardware),
                         {original.npuMode, original.compiler.ddrBwLimit}),
      original.tuning.objective);
}

int64_t Workbench::cost() {
  Trial built;
  built.costs = costsOf(machineOf(state), original);
  return costOf(built);
}

} // namespace parallax
