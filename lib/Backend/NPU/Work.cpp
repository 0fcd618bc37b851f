//===- Work.cpp - How much an operation computes --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One case per formula that is not "every element once".
//===----------------------------------------------------------------------===//
#include "Work.h"

#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

namespace parallax::npu {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t elementsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements() : 0;
}

int64_t bitsOf(Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

int64_t productOf(ArrayRef<int64_t> values) {
  int64_t product = 1;
  for (int64_t value : values)
    product *= value;
  return product;
}

/// The elements of the largest operand or result that is not a constant.
int64_t greatestTensor(Operation *op) {
  int64_t greatest = 0;
  for (Value value : op->getOperands())
    if (!value.getDefiningOp<nn::ConstantOp>())
      greatest = std::max(greatest, elementsOf(value));
  for (Value value : op->getResults())
    greatest = std::max(greatest, elementsOf(value));
  return greatest;
}

int64_t greatestBits(Operation *op) {
  int64_t bits = 8;
  for (Value value : op->getOperands())
    bits = std::max(bits, bitsOf(value));
  for (Value value : op->getResults())
    bits = std::max(bits, bitsOf(value));
  return bits;
}

bool hasFloats(Operation *op) {
  auto isFloat = [](Type type) {
    return isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

Work macWork(Value x, Value weight, std::vector<Products> products) {
  Work work;
  work.unit = CostUnit::Mac;
  work.products = std::move(products);
  work.activationBits = bitsOf(x);
  work.weightBits = bitsOf(weight);
  return work;
}

/// Each weight of a transposed convolution meets each input.
Work convWork(ConvOp op) {
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  auto group = int64_t(op.getGroup());
  int64_t taps = productOf(weight.drop_front(2));
  int64_t positions =
      elementsOf(op.getTransposed() ? op.getX() : op.getY()) /
      std::max<int64_t>(op.getTransposed() ? shapeOf(op.getX())[1]
                                           : shapeOf(op.getY())[1],
                        1);
  int64_t inputs = op.getTransposed() ? weight[0] / group : weight[1];
  int64_t outputs = op.getTransposed() ? weight[1] : weight[0] / group;
  return macWork(op.getX(), op.getWeight(),
                 {{positions * taps * group, inputs, outputs}});
}

/// Weights [directions, rows, inputs] are used once per step and sample.
template <typename OpTy> Work recurrentWork(OpTy op) {
  ArrayRef<int64_t> x = shapeOf(op.getX());
  auto products = [&](Value weights) {
    ArrayRef<int64_t> shape = shapeOf(weights);
    return Products{x[0] * x[1] * shape[0], shape[2], shape[1]};
  };
  return macWork(op.getX(), op.getWeight(),
                 {products(op.getWeight()), products(op.getRecurrent())});
}

/// Every element `passes` times.
Work vectorWork(Operation *op, int64_t passes = 1) {
  Work work;
  work.elements = greatestTensor(op) * passes;
  work.activationBits = greatestBits(op);
  work.isFloat = hasFloats(op);
  return work;
}

Work windowWork(Operation *op, int64_t taps) {
  Work work = vectorWork(op);
  work.elements = elementsOf(op->getResult(0)) * taps;
  return work;
}

/// Whether the parts of a concatenation can be written to their places in an
/// output of the network, which lie one behind the other.
bool isWrittenInParts(nn::ConcatOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  auto axis = size_t(op.getChannelAxis(int64_t(shape.size())));
  auto isOwnPart = [](Value part) {
    return part.hasOneUse() && part.getDefiningOp() &&
           !part.getDefiningOp<nn::ConstantOp>();
  };
  return productOf(shape.take_front(axis)) == 1 && op->hasOneUse() &&
         op->user_begin()->hasTrait<mlir::OpTrait::IsTerminator>() &&
         llvm::all_of(op->getOperands(), isOwnPart);
}

/// What is not an operation of the NPU: float layers, and movements of codes.
Work networkWork(Operation *op, const Target &target) {
  auto concat = dyn_cast<nn::ConcatOp>(op);
  if (isa<nn::ReshapeOp>(op) || (concat && isWrittenInParts(concat))) {
    Work work;
    work.isAlias = true;
    return work;
  }
  Work work = vectorWork(op);
  if (readsOnlyItsResult(op))
    work.elements = elementsOf(op->getResult(0));
  if (auto pool = dyn_cast<nn::MaxPoolOp>(op))
    work = windowWork(op, productOf(pool.getKernel()));
  int64_t macs = work.isFloat ? nn::countMacs(op) : 0;
  if (macs > 0)
    work.products = {{macs, 1, 1}};
  const std::vector<DataType> &types =
      target.activationTypesOf(op->getName().stripDialect().str());
  if (macs > 0 || (work.isFloat && !llvm::is_contained(types, DataType::FP32)))
    work.unit = CostUnit::Cpu;
  return work;
}

} // namespace

bool readsOnlyItsResult(Operation *op) {
  return isa<nn::GatherOp, nn::GatherNDOp, nn::GatherElementsOp>(op);
}

Work workOf(Operation *op, const Target &target) {
  return llvm::TypeSwitch<Operation *, Work>(op)
      .Case([](ConvOp op) { return convWork(op); })
      .Case([](FullyConnectedOp op) {
        ArrayRef<int64_t> weight = shapeOf(op.getWeight());
        int64_t rows = elementsOf(op.getY()) / std::max<int64_t>(weight[0], 1);
        return macWork(op.getX(), op.getWeight(),
                       {{rows, weight[1], weight[0]}});
      })
      .Case([](MatMulOp op) {
        int64_t columns = shapeOf(op.getB()).back();
        return macWork(op.getA(), op.getB(),
                       {{elementsOf(op.getY()) / std::max<int64_t>(columns, 1),
                         shapeOf(op.getA()).back(), columns}});
      })
      .Case<LSTMOp, GRUOp, RNNOp>([](auto op) { return recurrentWork(op); })
      .Case([](LinearOp op) {
        return vectorWork(op, int64_t(op.getInputs().size()));
      })
      .Case([](AveragePoolOp op) {
        return windowWork(op, productOf(op.getKernel()));
      })
      .Case(
          [](LpPoolOp op) { return windowWork(op, productOf(op.getKernel())); })
      .Case([](ResizeOp op) {
        return windowWork(op, productOf(op.getAxisTaps()));
      })
      // The greatest element or the sums, the exponents, and the results.
      .Case<SoftmaxOp, LogSoftmaxOp>([](auto op) { return vectorWork(op, 3); })
      .Case([](NormalizeOp op) { return vectorWork(op, 2); })
      .Default([&](Operation *op) {
        return isa<NPUDialect>(op->getDialect()) ? vectorWork(op)
                                                 : networkWork(op, target);
      });
}

} // namespace parallax::npu
