//===- WeightPlace.cpp - Where operators have their weights ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "WeightPlace.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace parallax::quantize {

static bool isWeight(Value value) {
  return isa_and_nonnull<nn::ConstantOp, nn::QuantizedConstantOp>(
             value.getDefiningOp()) &&
         !isa<IntegerType>(getElementTypeOrSelf(value.getType()));
}

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

WeightPlace weightPlaceOf(Operation *op) {
  auto withBias = [](auto op, int64_t axis) {
    return WeightPlace{0, 1, op.getBias() ? 2 : -1, axis};
  };
  auto place =
      llvm::TypeSwitch<Operation *, WeightPlace>(op)
          .Case<nn::ConvOp, nn::FullyConnectedOp>(
              [&](auto op) { return withBias(op, 0); })
          .Case([&](nn::ConvTransposeOp op) { return withBias(op, 1); })
          .Case([](nn::GemmOp op) {
            bool plain = op.getAlpha().convertToFloat() == 1 &&
                         op.getBeta().convertToFloat() == 1;
            return WeightPlace{0, 1, op.getC() && plain ? 2 : -1,
                               op.getTransB() ? 0 : 1};
          })
          .Case([](nn::MatMulOp op) {
            int64_t rankA = rankOf(op.getA()), rankB = rankOf(op.getB());
            if (isWeight(op.getB()))
              return WeightPlace{0, 1, -1, rankB > 1 ? rankB - 1 : -1};
            return WeightPlace{1, 0, -1, rankA > 1 ? rankA - 2 : -1};
          })
          .Case([](nn::EinsumOp op) {
            bool isSecond =
                op->getNumOperands() > 1 && isWeight(op->getOperand(1));
            return WeightPlace{isSecond ? 0 : 1, isSecond ? 1 : 0, -1, -1};
          })
          // The rows of the gates are dimension 1.
          .Case<nn::LSTMOp, nn::GRUOp, nn::RNNOp>([](auto) {
            return WeightPlace{0, 1, -1, 1};
          })
          .Default(WeightPlace());
  if (place.weight >= 0 && !isWeight(op->getOperand(unsigned(place.weight))))
    place.weight = -1;
  return place;
}

} // namespace parallax::quantize
