//===- Suggestions.cpp - Why, and what to change --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Measurements become causes, and causes become changes.
//===----------------------------------------------------------------------===//
#include "Suggestions.h"
#include "parallax/Pipeline/CalibrateStage.h"

#include "parallax/Analysis/Suggest.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Passes/Quantize/Improve.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"

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

} // namespace

void addSuggestions(PrecisionReport &report, BuildState &state,
                    mlir::func::FuncOp machine, const Samples &samples,
                    const SeenOutputs &seenOutputs,
                    const std::optional<Samples> &others) {
  const QuantConfig &config = state.config.quant;
  // Ranges from a cache come without samples.
  bool hasSamples =
      !config.inputConfigs.empty() && config.calibrationCache.empty();
  if (others && hasSamples)
    report.calibratedInputs = calibratedInputs(state);
  SeenValues seen;
  std::optional<Calibration> written;
  if (fs::path ranges = state.files().calibration();
      !state.calibration && fs::exists(ranges))
    written = readCalibration(ranges);
  for (const auto *ranges : {&state.calibration, &written})
    if (*ranges)
      for (const TensorRange &range : (*ranges)->tensors)
        seen[range.tensor] = range.values;
  report.diagnoses = diagnose(report, seen);
  // The parameters of a model that came quantized are what they are.
  if (state.config.modelType != ModelType::Onnx)
    return;
  SuggestOptions options;
  options.calibrationMethod = config.calibrationMethod;
  options.smoothQuant = config.enableSmoothQuant;
  options.highestMixPrecision = config.highestMixPrecision;
  if (others && hasSamples)
    options.inputConfigs = inputConfigsOf(state.files().analyzedSamples());
  if (config.calibrationMethod != QuantMethod::MinMax)
    options.calibrated = std::move(seen);
  MethodTrials trials(state, samples, seenOutputs);
  if (triesMethods(state.config)) {
    options.partLeft = [&](QuantMethod method) {
      return trials.partLeft(method);
    };
    options.executedOn = int64_t(trials.sampleCount());
  }
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
  writeFileAtomically(config, editedText(options.configText.empty()
                                             ? readText(options.configFile)
                                             : options.configText,
                                         report.suggestions[0].edits));
  log(LogLevel::Info,
      "save suggestions to [{}], the configuration with the first one to [{}]",
      list.string(), config.string());
}

} // namespace parallax
