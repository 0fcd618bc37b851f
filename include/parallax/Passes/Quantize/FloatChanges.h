//===- FloatChanges.h - What is changed before quantization ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Scales can be moved between layers, and biases corrected, so that a network
// loses less when it is quantized. Each such change is measured on samples and
// only kept if it helps; this is what they have in common.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_FLOATCHANGES_H
#define PARALLAX_PASSES_QUANTIZE_FLOATCHANGES_H

#include "parallax/Passes/Quantize/Precision.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/Tensor.h"

#include <functional>
#include <map>
#include <optional>

namespace parallax {

/// What the changes are measured on. Memory does not grow with the number of
/// samples: a few hundred rows of a tensor are kept.
struct SampleSource {
  size_t count = 0;
  /// The inputs of the float network; may be called from any thread.
  std::function<std::vector<Tensor>(size_t sample)> load;
  int threads = 1;
  /// Not more samples than these are run, evenly spread.
  size_t limit = 8;
};

/// Precisions by the name of the layer. Layers without an entry compute in U8,
/// with weights S8.
using LayerPrecisions = std::map<std::string, LayerPrecision>;
LayerPrecisions precisionsByName(const PrecisionPlan &plan);
LayerPrecision precisionOf(const LayerPrecisions &precisions, Operation *op);

struct ScalingOptions {
  SampleSource samples;
  LayerPrecisions precisions;
  /// See WeightOptions.
  double refineWeightThreshold = 1e-6;
};

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

Table scaledPairTable(const std::vector<ScaledPair> &pairs);
Table tunedRangeTable(const std::vector<TunedRange> &ranges);
Table correctedLayerTable(const std::vector<CorrectedLayer> &layers);
Table verdictTable(const std::vector<NetworkVerdict> &verdicts);

/// quant/float_changes.json.
std::string toJson(const FloatChanges &changes);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_FLOATCHANGES_H
