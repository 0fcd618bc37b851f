//===- Passes.h - The passes that make a network quantized -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For parallax-opt; see Precision.h, SmoothQuant.h and Quantize.h for the
// functions behind them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_PASSES_H
#define PARALLAX_PASSES_QUANTIZE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace parallax {

#define GEN_PASS_DECL
#include "parallax/Passes/Quantize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "parallax/Passes/Quantize/Passes.h.inc"

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_PASSES_H
