//===- BiasCorrection.h - Errors that are always the same ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Rounding weights shifts the mean of what a layer computes, which its bias can
// undo. See docs/smoothquant.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_BIASCORRECTION_H
#define PARALLAX_PASSES_QUANTIZE_BIASCORRECTION_H

#include "parallax/Analysis/FloatChanges.h"
#include "parallax/Support/LLVM.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// Measures the layers of a quantized view on samples, each on inputs of the
/// float network, and changes the biases of `copy`, the network that the view
/// was made of; it can be quantized again then. Samples are of `network`, which
/// stays as it is and has the same layers by name.
std::vector<CorrectedLayer> correctBiases(mlir::func::FuncOp network,
                                          mlir::func::FuncOp copy,
                                          mlir::func::FuncOp quantized,
                                          const Samples &samples, int threads);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_BIASCORRECTION_H
