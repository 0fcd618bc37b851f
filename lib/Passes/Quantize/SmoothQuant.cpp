//===- SmoothQuant.cpp - Outliers move into the weights -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Searches the strength of each tensor coarsely, then its neighbors, and
// measures the best one with the final weights.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/SmoothQuant.h"
#include "PairScaling.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace quantize {
namespace {

/// What a search tries first; then the neighbours of the best.
constexpr double strengths[] = {0.3, 0.5, 0.7, 0.9};
constexpr double strengthStep = 0.1;

std::vector<float> weightMaxima(const Pair &pair) {
  std::vector<float> maxima(size_t(pair.channels), 0.0f);
  for (const MacLayer &layer : pair.consumers)
    for (auto [most, own] : llvm::zip(maxima, layer.inputMaxima()))
      most = std::max(most, own);
  return maxima;
}

/// A channel that is always 0, or that nobody weighs, has the scale 1, and so
/// has the channel in the middle of the others: a factor that all channels
/// share changes nothing.
Scales smoothScales(const std::vector<float> &values,
                    const std::vector<float> &weights, double alpha) {
  Scales scales(values.size(), 0.0f), known;
  for (auto [scale, value, weight] : llvm::zip(scales, values, weights))
    if (value > 0 && weight > 0) {
      scale = float(std::pow(double(value), alpha) /
                    std::pow(double(weight), 1 - alpha));
      known.push_back(scale);
    }
  if (known.empty())
    return Scales(values.size(), 1.0f);
  auto middle = known.begin() + long(known.size() / 2);
  std::ranges::nth_element(known, middle);
  for (float &scale : scales)
    scale = scale == 0
                ? 1.0f
                : std::clamp(scale / *middle, 1 / farthestScale, farthestScale);
  return scales;
}

class Smoother {
public:
  Smoother(Calibration &calibration, const SmoothOptions &options)
      : options(options), scaler(calibration, options) {}

  std::vector<ScaledPair> run(func::FuncOp network) {
    std::vector<Pair> pairs = findPairs(network);
    scaler.removeUnmeasurable(pairs);
    std::erase_if(pairs, [&](const Pair &pair) {
      return scaler.hasCalibratedChannels(pair) && !isCandidate(pair);
    });
    for (const Pair &pair : pairs)
      scaler.want(pair);
    scaler.collect(network);
    std::vector<ScaledPair> outcomes;
    for (Pair &pair : pairs)
      if (isCandidate(pair))
        outcomes.push_back(smooth(pair));
    return outcomes;
  }

private:
  bool isCandidate(const Pair &pair) const {
    return 1 / outlierRatio(scaler.channelMaxima(pair)) < options.threshold;
  }

  ScaledPair smooth(Pair &pair) {
    std::vector<float> values = scaler.channelMaxima(pair);
    std::vector<float> weights = weightMaxima(pair);
    PairScaler::Exact exact = scaler.exact(pair);
    auto errorOf = [&](const Scales &scales, PairScaler::Effort effort) {
      return scaler.error(pair, exact, scales, effort).results;
    };
    double alpha = options.strength.value_or(strengths[0]), least = INFINITY;
    auto attempt = [&](double tried) {
      double error = errorOf(smoothScales(values, weights, tried),
                             PairScaler::Effort::Search);
      if (error < least)
        least = error, alpha = tried;
    };
    if (!options.strength) {
      llvm::for_each(strengths, attempt);
      double best = alpha;
      for (double neighbour : {best - strengthStep, best + strengthStep})
        if (neighbour > strengths[0] && neighbour < *std::rbegin(strengths))
          attempt(neighbour);
    }
    ScaledPair outcome = outcomeOf(pair);
    outcome.alpha = alpha;
    Scales scales = smoothScales(values, weights, alpha);
    outcome.outliersBefore = outlierRatio(values);
    for (auto [value, scale] : llvm::zip(values, scales))
      value /= scale;
    outcome.outliersAfter = outlierRatio(values);
    Scales unchanged(scales.size(), 1.0f);
    outcome.errorBefore = errorOf(unchanged, PairScaler::Effort::Final);
    outcome.errorAfter = errorOf(scales, PairScaler::Effort::Final);
    outcome.kept = outcome.errorAfter < outcome.errorBefore;
    if (outcome.kept)
      scaler.apply(pair, scales);
    return outcome;
  }

  const SmoothOptions &options;
  PairScaler scaler;
};

} // namespace
} // namespace quantize

std::vector<ScaledPair> smoothNetwork(func::FuncOp network,
                                      const SmoothOptions &options) {
  if (options.samples.count == 0)
    return {};
  RangesAside aside(network);
  return quantize::Smoother(aside.ranges(), options).run(network);
}

SmoothOptions smoothOptions(const QuantConfig &config, const Samples &samples,
                            int threads) {
  SmoothOptions options;
  options.samples = samples;
  options.threads = threads;
  options.refineWeightThreshold =
      config.disableAutoRefineScale ? -1 : config.refineWeightThreshold;
  options.threshold = config.smoothQuantThreshold;
  options.strength = config.smoothQuantStrength;
  return options;
}

} // namespace parallax
