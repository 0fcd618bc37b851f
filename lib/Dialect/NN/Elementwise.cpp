//===- Elementwise.cpp - Shape rules: elementwise operators ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Result shapes are those of the operands, broadcast as in NumPy; what differs
// from operator to operator is which element types make sense.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

namespace parallax::nn {

using mlir::IntegerType;

static Type getBoolType(Value value) {
  return IntegerType::get(value.getContext(), 1);
}

/// The operands as messages name them.
static SmallVector<Operand> nameOperands(ValueRange operands) {
  if (operands.size() == 1)
    return {{operands[0], "x"}};
  return {{operands[0], "a"}, {operands[1], "b"}};
}

LogicalResult inferSameTypeAs(Value operand, ResultTypes &results) {
  return results.add(getShape(operand),
                     getExpressedElementType(operand.getType()));
}

LogicalResult inferBroadcastOf(ValueRange operands, Type elementType,
                               ResultTypes &results) {
  SmallVector<ArrayRef<int64_t>> shapes(
      llvm::map_range(operands, [](Value value) { return getShape(value); }));
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(shapes, shape, results)))
    return failure();
  return results.add(shape, elementType);
}

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

LogicalResult inferFloatFunctionOf(Value x, ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Float, results)))
    return failure();
  return inferSameTypeAs(x, results);
}

LogicalResult inferNumberFunctionOf(Value x, ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Number, results)))
    return failure();
  return inferSameTypeAs(x, results);
}

LogicalResult inferPredicateOf(Value x, ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Float, results)))
    return failure();
  return results.add(getShape(x), getBoolType(x));
}

/// The types that tensors in memory have: floats, and integers that are signed
/// without saying so or unsigned.
static bool isStorable(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64 ||
         (width == 1 && integer.isSignless());
}

LogicalResult inferCast(CastOp::Adaptor op, ResultTypes &results) {
  Type to = op.getTo();
  if (!isStorable(to))
    return results.fail("cannot cast to ", to);
  return results.add(getShape(op.getX()), to);
}

//===----------------------------------------------------------------------===//
// Functions of two or three numbers
//===----------------------------------------------------------------------===//

static LogicalResult checkUniformKind(ValueRange operands, Elements kind,
                                      const ResultTypes &results) {
  SmallVector<Operand> named = nameOperands(operands);
  if (failed(checkElements(named[0], kind, results)))
    return failure();
  return checkSameElements(named, results);
}

static LogicalResult inferUniformKind(ValueRange operands, Elements kind,
                                      ResultTypes &results) {
  if (failed(checkUniformKind(operands, kind, results)))
    return failure();
  return inferBroadcastOf(
      operands, getExpressedElementType(operands[0].getType()), results);
}

LogicalResult inferBinary(ValueRange operands, ResultTypes &results) {
  return inferUniformKind(operands, Elements::Number, results);
}

LogicalResult inferLogicalOf(ValueRange operands, ResultTypes &results) {
  return inferUniformKind(operands, Elements::Bool, results);
}

LogicalResult inferShift(BitShiftOp::Adaptor op, ResultTypes &results) {
  return inferUniformKind(op.getOperands(), Elements::Integer, results);
}

LogicalResult inferBinaryPredicate(ValueRange operands, ResultTypes &results) {
  if (failed(checkSameElements(nameOperands(operands), results)))
    return failure();
  return inferBroadcastOf(operands, getBoolType(operands[0]), results);
}

LogicalResult inferPow(PowOp::Adaptor op, ResultTypes &results) {
  for (Operand operand : nameOperands(op.getOperands()))
    if (failed(checkElements(operand, Elements::Number, results)))
      return failure();
  return inferBroadcastOf(
      op.getOperands(), getExpressedElementType(op.getA().getType()), results);
}

LogicalResult inferPRelu(PReluOp::Adaptor op, ResultTypes &results) {
  if (failed(checkUniformKind(op.getOperands(), Elements::Number, results)) ||
      failed(checkBroadcastsTo({op.getB(), "b"}, getShape(op.getA()), results)))
    return failure();
  return inferSameTypeAs(op.getA(), results);
}

LogicalResult inferWhere(WhereOp::Adaptor op, ResultTypes &results) {
  if (failed(checkElements({op.getCondition(), "condition"}, Elements::Bool,
                           results)) ||
      failed(checkSameElements({{op.getA(), "a"}, {op.getB(), "b"}}, results)))
    return failure();
  return inferBroadcastOf(
      op.getOperands(), getExpressedElementType(op.getA().getType()), results);
}

} // namespace parallax::nn
