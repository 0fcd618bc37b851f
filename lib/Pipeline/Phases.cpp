//===- Phases.cpp - The phases of a build ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The table is the order of the flow.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Phases.h"
#include "CompileStage.h"
#include "EvaluateStage.h"
#include "QuantizeStage.h"
#include "parallax/Pipeline/AnalyzeStage.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/Evaluation.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/Ranks.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

bool wantsCalibration(const BuildConfig &config) {
  return config.modelType == ModelType::Onnx && hasCalibration(config);
}

bool always(const BuildConfig &) { return true; }

bool wantsQuantization(const BuildConfig &config) {
  return config.modelType != ModelType::Onnx || hasCalibration(config);
}

bool wantsAnalysis(const BuildConfig &config) {
  return wantsQuantization(config) && config.quant.precisionAnalysis;
}

bool wantsEvaluation(const BuildConfig &config) {
  return config.evaluation.isGiven();
}

/// The analysis compares the stages with the network as it was imported. One
/// that goes on from a checkpoint may be asked for later. A model that came
/// quantized has no stages to compare.
bool needsImported(const BuildState &state) {
  return state.config.modelType == ModelType::Onnx &&
         (wantsAnalysis(state.config) || !state.options.phaseTo.empty());
}

[[noreturn]] void failForChange(const BuildState &state) {
  throw Error(fmt::format("{} or its external data changed while the build "
                          "ran, so its results would be of two models; build "
                          "again",
                          state.config.input));
}

void importModel(BuildState &state) {
  state.network.emplace(networkOptions(state.config));
  std::string digest =
      digestOfModel(state.config.input, state.network->summary());
  // A suggestion may start from here again.
  if (!state.modelDigest.empty() && state.modelDigest != digest)
    failForChange(state);
  state.modelDigest = std::move(digest);
  ranks().requireSame("model", state.modelDigest);
}

void optimizeFloats(BuildState &state) {
  const BuildConfig &config = state.config;
  FloatStageOptions stage;
  // A quantized model is taken as it is.
  stage.optimize = !config.onnxOpt.disableOnnxOptimization &&
                   config.modelType == ModelType::Onnx;
  stage.checkRewrites = !config.onnxOpt.disableTransformationCheck;
  stage.checkModel = config.onnxOpt.modelCheck;
  stage.samples = [&](std::span<const PortInfo> inputs) {
    if (config.quant.inputConfigs.empty())
      return evaluationSamples(config, inputs);
    Samples samples = calibrationSamples(*state.network, config);
    samples.count = std::min(samples.count, size_t(4));
    return samples;
  };
  stage.threads = state.options.threads;
  stage.keepsImported = needsImported(state);
  OutputFiles files = state.files();
  stage.onnx = files.optimizedModel();
  stage.nameMap = files.nameMap();
  if (config.debug.dumpFrontendGraph) {
    stage.importedMlir = files.importedMlir();
    stage.optimizedMlir = files.optimizedMlir();
  }
  runFloatStage(*state.network, stage);
  if (wantsCalibration(config)) {
    checkTensorConfigs(state);
    checkRules(state);
  }
}

constexpr Phase phases[] = {
    {"import", "read the model", importModel, always},
    {"optimize", "simplify the float network", optimizeFloats, always},
    {"calibrate", "find the ranges of tensors on samples", runCalibrateStage,
     wantsCalibration},
    {"quantize", "choose types and scales, and turn weights into codes",
     runQuantizeStage, wantsQuantization},
    {"compile", "lower to the machine of the target", runCompileStage,
     wantsQuantization},
    {"evaluate", "measure accuracy on labelled samples", runEvaluateStage,
     wantsEvaluation},
    {"analyze", "compare the quantized network with the float one",
     runAnalyzeStage, wantsAnalysis},
};

const Phase &findPhase(const std::string &name, const Phase &otherwise) {
  if (name.empty())
    return otherwise;
  std::vector<std::string_view> names;
  for (const Phase &phase : phases) {
    if (phase.name == name)
      return phase;
    names.push_back(phase.name);
  }
  throw Error(fmt::format("there is no phase '{}'; the phases are {}", name,
                          fmt::join(names, ", ")));
}

} // namespace

std::span<const Phase> buildPhases() { return phases; }

NetworkOptions networkOptions(const BuildConfig &config) {
  NetworkOptions options;
  options.model = config.input;
  options.inputShapes = config.inputShapes;
  options.opProcessors = config.opProcessors;
  options.constProcessors = config.constProcessors;
  return options;
}

std::span<const Phase> phasesBetween(const std::string &from,
                                     const std::string &to) {
  const Phase &first = findPhase(from, phases[0]);
  const Phase &last = findPhase(to, phases[std::size(phases) - 1]);
  if (&last < &first)
    throw Error(fmt::format("phase '{}' comes before phase '{}'", to, from));
  return {&first, &last + 1};
}

fs::path checkpointOf(const BuildConfig &config, const Phase &phase) {
  // What is skipped leaves the network as it was.
  const Phase *done = &phase;
  while (!done->isWanted(config))
    --done;
  return OutputFiles(config.outputDir).checkpoint(done->name);
}

bool restoreBefore(const Phase &first, BuildState &state) {
  if (&first == &phases[0])
    return false;
  state.network.emplace(networkOptions(state.config),
                        checkpointOf(state.config, *(&first - 1)));
  state.modelDigest =
      digestOfModel(state.config.input, state.network->summary());
  return true;
}

void checkModelIsSame(const BuildState &state) {
  if (digestOfModel(state.config.input, state.network->summary()) !=
      state.modelDigest)
    failForChange(state);
}

void buildAgain(BuildState &state, const std::string &from,
                const std::string &to) {
  // What phases only write if there is a reason may not be left.
  fs::remove(state.files().layerConfigAudit());
  fs::remove(state.files().floatChanges());
  if (from == phases[0].name) {
    state.network.reset();
  } else {
    for (StringRef name :
         {views::quantized, views::deployed, views::npu, views::npuCore})
      if (mlir::func::FuncOp view = state.network->view(name))
        view.erase();
  }
  for (const Phase &phase : phasesBetween(from, to))
    if (phase.isWanted(state.config))
      phase.run(state);
}

} // namespace parallax
