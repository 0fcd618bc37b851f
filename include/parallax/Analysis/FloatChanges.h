//===- FloatChanges.h - What was changed before quantizing -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What equalization, SmoothQuant, EasyQuant and bias correction have tried on a
// float network, what it gained, and whether it was kept.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_FLOATCHANGES_H
#define PARALLAX_ANALYSIS_FLOATCHANGES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// A tensor of which scales have been moved into those that read it, or would
/// have been.
struct ScaledPair {
  std::string producer, tensor;
  std::vector<std::string> consumers;
  /// The strength of SmoothQuant.
  std::optional<double> alpha;
  /// The greatest channel's magnitude, divided by the median of all channels.
  double outliersBefore = 0, outliersAfter = 0;
  /// The squared error of what the consumers compute, as a part of the squares
  /// of what they should compute; summed over the consumers.
  double errorBefore = 0, errorAfter = 0;
  bool kept = false;
};

/// A layer whose bias has been corrected, or would have been.
struct CorrectedLayer {
  std::string layer;
  int64_t channels = 0;
  /// The root mean square over channels of the mean error, as a part of that of
  /// the layer's results.
  double shift = 0;
  /// As in ScaledPair, on samples that the correction has not seen.
  double errorBefore = 0, errorAfter = 0;
  bool kept = false;
};

/// A tensor whose range has been narrowed, or would have been.
struct TunedRange {
  std::string tensor;
  std::vector<std::string> consumers;
  /// What is left of the calibrated range.
  double part = 1;
  /// As in ScaledPair.
  double errorBefore = 0, errorAfter = 0;
  bool kept = false;
};

/// The error of the whole quantized network with and without a kind of change,
/// whose layers all got better: what makes the outputs worse is undone.
struct NetworkVerdict {
  std::string change;
  double errorBefore = 0, errorAfter = 0;
  bool kept = false;
};

struct FloatChanges {
  std::vector<ScaledPair> equalized, smoothed;
  std::vector<TunedRange> tuned;
  std::vector<CorrectedLayer> corrected;
  std::vector<NetworkVerdict> verdicts;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_FLOATCHANGES_H
