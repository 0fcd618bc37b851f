//===- ComputeAgain.h - Time for memory -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The way back reads all layers of both networks. Kept until then, they would
// be most of the memory of an analysis.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_COMPUTEAGAIN_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_COMPUTEAGAIN_H

#include "mlir/IR/Block.h"

namespace parallax::analyze {

/// What lies in front of `firstBack` is cut into parts. Of each only what later
/// parts read is kept; the rest is computed once more when the way back gets
/// there. Does nothing where that saves little.
void computeAgain(mlir::Block &block, mlir::Operation *firstBack);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_COMPUTEAGAIN_H
