//===- Folding.cpp - What may become a constant ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folding is allowed if the result is small, or not much larger than the
// operands.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/Folding.h"
#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::nn {

/// As if every element had eight bytes; nothing for an unknown extent.
static size_t roomFor(TypeRange types) {
  size_t bytes = 0;
  for (Type type : types)
    if (auto tensor = cast<RankedTensorType>(type); tensor.hasStaticShape())
      bytes += size_t(tensor.getNumElements()) * 8;
  return bytes;
}

bool isWorthFolding(Operation *op) {
  constexpr size_t alwaysBytes = size_t(64) << 20;
  // Its operand is the compact form that a quantized model wants to keep.
  if (isa<DequantizeLinearOp>(op))
    return false;
  return roomFor(op->getResultTypes()) <=
         std::max(alwaysBytes, 2 * roomFor(op->getOperandTypes()));
}

} // namespace parallax::nn
