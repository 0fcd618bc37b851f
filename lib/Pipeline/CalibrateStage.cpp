//===- CalibrateStage.cpp - Ranges from samples ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples go through the float network; what is seen of each tensor becomes its
// range.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/CalibrateStage.h"

#include "parallax/Data/Preflight.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Passes/Calibrate/TensorMethods.h"
#include "parallax/Passes/Quantize/Improve.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace parallax {
namespace {

void printConfigTable(const std::vector<PortInfo> &inputs,
                      const BuildConfig &config) {
  std::vector<CalibrationSource> sources = calibrationSources(inputs, config);
  Table table({Column::label("Input"), Column::label("Shape"),
               Column::text("Dataset Directory"), Column::label("Data Format"),
               Column::label("Tensor Format", 1), Column::text("Mean", 2),
               Column::text("Std", 2)});
  std::vector<size_t> sourceOf = assignSources(inputs, sources);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const CalibrationSource &source = sources[sourceOf[i]];
    table.addRow(
        {inputs[i].name, fmt::format("[{}]", fmt::join(inputs[i].shape, ", ")),
         source.dataset.string(), std::string(configName(source.format)),
         std::string(configName(source.channelOrder(inputs[i].name))),
         fmt::format("[{}]", fmt::join(source.mean, ", ")),
         fmt::format("[{}]", fmt::join(source.std, ", "))});
  }
  showResult("Quant Config Table\n" + table.render(currentListener().style()));
}

/// Samples that make a range more than twice as wide as it would be without
/// them, each with the number of such tensors.
std::map<size_t, size_t> loneSamples(const NetworkStatistics &statistics) {
  std::map<size_t, size_t> widened;
  for (const TensorStatistics &tensor : statistics) {
    double all = tensor.histogram.max() - tensor.histogram.min();
    double withoutMin = tensor.histogram.max() - tensor.nextMin;
    double withoutMax = tensor.nextMax - tensor.histogram.min();
    if (withoutMin > 0 && all > 2 * withoutMin)
      ++widened[tensor.minSample];
    if (withoutMax > 0 && all > 2 * withoutMax)
      ++widened[tensor.maxSample];
  }
  return widened;
}

/// All of them where the origin of ranges was asked for, else the worst one if
/// it is not just an odd tensor.
void warnAboutLoneSamples(const NetworkStatistics &statistics,
                          const CalibrationSet &set, bool all) {
  constexpr size_t oddPart = 20;
  auto warn = [&](size_t sample, size_t tensors) {
    log(LogLevel::Warning,
        "sample '{}' alone makes the range of {} tensors more than twice as "
        "wide; look at it, or use another calibration_method",
        set.name(sample), tensors);
  };
  std::map<size_t, size_t> widened = loneSamples(statistics);
  if (all) {
    for (auto [sample, tensors] : widened)
      warn(sample, tensors);
    return;
  }
  auto worst = std::ranges::max_element(
      widened, {}, [](const auto &entry) { return entry.second; });
  if (worst != widened.end() && worst->second * oddPart > statistics.size())
    warn(worst->first, worst->second);
}

/// What the data and the ranges say about single samples.
std::vector<OddSample> oddSamplesOf(const CalibrationDiagnosis &diagnosis,
                                    const NetworkStatistics &statistics,
                                    const CalibrationSet &set) {
  std::vector<OddSample> odd;
  for (const auto &each : diagnosis.duplicates)
    odd.push_back({set.name(each.sample), OddSample::Repeats,
                   set.name(each.original), 0});
  for (const auto &each : diagnosis.constants)
    odd.push_back(
        {set.name(each.sample), OddSample::IsConstant, each.input, 0});
  for (const auto &each : diagnosis.nonFinite)
    odd.push_back(
        {set.name(each.sample), OddSample::IsNotFinite, each.input, 0});
  for (auto [sample, tensors] : loneSamples(statistics))
    odd.push_back(
        {set.name(sample), OddSample::WidensRanges, "", int64_t(tensors)});
  return odd;
}

