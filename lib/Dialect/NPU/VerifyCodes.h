//===- VerifyCodes.h - What makes codes and factors legal ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the verifiers of all families ask of zero points, limits, multipliers
// and tables.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_DIALECT_NPU_VERIFYCODES_H
#define PARALLAX_LIB_DIALECT_NPU_VERIFYCODES_H

#include "VerifyShapes.h"

#include "mlir/IR/TypeUtilities.h"

namespace parallax::npu {

/// `zero` is a code of the type of `value` (C2); `name` is what it is called.
LogicalResult checkZeroPoint(Operation *op, StringRef name, Value value,
                             int64_t zero);

/// The limits of a result are codes of its type (C3).
LogicalResult checkLimits(Operation *op, Value value, int64_t low,
                          int64_t high);

LogicalResult checkShift(Operation *op, int32_t shift);
LogicalResult checkMultipliers(Operation *op, ArrayRef<int32_t> multipliers,
                               ArrayRef<int32_t> shifts);

/// Integers that are made with the shift of a multiplier are not above it.
LogicalResult checkCoefficients(Operation *op, StringRef label,
                                ArrayRef<int64_t> coefficients);

/// Weights are signed (C2).
LogicalResult checkWeights(Operation *op, Value weight);

LogicalResult checkAxis(Operation *op, Value x, int64_t axis);

/// Whether codes have more than 8 bits.
bool isWide(Value value);

/// C2 and C3 of the result.
template <typename OpTy> LogicalResult checkResult(OpTy op) {
  Value y = op.getY();
  if (!isa<mlir::IntegerType>(mlir::getElementTypeOrSelf(y.getType())))
    return success();
  if (failed(checkZeroPoint(op, "zero_point", y, int64_t(op.getZeroPoint()))))
    return failure();
  return checkLimits(op, y, int64_t(op.getLow()), int64_t(op.getHigh()));
}

/// Entries of a table are from `low` to `high`.
template <typename T>
LogicalResult checkEntries(Operation *op, StringRef label, StringRef what,
                           ArrayRef<T> entries, int64_t low, int64_t high) {
  for (int64_t entry : entries)
    if (entry < low || entry > high)
      return op->emitOpError()
             << "violates " << label << ": " << what << " " << entry
             << " is not from " << low << " to " << high;
  return success();
}

/// An operand x, the result, and a number of multipliers.
template <typename OpTy> LogicalResult checkUnary(OpTy op, int64_t factors) {
  if (failed(checkZeroPoint(op, "x_zero_point", op.getX(),
                            int64_t(op.getXZeroPoint()))) ||
      failed(checkMultipliers(op, op.getMultipliers(), op.getShifts())) ||
      failed(checkResult(op)))
    return failure();
  return checkCount(op, "C11", "multipliers", op.getMultipliers().size(),
                    factors);
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_DIALECT_NPU_VERIFYCODES_H
