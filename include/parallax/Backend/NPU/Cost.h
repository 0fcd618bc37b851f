//===- Cost.h - The estimate of a network's time ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Products per cycle, elements per cycle and bytes per cycle: enough to see
// which layers a network spends its time in, and what limits them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_COST_H
#define PARALLAX_BACKEND_NPU_COST_H

#include "parallax/Analysis/LayerCost.h"
#include "parallax/Support/LLVM.h"

#include <map>
#include <set>
#include <string>

namespace parallax {

struct CostOptions {
  NpuMode mode = NpuMode::NPU1;
  /// Plans with less bandwidth than the target has, in GB/s; 0 for all of it.
  double bandwidthLimit = 0;
};

/// The layers of the view of the NPU, in their order. Throws Error if the
/// target does not have the mode.
std::vector<LayerCost> estimateCost(mlir::func::FuncOp npu,
                                    const Target &target,
                                    const CostOptions &options = {});

/// What it takes to turn so many codes of 16 bits into codes of 8. Those that
/// fit on the chip are there.
LayerCost estimateConversion(int64_t elements, const Target &target,
                             const CostOptions &options = {});

/// The cycles of layers that have a row in a table. What has none, such as a
/// conversion, counts for the first layer with a row behind it, or before it
/// if there is none: the sum is that of all costs.
std::map<std::string, int64_t> cyclesByRow(mlir::func::FuncOp npu,
                                           const std::vector<LayerCost> &costs,
                                           const std::set<std::string> &rows);

} // namespace parallax

#endif // PARALLAX_BACKEND_NPU_COST_H
