//===- Formula.cpp - What a chain of arithmetic computes ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Normal forms of chains of arithmetic: products of powers, lines, polynomials
// and reductions. Rewrites compare these instead of the operations, so one
// pattern covers all spellings of a formula.
//===----------------------------------------------------------------------===//
#include "Formula.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace parallax {

bool isNear(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void addFactor(Product &product, Value base, double exponent) {
  for (Factor &factor : product.factors)
    if (factor.base == base) {
      factor.exponent += exponent;
      return;
    }
  product.factors.push_back({base, exponent});
}

static void multiplyOut(Value value, double exponent, Product &product,
                        int depth) {
  if (std::optional<double> number = numberOf(value)) {
    product.coefficient *= std::pow(*number, exponent);
    return;
  }
  Operation *op = value.getDefiningOp();
  constexpr int maxDepth = 32; // No formula has more factors in a row.
  if (!op || depth > maxDepth || (depth > 0 && !value.hasOneUse()))
    return addFactor(product, value, exponent);
  auto visit = [&](Value operand, double power) {
    multiplyOut(operand, power, product, depth + 1);
  };
  // The root of a product is not the product of roots if factors are negative.
  bool isWhole = exponent == std::round(exponent);
  if (auto root = dyn_cast<nn::SqrtOp>(op))
    return visit(root.getX(), exponent / 2);
  if (auto reciprocal = dyn_cast<nn::ReciprocalOp>(op))
    return visit(reciprocal.getX(), -exponent);
  if (auto expand = dyn_cast<nn::ExpandOp>(op))
    return visit(expand.getX(), exponent);
  if (auto power = dyn_cast<nn::PowOp>(op); power && isWhole)
    if (std::optional<double> number = numberOf(power.getB()))
      return visit(power.getA(), exponent * *number);
  if (auto negation = dyn_cast<nn::NegOp>(op); negation && isWhole) {
    product.coefficient *= std::pow(-1, exponent);
    return visit(negation.getX(), exponent);
  }
  if (isa<nn::MulOp, nn::DivOp>(op) && isWhole) {
    visit(op->getOperand(0), exponent);
    return visit(op->getOperand(1), isa<nn::DivOp>(op) ? -exponent : exponent);
  }
  addFactor(product, value, exponent);
}

Product productOf(Value value) {
  Product product;
  multiplyOut(value, 1, product, /*depth=*/0);
  return product;
}

//===----------------------------------------------------------------------===//
// Lines and polynomials
//===----------------------------------------------------------------------===//

Line lineOf(Value value) {
  Line line{value};
  bool hasScale = false, hasShift = false;
  while (line.x.hasOneUse()) {
    Operation *op = line.x.getDefiningOp();
    if (auto negation = dyn_cast_or_null<nn::NegOp>(op)) {
      line.x = negation.getX();
      line.scale = -line.scale;
      continue;
    }
    bool isSum = isa_and_nonnull<nn::AddOp, nn::SubOp>(op);
    if (!isSum && !isa_and_nonnull<nn::MulOp, nn::DivOp>(op))
      return line;
    std::optional<ConstantOperand> split = splitConstant(op);
    std::optional<double> number =
        split ? numberOf(split->constant) : std::nullopt;
    bool isReversed = split && split->constant == op->getOperand(0);
    if (!number || (isSum ? hasShift : hasScale) ||
        (isa<nn::DivOp>(op) && isReversed))
      return line;
    (isSum ? hasShift : hasScale) = true;
    line.x = split->other;
    if (isa<nn::MulOp>(op))
      line.scale *= *number;
    else if (isa<nn::DivOp>(op))
      line.scale /= *number;
    else if (isa<nn::AddOp>(op) || isReversed)
      line.shift += line.scale * *number;
    else
      line.shift -= line.scale * *number;
    if (isa<nn::SubOp>(op) && isReversed)
      line.scale = -line.scale;
  }
  return line;
}

static std::optional<Polynomial> multiply(const Polynomial &a,
                                          const Polynomial &b) {
  Polynomial result = {};
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) {
      double term = a[i] * b[j];
      if (term == 0)
        continue;
      if (i + j >= result.size())
        return std::nullopt;
      result[i + j] += term;
    }
  return result;
}

