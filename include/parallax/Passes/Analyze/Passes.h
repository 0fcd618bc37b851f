//===- Passes.h - The pass that measures precision -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For parallax-opt; see Analyze.h for the function behind it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_ANALYZE_PASSES_H
#define PARALLAX_PASSES_ANALYZE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace parallax {

#define GEN_PASS_DECL
#include "parallax/Passes/Analyze/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "parallax/Passes/Analyze/Passes.h.inc"

} // namespace parallax

#endif // PARALLAX_PASSES_ANALYZE_PASSES_H
