//===- Normalize.cpp - Shape rules: normalizations ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Results look like the operand; what can be wrong are axes, groups and the
// shapes of the parameters.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include <cmath>

namespace parallax::nn {

/// A tensor of rank 1 has one channel.
static int64_t countChannels(Value x) {
  return getRank(x) > 1 ? getShape(x)[1] : 1;
}

LogicalResult inferChannelNormalizationOf(ValueRange operands,
                                          ResultTypes &results) {
  static constexpr StringRef names[] = {"x", "scale", "bias", "mean", "var"};
  SmallVector<Operand> named;
  for (auto [value, name] : llvm::zip(operands, names))
    named.push_back({value, name});
  if (failed(checkElements(named[0], Elements::Float, results)) ||
      failed(checkSameElements(named, results)) ||
      failed(checkRank(named[0], 1, INT64_MAX, results)))
    return failure();
  for (Operand parameter : ArrayRef(named).drop_front())
    if (failed(checkShape(parameter, countChannels(operands[0]), results)))
      return failure();
  return inferSameTypeAs(operands[0], results);
}

LogicalResult inferGroupNormalization(GroupNormalizationOp::Adaptor op,
                                      ResultTypes &results) {
  int64_t channels = countChannels(op.getX());
  int64_t groups = op.getNumGroups();
  if (groups < 1 || channels % groups != 0)
    return results.fail("cannot divide ", channels, " channels into ", groups,
                        " groups");
  return inferChannelNormalizationOf(op.getOperands(), results);
}

LogicalResult inferAlongAxisOf(Value x, int64_t axis, ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Float, results)) ||
      failed(normalizeAxis(axis, getRank(x), results)))
    return failure();
  return inferSameTypeAs(x, results);
}

LogicalResult inferNormalize(NormalizeOp::Adaptor op, ResultTypes &results) {
  Value x = op.getX();
  int64_t axis = op.getAxis();
  Type elements = getExpressedElementType(x.getType());
  if (!elements.isF32())
    return results.fail("x has element type ", elements, ", expected f32");
  if (failed(normalizeAxis(axis, getRank(x), results)) ||
      failed(checkLength("mean", op.getMean().size(), getShape(x)[axis],
                         results)) ||
      failed(
          checkLength("std", op.getStd().size(), getShape(x)[axis], results)))
    return failure();
  auto isFinite = [](float value) { return std::isfinite(value); };
  if (!llvm::all_of(op.getMean(), isFinite))
    return results.fail("mean must be finite");
  for (float divisor : op.getStd())
    if (!(divisor > 0) || !isFinite(divisor))
      return results.fail("std holds ", divisor,
                          ", expected positive and finite numbers");
  return inferSameTypeAs(x, results);
}

LogicalResult inferLayerNormalization(LayerNormalizationOp::Adaptor op,
                                      ResultTypes &results) {
  Value x = op.getX();
  int64_t axis = op.getAxis();
  Operand scale{op.getScale(), "scale"};
  Operand bias{op.getBias(), "bias"};
  if (failed(checkSameElements({{x, "x"}, scale, bias}, results)) ||
      failed(checkBroadcastsTo(scale, getShape(x), results)) ||
      (bias.value && failed(checkBroadcastsTo(bias, getShape(x), results))) ||
      failed(inferAlongAxisOf(x, axis, results)) ||
      failed(normalizeAxis(axis, getRank(x), results)))
    return failure();
  if (!op.getWithStatistics())
    return success();

  SmallVector<int64_t> shape(getShape(x));
  std::fill(shape.begin() + axis, shape.end(), 1);
  Type single = mlir::Float32Type::get(x.getContext());
  return success(succeeded(results.add(shape, single)) &&
                 succeeded(results.add(shape, single)));
}

LogicalResult inferRMSNormalization(RMSNormalizationOp::Adaptor op,
                                    ResultTypes &results) {
  Operand scale{op.getScale(), "scale"};
  if (failed(checkSameElements({{op.getX(), "x"}, scale}, results)) ||
      failed(checkBroadcastsTo(scale, getShape(op.getX()), results)))
    return failure();
  return inferAlongAxisOf(op.getX(), int64_t(op.getAxis()), results);
}

LogicalResult inferLRN(LRNOp::Adaptor op, ResultTypes &results) {
  if (failed(checkRank({op.getX(), "x"}, 2, INT64_MAX, results)))
    return failure();
  constexpr int64_t largestSize = int64_t(1) << 20; // beyond any network
  int64_t size = op.getSize();
  if (size < 1 || size > largestSize)
    return results.fail("size is ", size, ", expected 1 to ", largestSize);
  return inferFloatFunctionOf(op.getX(), results);
}

LogicalResult
inferMeanVarianceNormalization(MeanVarianceNormalizationOp::Adaptor op,
                               ResultTypes &results) {
  if (failed(checkAxes(op.getAxes(), getRank(op.getX()), results)))
    return failure();
  return inferFloatFunctionOf(op.getX(), results);
}

} // namespace parallax::nn
