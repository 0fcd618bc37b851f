//===- Reduce.cpp - Shape rules: reductions -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which dimensions disappear, stay as one entry, or keep a part of theirs.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

namespace parallax::nn {

static Type getIndexType(Value value) {
  return mlir::IntegerType::get(value.getContext(), 64);
}

static LogicalResult addReduced(Value x, ArrayRef<int64_t> axes, bool keepdims,
                                Type elementType, ResultTypes &results) {
  SmallVector<int64_t> shape;
  for (auto [dimension, extent] : llvm::enumerate(getShape(x))) {
    if (!llvm::is_contained(axes, int64_t(dimension)))
      shape.push_back(extent);
    else if (keepdims)
      shape.push_back(1);
  }
  return results.add(shape, elementType);
}

LogicalResult inferReduceOf(Value x, ArrayRef<int64_t> axes, bool keepdims,
                            ResultTypes &results) {
  if (failed(checkAxes(axes, getRank(x), results)))
    return failure();
  return addReduced(x, axes, keepdims, getExpressedElementType(x.getType()),
                    results);
}

LogicalResult inferArgReduceOf(Value x, int64_t axis, bool keepdims,
                               ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Number, results)) ||
      failed(normalizeAxis(axis, getRank(x), results)))
    return failure();
  if (getShape(x)[axis] == 0)
    return results.fail("x has no elements along axis ", axis);
  return addReduced(x, axis, keepdims, getIndexType(x), results);
}

LogicalResult inferTopK(TopKOp::Adaptor op, ResultTypes &results) {
  Value x = op.getX();
  int64_t axis = op.getAxis();
  int64_t k = op.getK();
  if (failed(checkElements({x, "x"}, Elements::Number, results)) ||
      failed(normalizeAxis(axis, getRank(x), results)))
    return failure();
  SmallVector<int64_t> shape(getShape(x));
  if (k < 0 || k > shape[axis])
    return results.fail("k is ", k, ", but axis ", axis, " has ", shape[axis],
                        " elements");
  shape[axis] = k;
  return success(
      succeeded(results.add(shape, getExpressedElementType(x.getType()))) &&
      succeeded(results.add(shape, getIndexType(x))));
}

LogicalResult inferCumSum(CumSumOp::Adaptor op, ResultTypes &results) {
  int64_t axis = op.getAxis();
  if (failed(checkElements({op.getX(), "x"}, Elements::Number, results)) ||
      failed(normalizeAxis(axis, getRank(op.getX()), results)))
    return failure();
  return inferSameTypeAs(op.getX(), results);
}

} // namespace parallax::nn
