//===- CreateOp.cpp - Operations from operands and attributes -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Infers the result types of an existing operation again, after its operands or
// attributes have changed.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/CreateOp.h"

namespace parallax::nn {

LogicalResult inferTypesAgain(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<mlir::InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getAttrDictionary(), op->getPropertiesStorage(), {}, types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    result.setType(type);
  return mlir::success();
}

} // namespace parallax::nn
