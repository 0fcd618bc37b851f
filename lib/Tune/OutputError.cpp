//===- OutputError.cpp - How far outputs are from float -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Float outputs and what their errors are worth are computed once and kept.
//===----------------------------------------------------------------------===//
#include "OutputError.h"

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

bool hasFloats(const Tensor &tensor) { return tensor.dtype() == DType::F32; }

} // namespace

OutputError::OutputError(Search &search, size_t skipped) : search(search) {
  std::span<const size_t> all(search.split.tuning);
  samples = all.first(std::min(all.size(), skipped + lookedAt));
  samples = samples.last(std::min(samples.size(), lookedAt));
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

double OutputError::of(const std::vector<ConfigEdit> &edits) {
  std::vector<double> errors(samples.size());
  try {
    search.bench.build(edits);
    run(search.bench.machine(), [&](size_t i, std::span<const Tensor> outputs) {
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

template <typename Consume>
void OutputError::run(const Executable &network, const Consume &consume) {
  SampleCallbacks callbacks;
  callbacks.load = [&](size_t i) { return search.metric.load(samples[i]); };
  callbacks.consume = consume;
  callbacks.isDealt = true;
  runSamples(network, samples.size(), search.bench.calibrated().options.threads,
             callbacks);
}

/// Without a task each output counts by its own size.
std::vector<std::vector<float>>
OutputError::weightsOf(const std::vector<Tensor> &outputs) const {
  std::vector<std::vector<float>> weights;
  std::vector<std::span<float>> filled;
  for (const Tensor &output : outputs)
    weights.emplace_back(hasFloats(output) ? size_t(output.size()) : 0, 1.0f);
  for (std::vector<float> &own : weights)
    filled.emplace_back(own);
  bool areFloats = std::ranges::all_of(outputs, hasFloats);
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

double OutputError::errorOf(size_t sample,
                            std::span<const Tensor> outputs) const {
  double sum = 0;
  for (size_t k = 0; k < outputs.size(); ++k)
    for (size_t i = 0; i < weights[sample][k].size(); ++i) {
      double difference = double(outputs[k].data<float>()[i]) -
                          floats[sample][k].data<float>()[i];
      sum += weights[sample][k][i] * difference * difference;
    }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

std::string describeError(double found, double before) {
  if (!std::isfinite(found))
    return "can't be built, or gives no numbers";
  std::string text = fmt::format("error of outputs {:.4g}", found);
  if (before > 0 && std::isfinite(before))
    text += fmt::format(" ({:+.1f} %)", 100 * (found / before - 1));
  return text;
}

} // namespace parallax