static std::optional<Polynomial> readPolynomial(Value value, Value x,
                                                int depth) {
  if (value == x)
    return Polynomial{0, 1};
  if (std::optional<double> number = numberOf(value))
    return Polynomial{*number};
  Operation *op = value.getDefiningOp();
  constexpr int maxDepth = 8;
  if (depth == maxDepth ||
      !isa_and_nonnull<nn::NegOp, nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp,
                       nn::PowOp>(op))
    return std::nullopt;
  std::optional<Polynomial> a = readPolynomial(op->getOperand(0), x, depth + 1);
  if (!a)
    return std::nullopt;
  if (isa<nn::NegOp>(op))
    return multiply(*a, {-1});
  std::optional<Polynomial> b = readPolynomial(op->getOperand(1), x, depth + 1);
  if (!b)
    return std::nullopt;
  if (isa<nn::MulOp>(op))
    return multiply(*a, *b);
  if (isa<nn::AddOp, nn::SubOp>(op)) {
    for (auto [sum, term] : llvm::zip(*a, *b))
      sum += isa<nn::AddOp>(op) ? term : -term;
    return a;
  }
  // The operand on the right is a number.
  if ((*b)[1] != 0 || (*b)[2] != 0 || (*b)[3] != 0)
    return std::nullopt;
  double number = (*b)[0];
  if (isa<nn::DivOp>(op))
    return multiply(*a, {1 / number});
  if (number == 2)
    return multiply(*a, *a);
  if (number != 3)
    return std::nullopt;
  std::optional<Polynomial> square = multiply(*a, *a);
  return square ? multiply(*square, *a) : std::nullopt;
}

std::optional<Polynomial> polynomialOf(Value value, Value x) {
  return readPolynomial(value, x, 0);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::optional<int64_t> Reduction::soleAxis() const {
  std::optional<int64_t> sole;
  for (int64_t axis : axes) {
    if (shapeOf(x)[size_t(axis)] == 1)
      continue;
    if (sole)
      return std::nullopt;
    sole = axis;
  }
  return sole;
}

std::optional<int64_t> Reduction::trailingAxis() const {
  // Axes are sorted, each once.
  if (axes.empty() || axes.front() + int64_t(axes.size()) != rankOf(x))
    return std::nullopt;
  return axes.front();
}

std::optional<Reduction> reductionOf(Value value) {
  Operation *op = value.getDefiningOp();
  // Dimensions that were dropped and are put back.
  if (auto reshape = dyn_cast_or_null<nn::ReshapeOp>(op))
    op = reshape.getX().getDefiningOp();
  if (!op)
    return std::nullopt;
  Reduction reduction{op, {}, {}, 1};
  llvm::TypeSwitch<Operation *>(op)
      .Case<nn::ReduceMeanOp, nn::ReduceSumOp, nn::ReduceMaxOp, nn::ReduceL2Op,
            nn::ReduceSumSquareOp, nn::ReduceLogSumExpOp>([&](auto reduce) {
        reduction.x = reduce.getX();
        reduction.axes.assign(reduce.getAxes().begin(), reduce.getAxes().end());
      })
      .Case([&](nn::GlobalAveragePoolOp pool) {
        reduction.x = pool.getX();
        for (int64_t axis = 2; axis < rankOf(pool.getX()); ++axis)
          reduction.axes.push_back(axis);
      });
  if (reduction.axes.empty())
    return std::nullopt;
  SmallVector<int64_t> kept(shapeOf(reduction.x));
  for (int64_t axis : reduction.axes) {
    reduction.count *= kept[size_t(axis)];
    kept[size_t(axis)] = 1;
  }
  // Leading dimensions of extent 1 are the same as none.
  auto isOne = [](int64_t extent) { return extent == 1; };
  auto significant = [&](ArrayRef<int64_t> shape) {
    return shape.drop_while(isOne);
  };
  if (significant(kept) != significant(shapeOf(value)))
    return std::nullopt;
  return reduction;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

static bool isSameValue(Value a, Value b, int depth) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  constexpr int maxDepth = 4;
  if (!x || !y || depth == maxDepth || x->getName() != y->getName() ||
      a.getType() != b.getType() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber() ||
      x->getNumOperands() != y->getNumOperands())
    return false;
  if (isa<nn::ConstantOp>(x)) {
    std::optional<double> number = numberOf(a);
    return number && number == numberOf(b);
  }
  return x->getName().compareOpProperties(x->getPropertiesStorage(),
                                          y->getPropertiesStorage()) &&
         llvm::all_of_zip(
             x->getOperands(), y->getOperands(),
             [&](Value p, Value q) { return isSameValue(p, q, depth + 1); });
}

bool isSameValue(Value a, Value b) { return isSameValue(a, b, 0); }

bool isClosed(Operation *root, Value x) {
  llvm::SmallSetVector<Operation *, 16> inside;
  inside.insert(root);
  constexpr size_t maxOps = 32; // Longer than any formula.
  for (size_t i = 0; i < inside.size(); ++i)
    for (Value operand : inside[i]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (operand == x || isa_and_nonnull<nn::ConstantOp>(op))
        continue;
      if (!op || inside.size() == maxOps)
        return false;
      inside.insert(op);
    }
  return llvm::all_of(
      ArrayRef(inside.getArrayRef()).drop_front(), [&](Operation *op) {
        return llvm::all_of(op->getUsers(),
                            [&](Operation *u) { return inside.contains(u); });
      });
}

} // namespace parallax
