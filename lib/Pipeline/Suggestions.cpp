//===- Suggestions.cpp - Why, and what to change --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Trials build networks with other types in memory, beside the real ones.
//===----------------------------------------------------------------------===//
#include "Suggestions.h"
#include "QuantizeStage.h"
#include "parallax/Pipeline/CalibrateStage.h"

#include "parallax/Analysis/Suggest.h"
#include "parallax/Backend/NPU/Cost.h"
#include "parallax/Config/Edit.h"
#include "parallax/Config/Target.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// Enough to know how samples are prepared.
constexpr size_t lookedAt = 8;
/// As many as calibration takes by default.
constexpr size_t mostSamples = 32;

//===----------------------------------------------------------------------===//
// Networks with other types
//===----------------------------------------------------------------------===//

/// Adds the codes of a tensor, or of what it is requantized to, if they are the
/// coarsest so far.
void addCodes(Value value, std::optional<AffineParams> &coarsest) {
  Type type = getElementTypeOrSelf(value.getType());
  if (isQuantized(type) && !isPerAxis(type)) {
    AffineParams codes = affineParamsOf(type);
    if (!coarsest || coarsest->scale < codes.scale)
      coarsest = codes;
  }
  for (Operation *user : value.getUsers())
    if (auto requantize = dyn_cast<nn::RequantizeOp>(user))
      addCodes(requantize.getY(), coarsest);
}

Trial trialOf(mlir::func::FuncOp quantized) {
  Trial trial;
  auto add = [&](Value value) {
    std::optional<AffineParams> codes;
    addCodes(value, codes);
    if (codes)
      trial.codes.try_emplace(getTensorName(value), *codes);
  };
  for (Value argument : quantized.getArguments())
    add(argument);
  for (Operation &op : quantized.front().without_terminator()) {
    if (isa<nn::RequantizeOp>(op) || op.getNumOperands() == 0)
      continue;
    for (Value result : op.getResults())
      add(result);
    Value weight = nn::weightOf(&op);
    Type type = weight ? getElementTypeOrSelf(weight.getType()) : Type();
    if (type && (!isQuantized(type) || storageOf(type) != DType::I8))
      trial.wideWeights.insert(getLayerName(&op).node);
  }
  return trial;
}

/// Quantizes and lowers the network as a changed configuration says.
std::optional<Trial> attempt(BuildState &state,
                             const std::vector<ConfigEdit> &edits) {
  try {
    BuildConfig config = withEdits(state.config, edits);
    // A module of its own, so that the views that were built stay as they are.
    mlir::func::FuncOp original = state.network->function();
    OwningOpRef<ModuleOp> module = ModuleOp::create(original.getLoc());
    mlir::func::FuncOp network = original.clone();
    module->push_back(network);
    assignPrecision(state, network, config.quant);
    Target target = findTarget(config.targetHardware);
    return orThrow(network.getContext(), [&]() -> FailureOr<Trial> {
      auto quantized = addQuantizedView(network, quantizeOptions(config.quant));
      if (failed(quantized))
        return failure();
      Trial trial = trialOf(*quantized);
      FailureOr<mlir::func::FuncOp> machine = lowerNetwork(*quantized, target);
      if (failed(machine))
        return failure();
      trial.cycles = cyclesOf(*machine, config);
      return trial;
    });
  } catch (const Error &error) {
    log(LogLevel::Debug, "a change was not suggested: {}", error.what());
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

std::vector<CalibratedInput> calibratedInputs(BuildState &state) {
  CalibrationSet set = openCalibrationSet(*state.network, state.config);
  std::vector<CalibratedInput> result;
  std::vector<TensorComparison> sums;
  for (const PortInfo &input : set.inputs()) {
    result.push_back({input.name, {}});
    sums.emplace_back(/*channelAxis=*/-1, std::nullopt, /*tracksRows=*/false,
                      /*summarizes=*/true);
  }
  for (size_t i = 0; i < std::min(set.size(), lookedAt); ++i) {
    std::vector<Tensor> sample = set.load(i);
    for (size_t j = 0; j < sums.size(); ++j)
      if (sample[j].dtype() == DType::F32)
        sums[j].add(sample[j], sample[j]);
  }
  for (size_t j = 0; j < sums.size(); ++j)
    result[j].values = sums[j].result().reference;
  std::erase_if(result, [](const CalibratedInput &input) {
    return input.values.count == 0;
  });
  return result;
}

std::string inputConfigsOf(const fs::path &samples) {
  return nlohmann::ordered_json::array(
             {{{"tensor_name", "DEFAULT"},
               {"calibration_dataset", samples.string()},
               {"calibration_format", "Numpy"},
               {"calibration_size", -1}}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string edited(std::string_view text, std::span<const ConfigEdit> edits) {
  JsonDocument document = parseRelaxedJson(text);
  for (const ConfigEdit &edit : edits)
    editField(document.root, edit.field, edit.value, edit.appends);
  return printJson(document.root) + "\n";
}

} // namespace

int64_t cyclesOf(mlir::func::FuncOp machine, const BuildConfig &config) {
  Target target = findTarget(config.targetHardware);
  return totalOf(estimateCost(machine, target,
                              {config.npuMode, config.compiler.ddrBwLimit}),
                 target)
      .cycles;
}

BuildConfig withEdits(const BuildConfig &config,
                      std::span<const ConfigEdit> edits) {
  return parseBuildConfig(edited(toJson(config), edits),
                          "the suggested configuration");
}

void addSuggestions(PrecisionReport &report, BuildState &state,
                    mlir::func::FuncOp machine,
                    const std::optional<Samples> &others) {
  const QuantConfig &config = state.config.quant;
  // Ranges from a cache come without samples.
  bool hasSamples =
      !config.inputConfigs.empty() && config.calibrationCache.empty();
  if (others && hasSamples)
    report.calibratedInputs = calibratedInputs(state);
  report.diagnoses = diagnose(report);
  // The parameters of a model that came quantized are what they are.
  if (state.config.modelType != ModelType::Onnx)
    return;
  SuggestOptions options;
  options.calibrationMethod = config.calibrationMethod;
  options.smoothQuant = config.enableSmoothQuant;
  options.highestMixPrecision = config.highestMixPrecision;
  if (others && hasSamples)
    options.inputConfigs = inputConfigsOf(state.files().analyzedSamples());
  options.cycles = cyclesOf(machine, state.config);
  options.attempt = [&](const std::vector<ConfigEdit> &edits) {
    return attempt(state, edits);
  };
  report.suggestions = suggest(report, options);
  bool needsSamples =
      std::ranges::any_of(report.suggestions, [](const Suggestion &suggestion) {
        return suggestion.edits[0].field == "quant.input_configs";
      });
  if (needsSamples)
    writeSampleSet(state.files().analyzedSamples(), state.network->inputs(),
                   std::min(others->count, mostSamples), others->load);
}

void writeSuggestions(const PrecisionReport &report, const BuildState &state) {
  fs::path list = state.files().suggestions();
  fs::path config = state.files().suggestedConfig();
  if (report.suggestions.empty()) {
    fs::remove(list);
    fs::remove(config);
    return;
  }
  writeFileAtomically(list, suggestionsJson(report));
  const BuildOptions &options = state.options;
  writeFileAtomically(config, edited(options.configText.empty()
                                         ? readText(options.configFile)
                                         : options.configText,
                                     report.suggestions[0].edits));
  log(LogLevel::Info,
      "save suggestions to [{}], the configuration with the first one to [{}]",
      list.string(), config.string());
}

} // namespace parallax
