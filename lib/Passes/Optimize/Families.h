//===- Families.h - All rewrites -------------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One function per source file. Passes.td says what each family does.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_OPTIMIZE_FAMILIES_H
#define PARALLAX_LIB_PASSES_OPTIMIZE_FAMILIES_H

#include "parallax/Passes/Optimize/Rewrite.h"

namespace parallax {

Rewrites foldAffineRewrites();
Rewrites foldConstantsRewrites();
Rewrites foldPadsRewrites();
Rewrites formFullyConnectedRewrites();
Rewrites fuseActivationsRewrites();
Rewrites fuseLayoutRewrites();
Rewrites fuseNormalizationsRewrites();
Rewrites fuseSoftmaxRewrites();
Rewrites globalizePoolsRewrites();
Rewrites mergeTransposesRewrites();
Rewrites removeNoOpsRewrites();
Rewrites widenTo2DRewrites();

/// Makes one layer of those that compute the same from the same operands.
bool mergeCommonLayers(mlir::func::FuncOp function, OptimizeReport &report);

/// Removes what no output of the network depends on.
bool removeDeadLayers(mlir::func::FuncOp function, OptimizeReport &report);

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_OPTIMIZE_FAMILIES_H
