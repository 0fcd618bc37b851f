//===- EasyQuant.h - Ranges that serve the layers behind them --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration chooses the range of a tensor by the tensor alone. What matters
// is what its readers compute. See docs/smoothquant.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_EASYQUANT_H
#define PARALLAX_PASSES_QUANTIZE_EASYQUANT_H

#include "parallax/Analysis/FloatChanges.h"
#include "parallax/Passes/Quantize/ScalingOptions.h"
#include "parallax/Support/LLVM.h"

namespace parallax {

/// Searches, for every tensor that layers with weights read, the part of its
/// range with which they compute best. Changes the calibration only.
std::vector<TunedRange> tuneRanges(mlir::func::FuncOp network,
                                   const ScalingOptions &options);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_EASYQUANT_H