Calibration collect(BuildState &state) {
  Network &network = *state.network;
  const BuildConfig &config = state.config;
  printConfigTable(network.inputs(), config);
  CalibrationSet set = openCalibrationSet(network, config);
  Executable executable = prepareCalibration(network.function());
  CalibrationOptions options =
      calibrationOptions(state, config.quant.calibrationMethod);
  std::optional<DataDiagnostics> diagnostics;
  if (config.quant.saveRangeProvenance)
    diagnostics.emplace(set);
  // Looks at every sample.
  std::optional<AloneScope> alone;
  if (diagnostics)
    alone.emplace();
  // All samples once more would cost more than histograms do.
  const bool keepsHistograms = triesMethods(config);
  CalibrationOptions collected = options;
  if (keepsHistograms)
    collected.method = QuantMethod::Mse;
  NetworkStatistics statistics;
  auto start = std::chrono::steady_clock::now();
  {
    Progress progress("Calibrating", int64_t(set.size()));
    statistics = collectStatistics(
        executable, set.size(),
        [&](size_t i) {
          std::vector<Tensor> sample = set.load(i);
          if (diagnostics)
            diagnostics->look(i, sample);
          return sample;
        },
        collected, [&] { progress.advance(); });
  }
  log(LogLevel::Debug, "calibrated on {} samples in {:.4f} s", set.size(),
      secondsSince(start));
  if (set.heldOut() > 0)
    log(LogLevel::Info,
        "{} other samples are held out of the calibration for the analysis",
        set.heldOut());
  warnAboutLoneSamples(statistics, set, config.quant.saveRangeProvenance);
  std::vector<OddSample> odd;
  if (diagnostics) {
    CalibrationDiagnosis diagnosis = diagnostics->diagnosis();
    for (const std::string &finding : describe(diagnosis, set))
      log(LogLevel::Warning, "{}", finding);
    odd = oddSamplesOf(diagnosis, statistics, set);
  }

  for (const TensorStatistics &tensor : statistics)
    if (tensor.histogram.nanCount() + tensor.histogram.infCount() > 0)
      log(LogLevel::Warning,
          "tensor '{}' has {} NaN and {} infinite values on the samples; they "
          "don't count for its range",
          tensor.tensor, tensor.histogram.nanCount(),
          tensor.histogram.infCount());
  if (config.quant.saveRangeProvenance)
    for (TensorStatistics &tensor : statistics) {
      tensor.minSampleName = set.name(tensor.minSample);
      tensor.maxSampleName = set.name(tensor.maxSample);
    }
  Calibration calibration =
      chooseRanges(network.function(), statistics, options, set.size());
  calibration.oddSamples = std::move(odd);
  if (keepsHistograms)
    state.statistics = std::move(statistics);
  return calibration;
}

} // namespace

bool triesMethods(const BuildConfig &config) {
  const QuantConfig &quant = config.quant;
  return quant.precisionAnalysis && config.modelType == ModelType::Onnx &&
         !quant.inputConfigs.empty() && quant.calibrationCache.empty() &&
         quant.inputSampleDir.empty() && !asksForImprovement(quant);
}

static TensorMethods tensorMethods(BuildState &state) {
  const QuantConfig &quant = state.config.quant;
  return methodsOfTensors(state.network->function(), quant.tensorConfigs,
                          quant.percentile);
}

CalibrationOptions calibrationOptions(BuildState &state, QuantMethod method) {
  const QuantConfig &quant = state.config.quant;
  return {method, quant.percentile, quant.histogramBins, state.options.threads,
          tensorMethods(state).byName};
}

void checkTensorConfigs(BuildState &state) {
  TensorMethods methods = tensorMethods(state);
  if (methods.unmatched.empty())
    return;
  if (!state.options.allowUnmatched)
    throw Error(fmt::format("the ranges that quant.tensor_configs asks for "
                            "can't be chosen:\n  {}",
                            fmt::join(methods.unmatched, "\n  ")));
  for (const std::string &sentence : methods.unmatched)
    log(LogLevel::Warning, "{}", sentence);
}

std::vector<CalibrationSource>
calibrationSources(const std::vector<PortInfo> &inputs,
                   const BuildConfig &config) {
  std::vector<CalibrationSource> sources;
  for (const InputQuantConfig &input : config.quant.inputConfigs) {
    CalibrationSource source;
    source.tensorName = input.tensorName;
    source.dataset = input.calibrationDataset;
    source.format = input.calibrationFormat;
    source.size = input.calibrationSize;
    source.mean.assign(input.calibrationMean.begin(),
                       input.calibrationMean.end());
    source.std.assign(input.calibrationStd.begin(), input.calibrationStd.end());
    source.fit = input.calibrationResize;
    for (const PortInfo &port : inputs)
      if (const auto *processor =
              entryFor<InputProcessor>(port.name, config.inputProcessors)) {
        source.tensorFormatOf[port.name] = processor->tensorFormat;
        source.tensorLayoutOf[port.name] = processor->pictureLayout();
      }
    sources.push_back(std::move(source));
  }
  return sources;
}

