//===- Equalize.cpp - Weights of neighbours get alike ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights that read one channel are weights that make another, so that one pair
// changes what its neighbours should do: all are visited again until nothing
// changes much. Every step is measured, and only taken if it helps.
//===----------------------------------------------------------------------===//
#include "PairScaling.h"

#include "parallax/Passes/Quantize/SmoothQuant.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace quantize {
namespace {

constexpr int mostRounds = 8;
/// A step of less than this changes nothing worth measuring.
constexpr float smallestStep = 1.02f;

class Equalizer {
public:
  Equalizer(Calibration &calibration, const ScalingOptions &options)
      : scaler(calibration, options) {}

  std::vector<ScaledPair> run(func::FuncOp network) {
    std::vector<Pair> pairs = findPairs(network);
    std::erase_if(
        pairs, [](const Pair &pair) { return !MacLayer::of(pair.producer); });
    scaler.removeUnmeasurable(pairs);
    for (const Pair &pair : pairs)
      scaler.want(pair);
    scaler.collect(network);

    std::vector<State> states;
    for (Pair &pair : pairs) {
      State &state = states.emplace_back(State{&pair, outcomeOf(pair)});
      state.outcome.outliersBefore = outlierRatio(scaler.channelMaxima(pair));
      state.total.assign(size_t(pair.channels), 1.0f);
    }
    for (int round = 0; round < mostRounds; ++round) {
      bool hasChanged = false;
      for (State &state : states)
        hasChanged |= step(state);
      if (!hasChanged)
        break;
    }
    std::vector<ScaledPair> outcomes;
    for (State &state : states)
      if (state.isMeasured) {
        state.outcome.outliersAfter =
            outlierRatio(scaler.channelMaxima(*state.pair));
        outcomes.push_back(std::move(state.outcome));
      }
    return outcomes;
  }

private:
  struct State {
    Pair *pair;
    ScaledPair outcome;
    /// All steps so far.
    Scales total = {};
    bool isMeasured = false, isRefused = false;
  };

  static Scales equalizingScales(const State &state) {
    std::vector<float> makers =
        MacLayer::of(state.pair->producer)->outputMaxima();
    std::vector<float> readers(makers.size(), 0.0f);
    for (const MacLayer &layer : state.pair->consumers)
      for (auto [most, own] : llvm::zip(readers, layer.inputMaxima()))
        most = std::max(most, own);
    Scales scales(makers.size(), 1.0f);
    double logarithms = 0;
    for (auto [scale, maker, reader] : llvm::zip(scales, makers, readers))
      if (maker > 0 && reader > 0) {
        scale = std::sqrt(maker / reader);
        logarithms += std::log(double(scale));
      }
    // A factor that all channels share changes nothing.
    auto mean = float(std::exp(logarithms / double(scales.size())));
    for (auto [scale, maker, reader, total] :
         llvm::zip(scales, makers, readers, state.total))
      if (maker > 0 && reader > 0)
        scale =
            std::clamp(scale / mean * total, 1 / farthestScale, farthestScale) /
            total;
    return scales;
  }

  /// Returns whether the network has changed.
  bool step(State &state) {
    if (state.isRefused)
      return false;
    Scales scales = equalizingScales(state);
    bool isSmall = llvm::all_of(scales, [](float scale) {
      return scale < smallestStep && scale > 1 / smallestStep;
    });
    if (isSmall)
      return false;
    PairScaler::Exact exact = scaler.exact(*state.pair);
    auto errorOf = [&](const Scales &tried) {
      return scaler.error(*state.pair, exact, tried, PairScaler::Effort::Final,
                          /*withTensor=*/true);
    };
    PairError before = errorOf(Scales(scales.size(), 1.0f));
    PairError after = errorOf(scales);
    ScaledPair &outcome = state.outcome;
    if (!state.isMeasured)
      outcome.errorBefore = before.results;
    if (!outcome.kept)
      outcome.errorAfter = after.results;
    state.isMeasured = true;
    // Both layers have to gain: the tensor is what the producer computes.
    if (!(after.results < before.results && after.tensor < before.tensor)) {
      state.isRefused = true;
      return false;
    }
    outcome.errorAfter = after.results;
    outcome.kept = true;
    for (auto [total, scale] : llvm::zip(state.total, scales))
      total *= scale;
    scaler.apply(*state.pair, scales);
    return true;
  }

  PairScaler scaler;
};

} // namespace
} // namespace quantize

std::vector<ScaledPair> equalizeNetwork(func::FuncOp network,
                                        const ScalingOptions &options) {
  if (options.samples.count == 0)
    return {};
  RangesAside aside(network);
  return quantize::Equalizer(aside.ranges(), options).run(network);
}

} // namespace parallax
