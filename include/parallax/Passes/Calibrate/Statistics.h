//===- Statistics.h - What samples say about tensors -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Runs the float network on samples and watches every layer. Each thread has
// statistics of its own that don't depend on the order of samples, so that any
// number of threads gives the same ranges, and no activation is kept: memory
// does not grow with the number of samples.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_STATISTICS_H
#define PARALLAX_PASSES_CALIBRATE_STATISTICS_H

#include "parallax/Analysis/RangeSearch.h"
#include "parallax/Backend/Core/Executable.h"
#include "parallax/Config/Enums.h"

#include <functional>
#include <map>
#include <optional>

namespace parallax {

/// How one range is chosen.
struct RangeMethod {
  QuantMethod method = QuantMethod::MinMax;
  double percentile = 0.9999;

  bool operator==(const RangeMethod &) const = default;
};

struct CalibrationOptions {
  QuantMethod method = QuantMethod::MinMax;
  double percentile = 0.9999;
  int64_t histogramBins = 2048;
  int threads = 1;
  /// Of tensors that have one of their own, by name.
  struct Own {
    std::optional<RangeMethod> for8, for16;
  };
  std::map<std::string, Own, std::less<>> methodOf = {};

  /// For codes of so many bits.
  RangeMethod methodFor(std::string_view tensor, int bits) const;
};

/// What is known of the values of one tensor.
struct TensorStatistics {
  std::string node, tensor;
  Histogram histogram;
  /// The extremes of each channel: dimension 1 of images, otherwise the last.
  int64_t channelAxis = 0;
  std::vector<float> channelMin, channelMax;
  /// The samples that set the extremes, and their names where somebody asks.
  size_t minSample = 0, maxSample = 0;
  std::string minSampleName, maxSampleName;
  /// The second highest extremes over samples: what the range would be without
  /// the sample that set it.
  float nextMin = 0, nextMax = 0;

  /// For another rank, which has no names of samples yet.
  template <typename Archive> void transfer(Archive &archive) {
    archive(node, tensor, histogram, channelAxis, channelMin, channelMax,
            minSample, maxSample, nextMin, nextMax);
  }
};

/// Inputs first, then layers in the order of execution; float tensors only.
using NetworkStatistics = std::vector<TensorStatistics>;

/// `executable` has been prepared with `observe`. `load` gives the inputs of a
/// sample and may be called from any thread; `progress` is told of each one.
/// Ranks deal the samples among themselves, and each gets the statistics of
/// all.
NetworkStatistics
collectStatistics(const Executable &executable, size_t samples,
                  const std::function<std::vector<Tensor>(size_t)> &load,
                  const CalibrationOptions &options,
                  const std::function<void()> &progress = {});

/// The range of a tensor for codes of `bits` bits.
Interval chooseRange(const TensorStatistics &tensor,
                     const CalibrationOptions &calibration, int bits);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_STATISTICS_H