CalibrationSet openCalibrationSet(Network &network, const BuildConfig &config) {
  const QuantConfig &quant = config.quant;
  // What is calibrated on must not depend on whether there is an analysis.
  HoldOut holdOut{quant.calibrationHoldOut, 0};
  if (quant.precisionAnalysis && quant.inputSampleDir.empty())
    holdOut.most = quant.precisionAnalysisSize < 0
                       ? SIZE_MAX
                       : size_t(quant.precisionAnalysisSize);
  BuildConfig request;
  request.quant.inputConfigs = quant.inputConfigs;
  request.quant.calibrationHoldOut = holdOut.splits;
  request.inputProcessors = config.inputProcessors;
  request.workDir = config.workDir.empty() ? config.outputDir : config.workDir;
  std::string text = fmt::format("{} {}", toJson(request), holdOut.most);
  if (!network.opened || network.openedFor != text) {
    std::vector<PortInfo> inputs = network.inputs();
    network.opened.reset();
    network.opened = std::make_shared<const CalibrationSet>(
        CalibrationSet::open(inputs, calibrationSources(inputs, config),
                             request.workDir, "dataset", holdOut));
    network.openedFor = std::move(text);
  }
  return *network.opened;
}

bool hasCalibration(const BuildConfig &config) {
  return !config.quant.inputConfigs.empty() ||
         !config.quant.calibrationCache.empty();
}

void checkCalibration(Network &network, const BuildConfig &config) {
  if (!config.quant.calibrationCache.empty()) {
    readCalibration(config.quant.calibrationCache);
    return;
  }
  std::vector<PortInfo> inputs = network.inputs();
  PreflightReport report =
      preflight(inputs, calibrationSources(inputs, config));
  for (const std::string &warning : report.warnings)
    log(LogLevel::Warning, "{}", warning);
  if (!report.ok())
    throw Error(fmt::format("the calibration data can't be used:\n  {}",
                            fmt::join(report.problems, "\n  ")));
}

Samples calibrationSamples(Network &network, const BuildConfig &config) {
  auto set =
      std::make_shared<CalibrationSet>(openCalibrationSet(network, config));
  return {set->size(), [set](size_t i) { return set->load(i); },
          config.quant.inputConfigs[0].calibrationDataset};
}

AnalyzedSamples heldOutSamples(Network &network, const BuildConfig &config) {
  auto set =
      std::make_shared<CalibrationSet>(openCalibrationSet(network, config));
  bool isHeldOut = set->heldOut() > 0;
  size_t first = isHeldOut ? set->size() : 0;
  AnalyzedSamples result;
  result.count = isHeldOut ? set->heldOut() : set->size();
  result.load = [set, first](size_t i) { return set->load(first + i); };
  result.source = config.quant.inputConfigs[0].calibrationDataset;
  result.origin = isHeldOut ? SampleOrigin::HeldOut : SampleOrigin::Calibrated;
  result.name = [set, first](size_t i) { return set->name(first + i); };
  return result;
}

SeenSamples calibrationAndOthers(Network &network, const BuildConfig &config) {
  constexpr size_t mostSeen = 32, mostOthers = 32;
  // In a folder of their own: the other one has what an analysis asks for.
  auto set = std::make_shared<const CalibrationSet>(CalibrationSet::open(
      network.inputs(), calibrationSources(network.inputs(), config),
      config.outputDir, "calibration_and_others",
      {config.quant.calibrationHoldOut, mostOthers}));
  size_t seen = std::min(set->size(), mostSeen);
  auto load = [set, seen](size_t i) {
    return set->load(i < seen ? i * set->size() / seen
                              : set->size() + i - seen);
  };
  return {{seen + set->heldOut(), load,
           config.quant.inputConfigs[0].calibrationDataset},
          seen};
}

void runCalibrateStage(BuildState &state) {
  const BuildConfig &config = state.config;
  mlir::func::FuncOp network = state.network->function();
  // One that is calibrated again is run as if it were the first time.
  removeCalibration(network);
  state.statistics.reset();
  Calibration calibration =
      config.quant.calibrationCache.empty()
          ? collect(state)
          : readCalibration(config.quant.calibrationCache);
  std::filesystem::path path = state.files().calibration();
  writeFileAtomically(path, toJson(calibration));
  log(LogLevel::Info, "save ranges of {} tensors to [{}]",
      calibration.tensors.size(), path.string());
  setCalibration(network, calibration);
  orThrow(network.getContext(), [&] { return requireCalibrated(network); });
  state.calibration = std::move(calibration);
}

} // namespace parallax
