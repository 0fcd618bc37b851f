//===- VerifyShapes.h - Shapes of npu operations ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What verifiers check about shapes: kernels take the result's shape as given
// and would write beyond it. Each error names a statement of docs/numerics.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_DIALECT_NPU_VERIFYSHAPES_H
#define PARALLAX_LIB_DIALECT_NPU_VERIFYSHAPES_H

#include "parallax/Support/LLVM.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace parallax::npu {

inline RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult checkCount(Operation *op, StringRef label, StringRef what,
                         size_t count, int64_t expected);

LogicalResult checkSameShape(Operation *op, StringRef label, Value x, Value y);

/// The first result has the shape `expected`.
LogicalResult checkResultShape(Operation *op, StringRef label,
                               ArrayRef<int64_t> expected);

/// The result has the shape that operands broadcast to; `shapes` may be parts
/// of theirs, and `rest` follows.
LogicalResult checkBroadcast(Operation *op, StringRef label,
                             ArrayRef<ArrayRef<int64_t>> shapes,
                             ArrayRef<int64_t> rest = {});

/// A window that slides over the dimensions of the first operand behind the
/// second one.
struct Window {
  ArrayRef<int64_t> kernel, strides, pads, dilations;
};

/// One entry for each spatial dimension (two pads), of a size that makes sense,
/// and the result that follows.
LogicalResult checkWindow(Operation *op, StringRef label, const Window &window,
                          bool transposed);

/// A window that keeps channels, whose number of stops may be rounded up, and
/// the number of its taps.
LogicalResult checkPool(Operation *op, StringRef label, const Window &window,
                        int64_t &taps);

/// Sorted axes of the first operand; the result keeps them as ones or leaves
/// them out.
LogicalResult checkReduction(Operation *op, StringRef label,
                             ArrayRef<int64_t> axes);

} // namespace parallax::npu

#endif // PARALLAX_LIB_DIALECT_NPU_VERIFYSHAPES_H
