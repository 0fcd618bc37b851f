//===- Passes.h - Passes that optimize the float network -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For parallax-opt; see Optimize.h for all of them at once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_OPTIMIZE_PASSES_H
#define PARALLAX_PASSES_OPTIMIZE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace parallax {

#define GEN_PASS_DECL
#include "parallax/Passes/Optimize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "parallax/Passes/Optimize/Passes.h.inc"

} // namespace parallax

#endif // PARALLAX_PASSES_OPTIMIZE_PASSES_H
