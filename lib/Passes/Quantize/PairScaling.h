//===- PairScaling.h - Scales that move between layers ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// If a tensor X is linear in scales that its producer has for each channel, and
// is only read by products with constant weights, X / s can be computed instead
// of X, and W s be used instead of W: the network computes the same. What is
// quantized is not the same, so that some s are better than others.
// SmoothQuant and equalization only differ in the s that they propose.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_PAIRSCALING_H
#define PARALLAX_LIB_PASSES_QUANTIZE_PAIRSCALING_H

#include "FloatRows.h"

#include "parallax/Analysis/FloatChanges.h"
#include "parallax/Analysis/QuantParams.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Quantize/Precision.h"

namespace parallax::quantize {

/// No channel is scaled further than this from the others.
constexpr float farthestScale = 1024;

/// A tensor that is scaled, and the dimension of its channels.
struct ScaledTensor {
  Value value;
  int64_t axis = 0;
};

/// A producer and those that read what it computes, directly or through
/// operators that keep scales: rectifiers, maxima, moved elements, and products
/// with something else.
struct Pair {
  Operation *producer = nullptr;
  int64_t channels = 0;
  /// The producer's result first.
  std::vector<ScaledTensor> tensors;
  std::vector<MacLayer> consumers;

  /// How it is called in reports.
  Value mainTensor() const { return consumers[0].input(); }
};

/// In the order of the network.
std::vector<Pair> findPairs(mlir::func::FuncOp network);

/// What a tensor of a pair is computed of, element by element: of codes too.
struct TensorSource {
  Value from;
  /// What it is multiplied by, or null.
  Value gate;
  /// What negative elements are multiplied by otherwise: one number, or one for
  /// each channel.
  std::vector<float> slopes;
};
/// Nothing if the tensor has to be taken as it is.
std::optional<TensorSource> sourceOf(const Pair &pair, Value tensor);

/// Its names, for reports.
ScaledPair outcomeOf(const Pair &pair);

using Scales = std::vector<float>;

/// Squared errors, as parts of the squares of what is right.
struct PairError {
  /// Of what the consumers compute; summed over them.
  double results = 0;
  /// Of what they read; the mean.
  double tensor = 0;
};

/// The network, its calibration and the rows that scales are measured on, which
/// change together.
class PairScaler {
public:
  PairScaler(Calibration &calibration, const ScalingOptions &options);

  /// Takes out pairs on which nothing can be known: tensors without range, and
  /// consumers that all compute in float.
  void removeUnmeasurable(std::vector<Pair> &pairs) const;
  /// Asks for what is needed to measure a pair; then, once for all pairs,
  /// collect() gets it.
  void want(const Pair &pair);
  void collect(mlir::func::FuncOp network);

  /// True if channelMaxima is known before collect().
  bool hasCalibratedChannels(const Pair &pair) const;
  /// The greatest magnitude of each channel of what the consumers read.
  std::vector<float> channelMaxima(const Pair &pair) const;

  /// How exactly weights are quantized while measuring: as they will be, or
  /// nearly so in a fraction of the time.
  enum class Effort { Search, Final };
  /// The weights of a pair's consumers, and what they compute in float.
  struct Exact {
    std::vector<Tensor> matrices, results;
  };
  Exact exact(const Pair &pair) const;
  /// The error with scales applied; that of the tensor only if asked for.
  PairError error(const Pair &pair, const Exact &exact, const Scales &scales,
                  Effort effort, bool withTensor = false) const;

  /// Changes the network, the calibration and the rows.
  void apply(Pair &pair, const Scales &scales);

private:
  const TensorRange *range(Value tensor) const;
  ChannelExtremes extremes(const ScaledTensor &tensor) const;
  TensorRange scaledRange(const ScaledTensor &tensor,
                          const Scales &scales) const;
  void wantRows(const Pair &pair, Value tensor, const RowGeometry &geometry);
  Tensor scaledRows(const Pair &pair, Value tensor, const RowGeometry &geometry,
                    const Scales &scales, DataType kind) const;
  Tensor codedMatrix(const Tensor &matrix, DataType kind, Effort effort) const;

  Calibration &calibration;
  const ScalingOptions &options;
  std::map<std::string, size_t> ranges;
  FloatRows rows;
  /// Tensors that the calibration has other channels of, and their extremes,
  /// which are scaled like the rows.
  std::vector<ScaledTensor> uncalibrated;
  std::map<std::string, ChannelExtremes> observed;
};

/// The greatest entry divided by the median of those that are not 0.
double outlierRatio(std::vector<float> maxima);

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_PAIRSCALING_H
