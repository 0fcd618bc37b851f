//===- Work.h - How much an operation computes -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From operations to numbers that no longer depend on what they compute.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_WORK_H
#define PARALLAX_LIB_BACKEND_NPU_WORK_H

#include "parallax/Analysis/LayerCost.h"
#include "parallax/Support/LLVM.h"

namespace parallax::npu {

/// Products: `repeats` times a matrix of `inputs` x `outputs` weights.
struct Products {
  int64_t repeats = 0, inputs = 0, outputs = 0;
};

struct Work {
  CostUnit unit = CostUnit::Vector;
  std::vector<Products> products;
  /// Of the operands of products; the widest of all for others.
  int64_t activationBits = 8, weightBits = 8;
  /// Elements that pass through the vector unit.
  int64_t elements = 0;
  bool isFloat = false;
  /// The result is the operand under another shape, or an output whose parts
  /// have been written to their places.
  bool isAlias = false;
};

/// Whether an operation reads only those elements of its first operand that it
/// gives: the table of a Gather stays where it is.
bool readsOnlyItsResult(Operation *op);

Work workOf(Operation *op, const Target &target);

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_WORK_H
