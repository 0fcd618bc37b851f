//===- Optimize.cpp - The float optimization ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Families run in an order in which each finds its patterns whole: formulas are
// recognised before their factors could be folded into weights.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Optimize/Optimize.h"
#include "Families.h"
#include "parallax/Passes/Optimize/Names.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

OptimizeReport optimize(mlir::func::FuncOp function,
                        const RewriteOptions &options) {
  const Rewrites families[] = {
      foldConstantsRewrites(),      removeNoOpsRewrites(),
      fuseActivationsRewrites(),    fuseNormalizationsRewrites(),
      fuseSoftmaxRewrites(),        fuseLayoutRewrites(),
      formFullyConnectedRewrites(), foldPadsRewrites(),
      foldAffineRewrites(),         globalizePoolsRewrites(),
      widenTo2DRewrites(),          mergeTransposesRewrites()};
  OptimizeReport report;
  nameLayers(function);
  removeDeadLayers(function, report);
  for (bool changed = true; changed;) {
    changed = mergeCommonLayers(function, report);
    for (const Rewrites &family : families)
      changed |= applyRewrites(function, family, options, report);
    changed |= removeDeadLayers(function, report);
  }
  nameLayers(function);
  return report;
}

} // namespace parallax
