//===- Optimize.h - The float optimization ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The whole float optimization in one call.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_OPTIMIZE_OPTIMIZE_H
#define PARALLAX_PASSES_OPTIMIZE_OPTIMIZE_H

#include "parallax/Passes/Optimize/Rewrite.h"

namespace parallax {

/// Applies all rewrites until nothing changes any more, and names the layers.
/// A second call finds nothing to do.
OptimizeReport optimize(mlir::func::FuncOp function,
                        const RewriteOptions &options = {});

} // namespace parallax

#endif // PARALLAX_PASSES_OPTIMIZE_OPTIMIZE_H
