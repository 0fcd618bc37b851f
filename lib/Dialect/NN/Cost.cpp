//===- Cost.cpp - The size of a network -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts the multiply-accumulates of convolutions, matrix products and
// recurrent layers from their shapes, and the elements of constants.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Dialect/NN/ShapeInference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace parallax::nn {
namespace {

int64_t elements(Value value) { return getTensorType(value).getNumElements(); }

/// Every element of the result sums this many products. The first extent may be
/// zero.
int64_t productsPerWeightRow(Value weight) {
  return ShapedType::getNumElements(
      getTensorType(weight).getShape().drop_front());
}

/// Each weight of a recurrent layer is used once per step and sample.
template <typename OpTy> int64_t recurrentMacs(OpTy op) {
  ArrayRef<int64_t> x = getTensorType(op.getX()).getShape();
  return x[0] * x[1] * (elements(op.getW()) + elements(op.getR()));
}

} // namespace

int64_t countMacs(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ConvOp op) {
        return elements(op.getY()) * productsPerWeightRow(op.getWeight());
      })
      .Case([](ConvTransposeOp op) {
        return elements(op.getX()) * productsPerWeightRow(op.getWeight());
      })
      .Case([](GemmOp op) {
        return elements(op.getY()) *
               getTensorType(op.getA()).getDimSize(op.getTransA() ? 0 : 1);
      })
      .Case([](MatMulOp op) {
        return elements(op.getY()) * getTensorType(op.getA()).getShape().back();
      })
      .Case([](FullyConnectedOp op) {
        return elements(op.getY()) * getTensorType(op.getX()).getShape().back();
      })
      .Case<LSTMOp, GRUOp, RNNOp>([](auto op) { return recurrentMacs(op); })
      .Default(int64_t(0));
}

NetworkCost countCost(func::FuncOp function) {
  NetworkCost cost;
  function.walk([&](Operation *op) {
    cost.macs += countMacs(op);
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      RankedTensorType type = getTensorType(constant.getY());
      cost.parameters += type.getNumElements();
      cost.parameterBytes +=
          type.getNumElements() *
          int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    }
  });
  return cost;
}

} // namespace parallax::nn
