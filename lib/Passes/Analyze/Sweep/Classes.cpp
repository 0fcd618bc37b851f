//===- Classes.cpp - Which outputs choose between classes -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A user of scores asks which is the largest. A cosine does not say whether
// that is still the same one.
//===----------------------------------------------------------------------===//
#include "Combine.h"

#include "parallax/Dialect/NN/NNOps.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Rows take longer than a cosine; pictures of scores are left out.
constexpr int64_t maxElements = 1 << 22;

/// What a value is a plain copy of, with the same last dimension.
Value withoutReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<nn::ReshapeOp>()) {
    Value source = reshape->getOperand(0);
    ArrayRef<int64_t> from =
        cast<RankedTensorType>(source.getType()).getShape();
    if (from.empty() ||
        from.back() !=
            cast<RankedTensorType>(value.getType()).getShape().back())
      break;
    value = source;
  }
  return value;
}

/// Softmax along rows, or the scores of a list of boxes or tokens.
bool hasProbabilitiesInRows(Value value) {
  Value source = withoutReshapes(value);
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  auto isLast = [&](int64_t axis) { return axis == -1 || axis == rank - 1; };
  if (auto softmax = source.getDefiningOp<nn::SoftmaxOp>())
    return isLast(softmax.getAxis());
  if (auto softmax = source.getDefiningOp<nn::LogSoftmaxOp>())
    return isLast(softmax.getAxis());
  return rank == 3 && source.getDefiningOp<nn::SigmoidOp>();
}

} // namespace

bool choosesClasses(Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  if (!isa<FloatType>(type.getElementType()) || !type.hasStaticShape() ||
      type.getNumElements() > maxElements)
    return false;
  // Classes of a picture that is one element large.
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() == 4 && shape[1] > 1 && shape[2] == 1 && shape[3] == 1)
    return true;
  if (shape.empty() || shape.back() < 2)
    return false;
  // Rows of a matrix are samples or tokens.
  return shape.size() == 2 || hasProbabilitiesInRows(output);
}

} // namespace parallax::analyze
