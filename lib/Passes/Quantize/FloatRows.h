//===- FloatRows.h - Rows of what a float network computes -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// To measure what quantization does to a layer, a few hundred rows of its input
// are enough. They are spread over samples and over each tensor, and which ones
// they are depends on nothing else, so that any number of threads gives the
// same.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_FLOATROWS_H
#define PARALLAX_LIB_PASSES_QUANTIZE_FLOATROWS_H

#include "MacLayer.h"

#include "parallax/Passes/Quantize/ScalingOptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace parallax::quantize {

struct ChannelExtremes {
  std::vector<float> low, high;
};

/// Multiplies every row of a matrix, element by element.
void multiplyColumns(Tensor &matrix, const std::vector<float> &factors);

/// What is kept of tensors, which are known by their names.
class FloatRows {
public:
  /// Not more samples than these are run, evenly spread.
  static constexpr size_t mostSamples = 8;

  /// Asks for rows of a tensor; before collect().
  void want(Value tensor, const RowGeometry &geometry);
  /// Asks for the extremes of every channel.
  void wantExtremes(Value tensor, int64_t axis);

  /// Runs the network on samples: on as many as it takes to have enough rows of
  /// every tensor, but since samples differ more than the rows of one, on some
  /// in any case.
  void collect(mlir::func::FuncOp network, const Samples &source, int threads,
               size_t fewestSamples = 4);

  /// Null if the network does not have the tensor. Rows of one sample are
  /// neighbours.
  const Tensor *rows(Value tensor, const RowGeometry &geometry) const;
  /// How many rows there are of each sample.
  int64_t rowsPerSample(Value tensor, const RowGeometry &geometry) const;
  ChannelExtremes extremes(Value tensor, int64_t axis) const;

  /// Multiplies the channels of all rows of a tensor.
  void scale(Value tensor, const std::vector<float> &factors);

private:
  struct Entry {
    int64_t perSample = 0;
    Tensor rows;
  };
  struct Watched {
    Shape shape;
    std::map<RowGeometry, Entry> entries;
    /// By axis; one element per sample.
    std::map<int64_t, std::vector<ChannelExtremes>> extremes;
  };
  class Watcher;

  Watched &watched(Value tensor);
  const Watched *find(Value tensor) const;
  size_t samplesNeeded(size_t count, size_t fewestSamples) const;
  void allocate(size_t samples);
  static void take(Watched &tensor, size_t sample, const Tensor &value);

  std::map<std::string, Watched> tensors;
};

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_FLOATROWS_H
