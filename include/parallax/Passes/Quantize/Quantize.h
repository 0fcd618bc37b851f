//===- Quantize.h - The quantized view of a network ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Types carry the stage of a network: in its quantized view, a tensor of codes
// has a !quant.uniform element type, weights are codes, and a change of type is
// an operation. What the network computes is otherwise as it was.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_QUANTIZE_H
#define PARALLAX_PASSES_QUANTIZE_QUANTIZE_H

#include "parallax/Analysis/Alignments.h"
#include "parallax/Passes/Quantize/Precision.h"

namespace parallax {

struct QuantizeOptions {
  /// S32: at the scale of the accumulator. FP32: as in the model.
  DataType bias = DataType::S32;
  /// Of the scales of normalizations: FP32, or 32-bit integers.
  DataType normalizationScale = DataType::FP32;
  /// See WeightOptions.
  double refineWeightThreshold = 1e-6;
  /// Lets tensors share parameters where that saves a rounding, not only where
  /// they must.
  bool shareParameters = true;
};

QuantizeOptions quantizeOptions(const QuantConfig &config);

struct QuantizeReport {
  int64_t operators = 0, quantizedOperators = 0;
  int64_t tensors = 0, quantizedTensors = 0;
  /// Tensors with parameters of their own, and such that share another's.
  int64_t ownParameters = 0, sharedParameters = 0;
  int64_t weights = 0, biases = 0, requantizations = 0;
  int64_t floatTensors = 0, integerTensors = 0;
  /// Where tensors meet.
  std::vector<AlignmentChoice> alignments;
};

/// Adds a function called "quantized" beside the calibrated network, whose
/// layers have their precisions. Fails with an error if a float tensor has no
/// range, or if weights are not finite.
FailureOr<mlir::func::FuncOp>
addQuantizedView(mlir::func::FuncOp network, const QuantizeOptions &options,
                 QuantizeReport *report = nullptr);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_QUANTIZE_H
