//===- SmoothQuant.h - Outliers move into the weights ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Both change the weights of a float network such that it computes the same,
// up to rounding, and loses less when it is quantized. See docs/smoothquant.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_SMOOTHQUANT_H
#define PARALLAX_PASSES_QUANTIZE_SMOOTHQUANT_H

#include "parallax/Analysis/FloatChanges.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Passes/Quantize/ScalingOptions.h"
#include "parallax/Support/LLVM.h"

namespace parallax {

struct SmoothOptions : ScalingOptions {
  /// Tensors are looked at if the median of their channels' magnitudes is below
  /// this part of the greatest.
  double threshold = 0.2;
  /// How much of the difference between channels goes into the weights; without
  /// one, the best is searched for each tensor.
  std::optional<double> strength = 0.6;
};

/// SmoothQuant: s = max|X|^alpha / max|W|^(1 - alpha) for every channel.
/// Returns all tensors that were looked at. The calibration is that of the
/// changed network afterwards.
std::vector<ScaledPair> smoothNetwork(mlir::func::FuncOp network,
                                      const SmoothOptions &options);

/// Cross-layer equalization: s = sqrt(r1 / r2), where r1 is the greatest weight
/// that makes a channel and r2 the greatest one that reads it.
std::vector<ScaledPair> equalizeNetwork(mlir::func::FuncOp network,
                                        const ScalingOptions &options);

/// What the configuration says about both.
SmoothOptions smoothOptions(const QuantConfig &config, const Samples &samples,
                            int threads);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_SMOOTHQUANT_H
