//===- Improve.h - Changes that verify themselves --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Everything that a configuration asks for to make a network lose less when it
// is quantized. Single changes are measured where they are made; here the
// whole quantized network is, because what helps every layer need not help the
// outputs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_IMPROVE_H
#define PARALLAX_PASSES_QUANTIZE_IMPROVE_H

#include "parallax/Analysis/FloatChanges.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Support/Samples.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

/// True if the configuration asks for any of it.
bool asksForImprovement(const QuantConfig &config);

struct Improvement {
  FloatChanges changes;
  /// What to quantize: the network, or a copy of it with other biases, which is
  /// then a function called "corrected" beside it.
  mlir::func::FuncOp source;
};

/// Gives the layers of a network, or of a copy of it, their precisions.
using AssignPrecisions = std::function<LogicalResult(mlir::func::FuncOp)>;

/// Equalization, SmoothQuant, EasyQuant and bias correction, in this order. The
/// calibrated network is changed by what is kept; it still computes the same in
/// float, up to rounding.
FailureOr<Improvement> improveNetwork(mlir::func::FuncOp network,
                                      const QuantConfig &config,
                                      const Samples &samples, int threads,
                                      const AssignPrecisions &assign);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_IMPROVE_H
