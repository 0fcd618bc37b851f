//===- Levers.cpp - Changes that cost no cycles ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A metric of few samples says too little about changes as small as these. The
// error of the outputs, weighed by what it does to the task, says more.
//===----------------------------------------------------------------------===//
#include "Levers.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace parallax {
namespace {

constexpr size_t lookedAt = 8;
/// A change that gains less is not worth having.
constexpr double leastGain = 0.05;

struct Lever {
  TuningLever kind;
  std::string_view field, value;
};
constexpr Lever levers[] = {
    {TuningLever::Calibration, "quant.calibration_method", "\"MSE\""},
    {TuningLever::Calibration, "quant.calibration_method", "\"Percentile\""},
    {TuningLever::Calibration, "quant.calibration_method", "\"KL\""},
    {TuningLever::Calibration, "quant.calibration_method", "\"MinMax\""},
    {TuningLever::SmoothQuant, "quant.enable_smooth_quant", "true"},
    {TuningLever::Equalization, "quant.enable_equalization", "true"},
    {TuningLever::EasyQuant, "quant.enable_easy_quant", "true"},
    {TuningLever::BiasCorrection, "quant.enable_bias_correction", "true"},
};

/// Measures the weighed squared error of outputs on a few samples.
class OutputError {
public:
  explicit OutputError(Search &search) : search(search) {
    std::span<const size_t> all(search.split.tuning);
    samples = all.first(std::min(all.size(), lookedAt));
    search.bench.calibrate({});
    Executable network = search.bench.calibrated().network->prepare({});
    floats.resize(samples.size());
    weights.resize(samples.size());
    run(network, [&](size_t i, std::span<const Tensor> outputs) {
      for (const Tensor &output : outputs)
        floats[i].push_back(output.clone());
      weights[i] = weightsOf(floats[i]);
    });
  }

  /// Infinite if it can't be built.
  double of(const std::vector<ConfigEdit> &edits) {
    std::vector<double> errors(samples.size());
    try {
      search.bench.build(edits);
      run(search.bench.machine(),
          [&](size_t i, std::span<const Tensor> outputs) {
            errors[i] = errorOf(i, outputs);
          });
    } catch (const Cancelled &) {
      throw;
    } catch (const Error &error) {
      ranks().requireSameFailure(error.what());
      log(LogLevel::Debug, "a lever was left out: {}", error.what());
      return std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    for (double error : errors)
      sum += error;
    return sum / double(errors.size());
  }

private:
  template <typename Consume>
  void run(const Executable &network, const Consume &consume) {
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) { return search.metric.load(samples[i]); };
    callbacks.consume = consume;
    callbacks.isDealt = true;
    runSamples(network, samples.size(),
               search.bench.calibrated().options.threads, callbacks);
  }

  static bool isFloat(const Tensor &tensor) {
    return tensor.dtype() == DType::F32;
  }

  /// Without a task each output counts by its own size.
  std::vector<std::vector<float>>
  weightsOf(const std::vector<Tensor> &outputs) const {
    std::vector<std::vector<float>> weights;
    std::vector<std::span<float>> filled;
    for (const Tensor &output : outputs)
      weights.emplace_back(isFloat(output) ? size_t(output.size()) : 0, 1.0f);
    for (std::vector<float> &own : weights)
      filled.emplace_back(own);
    bool areFloats = std::ranges::all_of(outputs, isFloat);
    if (!areFloats || !search.metric.weigh(outputs, filled))
      for (std::vector<float> &own : weights)
        std::ranges::fill(own, 1.0f);
    for (size_t k = 0; k < outputs.size(); ++k) {
      double square = 0;
      for (size_t i = 0; i < weights[k].size(); ++i) {
        double value = outputs[k].data<float>()[i];
        square += weights[k][i] * value * value;
      }
      for (float &weight : weights[k])
        weight = square > 0 ? float(weight / square) : 0;
    }
    return weights;
  }

  double errorOf(size_t sample, std::span<const Tensor> outputs) const {
    double sum = 0;
    for (size_t k = 0; k < outputs.size(); ++k)
      for (size_t i = 0; i < weights[sample][k].size(); ++i) {
        double difference = double(outputs[k].data<float>()[i]) -
                            floats[sample][k].data<float>()[i];
        sum += weights[sample][k][i] * difference * difference;
      }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
  }

  Search &search;
  std::span<const size_t> samples;
  std::vector<std::vector<Tensor>> floats;
  std::vector<std::vector<std::vector<float>>> weights;
};

std::string describeError(double found, double before) {
  if (!std::isfinite(found))
    return "can't be built, or gives no numbers";
  std::string text = fmt::format("error of outputs {:.4g}", found);
  if (before > 0 && std::isfinite(before))
    text += fmt::format(" ({:+.1f} %)", 100 * (found / before - 1));
  return text;
}

} // namespace

ChosenLevers chooseLevers(Search &search) {
  OutputError error(search);
  ChosenLevers chosen;
  double asConfigured = error.of({}), least = asConfigured;
  for (TuningLever kind : search.config.levers) {
    std::optional<ConfigEdit> better;
    double before = least;
    for (const Lever &lever : levers) {
      if (lever.kind != kind)
        continue;
      search.checkTime();
      ConfigEdit edit{std::string(lever.field), std::string(lever.value)};
      std::vector<ConfigEdit> tried = chosen.edits;
      tried.push_back(edit);
      double found = error.of(tried);
      log(LogLevel::Info, "lever {} = {}: {}", lever.field, lever.value,
          describeError(found, before));
      if (found < least * (better ? 1 : 1 - leastGain)) {
        least = found;
        better = edit;
      }
    }
    if (better)
      chosen.edits.push_back(*better);
  }
  if (asConfigured > 0 && std::isfinite(asConfigured))
    chosen.left = least / asConfigured;
  return chosen;
}

} // namespace parallax
