//===- Cost.h - The size of a network --------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts that summaries print.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_COST_H
#define PARALLAX_DIALECT_NN_COST_H

#include "parallax/Support/LLVM.h"

#include <cstdint>

namespace parallax::nn {

/// Multiply-accumulates of one operation; 0 for those that are not made of
/// them.
int64_t countMacs(Operation *op);

struct NetworkCost {
  int64_t macs = 0;
  int64_t parameters = 0; ///< Elements of all constants.
  int64_t parameterBytes = 0;
};

NetworkCost countCost(mlir::func::FuncOp function);

} // namespace parallax::nn

#endif // PARALLAX_DIALECT_NN_COST_H
