//===- Adjoint.cpp - What operands are worth ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the adjoints of all operators share, and the one for those that have
// none of their own.
//===----------------------------------------------------------------------===//
#include "Adjoint.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;

namespace parallax::analyze {
namespace {

Shape staticShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().vec();
}

} // namespace

RankedTensorType Layer::typeOf(const Shape &shape) const {
  return RankedTensorType::get(shape, Float32Type::get(op->getContext()));
}

Shape Layer::shapeOf(unsigned operand) const {
  return staticShape(op->getOperand(operand));
}

Shape Layer::resultShape(unsigned i) const {
  return staticShape(op->getResult(i));
}

Value Layer::reshaped(OpBuilder &builder, Value value, const Shape &shape) {
  if (staticShape(value) == shape)
    return value;
  return make<nn::ReshapeOp>(builder, shape, value, shape);
}

Value Layer::middle(unsigned i) {
  if (isConstant(i) || !isReal(op->getOperand(i)))
    return floats(i);
  return once([&] {
    return computeEach(
        beside,
        [](const KernelArgs &args) {
          midpoint(in(args, 0), in(args, 1), out(args));
        },
        {quantized(i), floats(i)}, shapeOf(i));
  });
}

Value Layer::slope(Value x2, Value x1, Value y2, Value y1, const Shape &shape) {
  return once([&] {
    return computeEach(
        beside,
        [](const KernelArgs &args) {
          analyze::slope(in(args, 0), in(args, 1), in(args, 2), in(args, 3),
                         out(args));
        },
        {x2, x1, y2, y1}, shape);
  });
}

void Layer::give(unsigned operand, Value gradient) {
  Shape from = staticShape(gradient), to = shapeOf(operand);
  SmallVector<int64_t> axes;
  size_t extra = from.size() > to.size() ? from.size() - to.size() : 0;
  for (size_t i = 0; i < from.size(); ++i)
    if (i < extra || (to[i - extra] == 1 && from[i] != 1))
      axes.push_back(int64_t(i));
  if (!axes.empty()) {
    Shape kept = from;
    for (int64_t axis : axes)
      kept[size_t(axis)] = 1;
    gradient = makeBack<nn::ReduceSumOp>(kept, gradient, axes,
                                         /*keepdims=*/true);
  }
  gradient = reshaped(back, gradient, to);
  Value &sum = (*gradients)[op->getOperand(operand)];
  sum = sum ? makeBack<nn::AddOp>(to, sum, gradient) : gradient;
}

AdjointTable::AdjointTable() {
  addElementwiseAdjoints(*this);
  addMacAdjoints(*this);
  addMovementAdjoints(*this);
  addNormalizeAdjoints(*this);
  addReduceAdjoints(*this);
}

namespace {

/// What `run` makes of the worth and the error of each result, in pairs, and of
/// the error of each operand that wants to know, is what that is worth.
void giveFromErrors(
    Layer &layer, const std::function<void(const KernelArgs &, size_t)> &run) {
  SmallVector<Value> operands;
  SmallVector<unsigned> wanting;
  SmallVector<Type> types;
  size_t results = 0;
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
    if (Value gradient = layer.gradient(i)) {
      operands.push_back(gradient);
      operands.push_back(layer.once([&] {
        return layer.values.difference(layer.beside, layer.recomputed(i),
                                       layer.result(i),
                                       layer.typeOf(layer.resultShape(i)));
      }));
      ++results;
    }
  for (unsigned i = 0; i < layer.op->getNumOperands(); ++i)
    if (layer.wants(i)) {
      wanting.push_back(i);
      types.push_back(layer.typeOf(layer.shapeOf(i)));
      operands.push_back(layer.once([&] {
        return layer.values.difference(layer.beside, layer.quantized(i),
                                       layer.floats(i), types.back());
      }));
    }
  auto kernel = [run, results](const KernelArgs &args) { run(args, results); };
  SmallVector<Value> given =
      layer.values.compute(layer.back, plainly(kernel), operands, types);
  for (auto [operand, gradient] : llvm::zip(wanting, given))
    layer.give(operand, gradient);
}

/// The squares of the errors of all operands.
double squareOfErrors(const KernelArgs &args, size_t results) {
  double square = 0;
  for (size_t i = 2 * results; i < args.inputs.size(); ++i)
    square += innerProduct(in(args, i), in(args, i));
  return square;
}

} // namespace

void giveAlongError(Layer &layer) {
  giveFromErrors(layer, [](const KernelArgs &args, size_t results) {
    double worth = 0, square = squareOfErrors(args, results);
    for (size_t i = 0; i < results; ++i)
      worth += innerProduct(in(args, 2 * i), in(args, 2 * i + 1));
    auto factor = square > 0 ? float(worth / square) : 0.0f;
    for (size_t i = 0; i < args.outputs.size(); ++i) {
      Values error = in(args, 2 * results + i);
      for (size_t j = 0; j < error.size(); ++j)
        out(args, i)[j] = factor * error[j];
    }
  });
}

void giveEvenly(Layer &layer) {
  giveFromErrors(layer, [](const KernelArgs &args, size_t results) {
    double worth = 0, apart = 0, square = squareOfErrors(args, results);
    for (size_t i = 0; i < results; ++i) {
      worth += innerProduct(in(args, 2 * i), in(args, 2 * i + 1));
      apart += squareOfProducts(in(args, 2 * i), in(args, 2 * i + 1));
    }
    // As for errors: half way between elements that have nothing to do with
    // each other, and this very direction.
    worth = (worth * worth + apart) / 2;
    double size = square > 0 ? std::sqrt(worth / square) : 0;
    for (size_t i = 0; i < args.outputs.size(); ++i)
      randomSigns(float(std::isfinite(size) ? size : 0), i, out(args, i));
  });
}

} // namespace parallax::analyze
