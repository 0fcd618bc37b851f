//===- Match.h - Questions that rewrites ask about a network ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Exporters write one formula in many ways: operands in either order, numbers
// as scalars or as tensors of equal elements. These functions hide that.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_OPTIMIZE_MATCH_H
#define PARALLAX_LIB_PASSES_OPTIMIZE_MATCH_H

#include "parallax/Dialect/NN/ShapeInference.h"
#include "parallax/Support/Tensor.h"

#include <optional>

namespace parallax {

/// The value of a constant, as a view, or a null tensor.
Tensor constantOf(Value value);

/// The number that all elements of a constant are.
std::optional<double> numberOf(Value value);

/// The elements of a float constant that differ along one dimension of the
/// result at most: one number per entry of `axis`. Nothing if it differs along
/// another one, or if it makes the result larger than `type`.
std::optional<std::vector<double>>
numbersAlong(Value constant, RankedTensorType type, int64_t axis);

/// A constant and the other operand of a binary operation, in either order.
struct ConstantOperand {
  Value constant, other;
};
std::optional<ConstantOperand> splitConstant(Operation *op);

/// The other operand of a binary operation, or null if `value` is not an
/// operand.
Value otherOperand(Operation *op, Value value);

/// The operation that computes `value` for a single reader, or null.
template <typename OpTy> OpTy soleProducer(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<OpTy>() : OpTy();
}

/// The operand of `op` that an `OpTy` computes and that has no other
/// consumer; null if there is none.
template <typename OpTy> OpTy operandMadeBy(Operation *op) {
  for (Value operand : op->getOperands())
    if (OpTy producer = soleProducer<OpTy>(operand))
      return producer;
  return OpTy();
}

/// True if every element of the result depends on the elements at the same
/// place of the operands alone, which broadcast as in NumPy.
bool isElementwise(Operation *op);

/// True if all entries of a list are `value`.
inline bool isFilledWith(ArrayRef<int64_t> list, int64_t value) {
  return llvm::all_of(list, [&](int64_t entry) { return entry == value; });
}

/// The elements of a constant list of integers.
std::optional<std::vector<int64_t>> integersOf(Value value);

inline bool isFloat(Value value) {
  return nn::getTensorType(value).getElementType().isF32();
}

inline ArrayRef<int64_t> shapeOf(Value value) {
  return nn::getTensorType(value).getShape();
}

inline int64_t rankOf(Value value) {
  return nn::getTensorType(value).getRank();
}

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_OPTIMIZE_MATCH_H
