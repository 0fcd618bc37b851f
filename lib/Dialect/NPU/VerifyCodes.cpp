//===- VerifyCodes.cpp - What makes codes and factors legal ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each check names the statement of docs/numerics.md that a wrong zero point,
// limit, shift, multiplier or coefficient violates.
//===----------------------------------------------------------------------===//
#include "VerifyCodes.h"

#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/FixedPoint.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

namespace parallax::npu {

static CodeLimits limitsOf(Value value) {
  return codeLimitsOf(*toDType(mlir::getElementTypeOrSelf(value.getType())));
}

LogicalResult checkZeroPoint(Operation *op, StringRef name, Value value,
                             int64_t zero) {
  CodeLimits limits = limitsOf(value);
  if (zero >= limits.low && zero <= limits.high)
    return success();
  return op->emitOpError() << "violates C2: " << name << " " << zero
                           << " is not a code of "
                           << mlir::getElementTypeOrSelf(value.getType());
}

LogicalResult checkLimits(Operation *op, Value value, int64_t low,
                          int64_t high) {
  CodeLimits limits = limitsOf(value);
  if (low <= high && low >= limits.low && high <= limits.high)
    return success();
  return op->emitOpError() << "violates C3: limits " << low << " to " << high
                           << " are not within "
                           << mlir::getElementTypeOrSelf(value.getType());
}

static int multiplierBitsOf(Operation *op) {
  TargetAttr target = targetOf(op);
  return target ? int(target.getMultiplierBits()) : defaultMultiplierBits;
}

LogicalResult checkShift(Operation *op, int32_t shift) {
  int greatest = multiplierBitsOf(op) + 47;
  if (shift >= 1 && shift <= greatest)
    return success();
  return op->emitOpError() << "violates C11: shift " << shift
                           << " is not from 1 to " << greatest;
}

LogicalResult checkMultipliers(Operation *op, ArrayRef<int32_t> multipliers,
                               ArrayRef<int32_t> shifts) {
  if (multipliers.size() != shifts.size())
    return op->emitOpError()
           << "violates C11: " << multipliers.size() << " multipliers have "
           << shifts.size() << " shifts";
  int bits = multiplierBitsOf(op);
  for (auto [multiplier, shift] : llvm::zip(multipliers, shifts)) {
    bool isZero = multiplier == 0 && shift == 1;
    if (!isZero && (multiplier < 0 || multiplier >> (bits - 1) != 1))
      return op->emitOpError()
             << "violates C11: multiplier " << multiplier << " is not from 2^"
             << bits - 1 << " to below 2^" << bits;
    if (failed(checkShift(op, shift)))
      return failure();
  }
  return success();
}

LogicalResult checkCoefficients(Operation *op, StringRef label,
                                ArrayRef<int64_t> coefficients) {
  int bits = multiplierBitsOf(op);
  int64_t limit = int64_t(1) << bits;
  for (int64_t coefficient : coefficients)
    if (coefficient <= -limit || coefficient >= limit)
      return op->emitOpError()
             << "violates " << label << ": coefficient " << coefficient
             << " has more than " << bits << " bits";
  return success();
}

LogicalResult checkWeights(Operation *op, Value weight) {
  Type element = mlir::getElementTypeOrSelf(weight.getType());
  if (!element.isUnsignedInteger())
    return success();
  return op->emitOpError() << "violates C2: weights of " << element
                           << " are not signed";
}

LogicalResult checkAxis(Operation *op, Value x, int64_t axis) {
  if (axis >= 0 && axis < typeOf(x).getRank())
    return success();
  return op->emitOpError() << "has no dimension " << axis;
}

bool isWide(Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() >
         8;
}

} // namespace parallax::npu
