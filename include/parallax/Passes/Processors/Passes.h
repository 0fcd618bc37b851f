//===- Passes.h - The pass that adds processors -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For parallax-opt; see Processors.h for the function that it calls.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_PROCESSORS_PASSES_H
#define PARALLAX_PASSES_PROCESSORS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace parallax {

#define GEN_PASS_DECL
#include "parallax/Passes/Processors/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "parallax/Passes/Processors/Passes.h.inc"

} // namespace parallax

#endif // PARALLAX_PASSES_PROCESSORS_PASSES_H
