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
  Value &sum = given[op->getOperand(operand)];
  sum = sum ? makeBack<nn::AddOp>(to, sum, gradient) : gradient;
}

void Layer::handOn() {
  for (auto [operand, gradient] : given) {
    Value &sum = (*gradients)[operand];
    sum = sum ? makeBack<nn::AddOp>(staticShape(operand), sum, gradient)
              : gradient;
  }
}

AdjointTable::AdjointTable() {
  addElementwiseAdjoints(*this);
  addMacAdjoints(*this);
  addMovementAdjoints(*this);
  addNormalizeAdjoints(*this);
  addReduceAdjoints(*this);
}

namespace {

/// What a kernel reads that goes by errors: the worth and the error of each
/// result, in pairs, then the error of each operand that wants to know.
struct Errors {
  /// Only of operands that `isRead` allows.
  template <typename Fn> Errors(Layer &layer, Fn isRead) {
    for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
      if (Value gradient = layer.gradient(i)) {
        read.push_back(gradient);
        read.push_back(layer.once([&] {
          return layer.values.difference(layer.beside, layer.recomputed(i),
                                         layer.result(i),
                                         layer.typeOf(layer.resultShape(i)));
        }));
        ++results;
      }
    llvm::DenseSet<Value> seen;
    for (unsigned i = 0; i < layer.op->getNumOperands(); ++i)
      if (Value operand = layer.op->getOperand(i);
          layer.wants(i) && isRead(operand) && seen.insert(operand).second) {
        wanting.push_back(i);
        types.push_back(layer.typeOf(layer.shapeOf(i)));
        read.push_back(layer.once([&] {
          return layer.values.difference(layer.beside, layer.quantized(i),
                                         layer.floats(i), types.back());
        }));
      }
  }

  SmallVector<Value> read;
  SmallVector<unsigned> wanting;
  /// Of what is made for those that want to know.
  SmallVector<Type> types;
  size_t results = 0;
};

/// What `run` makes of the errors is what the operands are worth.
void giveFromErrors(
    Layer &layer, const std::function<void(const KernelArgs &, size_t)> &run) {
  Errors errors(layer, [](Value) { return true; });
  auto kernel = [run, results = errors.results](const KernelArgs &args) {
    run(args, results);
  };
  SmallVector<Value> given = layer.values.compute(layer.back, plainly(kernel),
                                                  errors.read, errors.types);
  for (auto [operand, gradient] : llvm::zip(errors.wanting, given))
    layer.give(operand, gradient);
}

/// The squares of the errors of operands.
double squareOfErrors(const KernelArgs &args, size_t results, size_t operands) {
  double square = 0;
  for (size_t i = 2 * results; i < 2 * results + operands; ++i)
    square += innerProduct(in(args, i), in(args, i));
  return square;
}

/// What the errors of all results are worth.
double worthOfErrors(const KernelArgs &args, size_t results) {
  double worth = 0;
  for (size_t i = 0; i < results; ++i)
    worth += innerProduct(in(args, 2 * i), in(args, 2 * i + 1));
  return worth;
}

/// What a secant explains of the change of its layer. Behind the errors there
/// is what it has given to each operand.
void closeAlongError(const KernelArgs &args, size_t results, size_t operands) {
  // Floats of two ways to the same number differ by their rounding.
  constexpr double missing = 1e-3, rounding = 1e-6;
  double left = worthOfErrors(args, results), enough = 0;
  for (size_t i = 0; i < results; ++i)
    enough += missing * sizeOfProducts(in(args, 2 * i), in(args, 2 * i + 1));
  size_t errors = 2 * results, given = errors + operands;
  for (size_t i = 0; i < operands; ++i) {
    left -= innerProduct(in(args, given + i), in(args, errors + i));
    enough +=
        rounding * sizeOfProducts(in(args, given + i), in(args, errors + i));
  }
  double square = squareOfErrors(args, results, operands);
  bool isClosed = !(std::abs(left) > enough) || square == 0;
  auto factor = isClosed ? 0.0f : float(left / square);
  for (size_t i = 0; i < operands; ++i)
    addMultiple(in(args, given + i), factor, in(args, errors + i),
                out(args, i));
  *args.outputs[operands].data<double>() = isClosed ? 0 : std::abs(left);
}

} // namespace

void giveAlongError(Layer &layer) {
  giveFromErrors(layer, [](const KernelArgs &args, size_t results) {
    double square = squareOfErrors(args, results, args.outputs.size());
    auto factor =
        square > 0 ? float(worthOfErrors(args, results) / square) : 0.0f;
    for (size_t i = 0; i < args.outputs.size(); ++i) {
      Values error = in(args, 2 * results + i);
      Results worth = out(args, i);
      for (size_t j = 0; j < error.size(); ++j)
        worth[j] = factor * error[j];
    }
  });
}

Value closeSecant(Layer &layer) {
  if (!layer.isSecant)
    return {};
  Errors errors(layer,
                [&](Value operand) { return layer.given.contains(operand); });
  size_t operands = errors.wanting.size();
  for (unsigned i : errors.wanting)
    errors.read.push_back(layer.given.lookup(layer.op->getOperand(i)));
  errors.types.push_back(
      RankedTensorType::get({}, Float64Type::get(layer.op->getContext())));
  auto kernel = [results = errors.results, operands](const KernelArgs &args) {
    closeAlongError(args, results, operands);
  };
  SmallVector<Value> made = layer.values.compute(layer.back, plainly(kernel),
                                                 errors.read, errors.types);
  for (auto [i, gradient] : llvm::zip(errors.wanting, made))
    layer.given[layer.op->getOperand(i)] = gradient;
  return made.back();
}

void giveEvenly(Layer &layer) {
  giveFromErrors(layer, [](const KernelArgs &args, size_t results) {
    double worth = worthOfErrors(args, results), apart = 0;
    double square = squareOfErrors(args, results, args.outputs.size());
    for (size_t i = 0; i < results; ++i)
      apart += squareOfProducts(in(args, 2 * i), in(args, 2 * i + 1));
    // As for errors: half way between elements that have nothing to do with
    // each other, and this very direction.
    worth = (worth * worth + apart) / 2;
    double size = square > 0 ? std::sqrt(worth / square) : 0;
    for (size_t i = 0; i < args.outputs.size(); ++i)
      randomSigns(float(std::isfinite(size) ? size : 0), i, out(args, i));
  });
}

} // namespace parallax::analyze
