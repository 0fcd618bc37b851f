//===- NNDialect.cpp - Registration of the nn dialect ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Registers the operators and makes constants for the folder.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/NNOps.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"

#include "parallax/Dialect/NN/NNDialect.cpp.inc"
#include "parallax/Dialect/NN/NNInterfaces.cpp.inc"

namespace parallax::nn {

void NNDialect::initialize() { registerNNDialectOperations(this); }

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, elements);
}

} // namespace parallax::nn
