//===- Match.cpp - Questions that rewrites ask about a network ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads constants as numbers and classifies operands and operations, for the
// patterns of all families.
//===----------------------------------------------------------------------===//
#include "Match.h"
#include "parallax/Support/TensorAttr.h"

#include <cmath>

using namespace mlir;

namespace parallax {

Tensor constantOf(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant ? toTensor(constant.getValue()) : Tensor();
}

static double elementOf(const Tensor &tensor, int64_t index) {
  double result = 0;
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<T>)
      result = double(tensor.data<T>()[index]);
    else
      result = double(float(tensor.data<T>()[index]));
  });
  return result;
}

std::optional<double> numberOf(Value value) {
  Tensor tensor = constantOf(value);
  if (tensor.isNull() || tensor.size() == 0)
    return std::nullopt;
  double first = elementOf(tensor, 0);
  for (int64_t i = 1; i < tensor.size(); ++i)
    if (elementOf(tensor, i) != first)
      return std::nullopt;
  return first;
}

std::optional<std::vector<double>>
numbersAlong(Value constant, RankedTensorType type, int64_t axis) {
  Tensor tensor = constantOf(constant);
  if (tensor.isNull() || tensor.dtype() != DType::F32 ||
      tensor.rank() > type.getRank())
    return std::nullopt;
  // The dimension of the constant that meets `axis`, from the end.
  int64_t offset = type.getRank() - tensor.rank();
  for (int64_t i = 0; i < tensor.rank(); ++i)
    if (tensor.dim(i) != 1 &&
        (i + offset != axis || tensor.dim(i) != type.getDimSize(axis)))
      return std::nullopt;
  std::vector<double> numbers(size_t(type.getDimSize(axis)));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = tensor.data<float>()[tensor.size() == 1 ? 0 : i];
  return numbers;
}

std::optional<ConstantOperand> splitConstant(Operation *op) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  bool aIsConstant = a.getDefiningOp<nn::ConstantOp>() != nullptr;
  bool bIsConstant = b.getDefiningOp<nn::ConstantOp>() != nullptr;
  if (aIsConstant == bIsConstant)
    return std::nullopt;
  return aIsConstant ? ConstantOperand{a, b} : ConstantOperand{b, a};
}

Value otherOperand(Operation *op, Value value) {
  if (op->getOperand(0) == value)
    return op->getOperand(1);
  return op->getOperand(1) == value ? op->getOperand(0) : Value();
}

bool isElementwise(Operation *op) {
  // A table can only stand in for a function of one number.
  return nn::ruleOf(op) == nn::QuantRule::Table ||
         isa<nn::CastOp, nn::IsInfOp, nn::IsNaNOp, nn::NotOp, nn::AddOp,
             nn::AndOp, nn::BitShiftOp, nn::DivOp, nn::EqualOp, nn::GreaterOp,
             nn::GreaterOrEqualOp, nn::LessOp, nn::LessOrEqualOp, nn::MaxOp,
             nn::MinOp, nn::ModOp, nn::MulOp, nn::OrOp, nn::PowOp, nn::PReluOp,
             nn::SubOp, nn::WhereOp, nn::XorOp>(op);
}

std::optional<std::vector<int64_t>> integersOf(Value value) {
  Tensor tensor = constantOf(value);
  if (tensor.isNull() || isFloat(tensor.dtype()) || tensor.rank() != 1)
    return std::nullopt;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < tensor.size(); ++i)
    integers.push_back(int64_t(elementOf(tensor, i)));
  return integers;
}

} // namespace parallax
