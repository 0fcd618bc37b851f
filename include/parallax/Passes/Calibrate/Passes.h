//===- Passes.h - The pass that finds ranges -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For parallax-opt; see Calibrate.h and Annotate.h for the functions behind it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_PASSES_H
#define PARALLAX_PASSES_CALIBRATE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace parallax {

#define GEN_PASS_DECL
#include "parallax/Passes/Calibrate/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "parallax/Passes/Calibrate/Passes.h.inc"

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_PASSES_H
