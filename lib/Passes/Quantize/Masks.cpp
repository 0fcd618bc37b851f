//===- Masks.cpp - Ranges of masked attention -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Attention hides positions before a softmax: by adding -10000, -1e9 or the
// least float to their scores, by subtracting the opposite, or by putting -inf
// in their place. Codes that cover such numbers have nothing left for the
// others, and no multiplier leads from such a scale to one of scores. So the
// range of a mask ends at the first number that hides whatever it meets: below
// it, codes saturate, and the softmax gives 0 all the same. In mask * C - C it
// is C itself that hides, and what is shown is left over of two such numbers:
// both are replaced by one that hides as well.
//===----------------------------------------------------------------------===//
#include "MacLayer.h"
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace parallax::quantize {
namespace {

/// Numbers from here on hide what they are added to.
constexpr double hiding = -1000;
/// In constants that are 0 everywhere else, as those of shifted windows, from
/// here on already.
constexpr double hidingBesideZeros = -50;
/// So far below others, a thousand numbers are less than half a code of the
/// softmax together: with 8 bits, and with 16.
constexpr double distance8 = 16, distance16 = 24;
constexpr double infinity = std::numeric_limits<double>::infinity();

nn::ConstantOp constantFloats(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant && isFloat(value) ? constant : nullptr;
}

/// The number that a constant consists of, unless that is 0 or none.
std::optional<double> factorIn(Value value) {
  nn::ConstantOp constant = constantFloats(value);
  if (!constant)
    return std::nullopt;
  Tensor numbers = toTensor(constant.getValue());
  std::span<const float> all = numbers.values<float>();
  if (all.empty() || all[0] == 0 || !std::isfinite(all[0]) ||
      !llvm::all_equal(all))
    return std::nullopt;
  return double(all[0]);
}

bool isSum(Operation *op) { return isa<nn::AddOp, nn::SubOp>(op); }

/// What an operand is multiplied by on its way into the result of an operator
/// that lets masks pass.
std::optional<double> weightOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (!isFloat(operand.get()))
    return std::nullopt;
  if (nn::sharesScale(op) || isa<nn::AddOp, nn::RequantizeOp>(op))
    return 1;
  if (isa<nn::SubOp>(op))
    return number == 0 ? 1 : -1;
  if (isa<nn::NegOp>(op))
    return -1;
  if (isa<nn::MulOp>(op))
    return factorIn(op->getOperand(1 - number));
  if (isa<nn::DivOp>(op) && number == 0)
    if (std::optional<double> divisor = factorIn(op->getOperand(1)))
      return 1 / *divisor;
  return std::nullopt;
}

Value beforeRequantization(Value value) {
  while (auto requantized = value.getDefiningOp<nn::RequantizeOp>())
    value = requantized.getX();
  return value;
}

/// Whether a tensor comes from integers or truth values, of which calibration
/// has seen 0 and 1.
bool isZeroOrOne(Value value, const Ranges &ranges) {
  const TensorRange *known = ranges.find(value);
  if (!known || known->values.low < 0 || known->values.high > 1)
    return false;
  for (;;) {
    value = beforeRequantization(value);
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<nn::CastOp>(op))
      return !isFloat(op->getOperand(0));
    if (!nn::sharesScale(op) || llvm::count_if(op->getOperands(), isFloat) != 1)
      return false;
    value = *llvm::find_if(op->getOperands(), isFloat);
  }
}

/// mask * C - C, in any order and with any signs: 0 where the mask is 1, and a
/// number that hides where it is 0.
struct CancelledMask {
  OpOperand *factor = nullptr, *constant = nullptr;
  Value product;
  /// What is left where the mask is 0.
  double hidden = 0;
};

std::optional<CancelledMask> cancelledMask(Operation *sum,
                                           const Ranges &ranges) {
  if (!isSum(sum))
    return std::nullopt;
  for (OpOperand &use : sum->getOpOperands()) {
    OpOperand &other = sum->getOpOperand(1 - use.getOperandNumber());
    Value product = beforeRequantization(use.get());
    std::optional<double> constant = factorIn(other.get());
    if (!constant || !product.getDefiningOp<nn::MulOp>())
      continue;
    double hidden = *weightOf(other) * *constant;
    for (OpOperand &factor : product.getDefiningOp()->getOpOperands()) {
      std::optional<double> own = factorIn(factor.get());
      Value mask =
          product.getDefiningOp()->getOperand(1 - factor.getOperandNumber());
      if (own && *weightOf(use) * *own + hidden == 0 &&
          isZeroOrOne(mask, ranges))
        return CancelledMask{&factor, &other, product, hidden};
    }
  }
  return std::nullopt;
}

/// A tensor, and the end of its numbers that hides: the lower one (1) if it is
/// added to scores, the upper one (-1) if it is subtracted.
using End = std::pair<Value, int>;

int signOf(double number) { return number < 0 ? -1 : 1; }

/// The numbers at one end, with the sign of the end.
struct Signed {
  int sign;
  double low(const TensorRange &range) const {
    return sign > 0 ? range.values.low : -range.values.high;
  }
  double high(const TensorRange &range) const {
    return sign > 0 ? range.values.high : -range.values.low;
  }
};

/// What is known of masks on their way to softmaxes. All numbers have the sign
/// of their end.
class MaskPaths {
public:
  explicit MaskPaths(const Ranges &ranges) : ranges(ranges) {}

  /// Below these numbers all is hidden, for a softmax with 8 or 16 bits.
  struct Bound {
    double narrow = infinity, wide = infinity;
  };

  /// Whether an end has numbers that are there to hide others.
  bool hides(End end) {
    auto [it, isNew] = hidden.try_emplace(end, false);
    if (!isNew)
      return it->second;
    bool result = findHides(end);
    hidden[end] = result;
    return result;
  }

  /// Nothing if anybody but softmaxes would see the difference.
  std::optional<Bound> bound(End end) {
    auto [it, isNew] = bounds.try_emplace(end, std::nullopt);
    if (!isNew)
      return it->second;
    std::optional<Bound> result = findBound(end);
    bounds[end] = result;
    return result;
  }

  /// The least of what is not hidden; infinity if all is.
  double leastShown(End end) {
    auto [it, isNew] = shown.try_emplace(end, infinity);
    if (!isNew)
      return it->second;
    double result = findLeastShown(end);
    shown[end] = result;
    return result;
  }

private:
  /// From where on the numbers of a constant hide.
  static double hidingIn(std::span<const float> numbers, int sign) {
    bool isMask = llvm::all_of(numbers, [&](float number) {
      return number == 0 || sign * double(number) <= hidingBesideZeros;
    });
    return isMask ? hidingBesideZeros : hiding;
  }

  bool findHides(End end) {
    auto [value, sign] = end;
    Operation *op = value.getDefiningOp();
    if (nn::ConstantOp constant = constantFloats(value)) {
      Tensor numbers = toTensor(constant.getValue());
      std::span<const float> all = numbers.values<float>();
      double from = hidingIn(all, sign);
      return llvm::any_of(
          all, [&](float number) { return sign * double(number) <= from; });
    }
    // Scores may be large, but do not mean to hide each other.
    if (op && nn::ruleOf(op) == nn::QuantRule::Mac)
      return false;
    bool passes = op && llvm::any_of(op->getOpOperands(), [&](OpOperand &use) {
                    std::optional<double> weight = weightOf(use);
                    return weight && hides({use.get(), sign * signOf(*weight)});
                  });
    if (passes)
      return true;
    // A product with a small number is of scores as well.
    if (isa_and_nonnull<nn::MulOp, nn::DivOp>(op) && !multipliesByMuch(op))
      return false;
    const TensorRange *known = ranges.find(value);
    return known && (Signed{sign}.low(*known) <= hiding || known->infs > 0);
  }

  static bool multipliesByMuch(Operation *op) {
    return llvm::none_of(op->getOpOperands(), [](OpOperand &use) {
      std::optional<double> weight = weightOf(use);
      return weight && std::abs(*weight) < -hiding;
    });
  }

  double findLeastShown(End end) {
    auto [value, sign] = end;
    if (nn::ConstantOp constant = constantFloats(value)) {
      double least = infinity;
      Tensor numbers = toTensor(constant.getValue());
      std::span<const float> all = numbers.values<float>();
      double from = hidingIn(all, sign);
      for (float number : all)
        if (sign * double(number) > from)
          least = std::min(least, sign * double(number));
      return least;
    }
    const TensorRange *known = ranges.find(value);
    if (known && !hides(end))
      return Signed{sign}.low(*known);
    Operation *op = value.getDefiningOp();
    if (op && cancelledMask(op, ranges))
      return 0;
    double least = op && isSum(op) ? 0 : infinity;
    bool passes = false;
    if (op)
      for (OpOperand &use : op->getOpOperands())
        if (std::optional<double> weight = weightOf(use)) {
          End from = {use.get(), sign * signOf(*weight)};
          bool isScaled = isa<nn::MulOp, nn::DivOp>(op);
          if (isScaled && !hides(from))
            continue;
          passes = true;
          double own = std::abs(*weight) * leastShown(from);
          least = isSum(op) ? least + own : std::min(least, own);
        }
    if (passes)
      return least;
    // A mask that is computed: what it does not hide is at its other end.
    return known ? Signed{sign}.high(*known) : infinity;
  }

  /// The greatest number of a tensor, or infinity.
  double greatest(End end) const {
    auto [value, sign] = end;
    if (nn::ConstantOp constant = constantFloats(value)) {
      double most = -infinity;
      Tensor numbers = toTensor(constant.getValue());
      for (float number : numbers.values<float>())
        most = std::max(most, sign * double(number));
      return most;
    }
    const TensorRange *known = ranges.find(value);
    return known ? Signed{sign}.high(*known) : infinity;
  }

  std::optional<Bound> findBound(End end) {
    Bound all;
    for (OpOperand &use : end.first.getUses()) {
      std::optional<Bound> own = boundOf(use, end.second);
      if (!own)
        return std::nullopt;
      all.narrow = std::min(all.narrow, own->narrow);
      all.wide = std::min(all.wide, own->wide);
    }
    return std::isfinite(all.narrow) && std::isfinite(all.wide)
               ? std::optional(all)
               : std::nullopt;
  }

  /// What one reader asks for.
  std::optional<Bound> boundOf(OpOperand &use, int sign) {
    Operation *op = use.getOwner();
    if (isa<nn::SoftmaxOp>(op) && sign > 0) {
      double least = leastShown({use.get(), sign});
      return Bound{least - distance8, least - distance16};
    }
    std::optional<double> weight = weightOf(use);
    if (!weight)
      return std::nullopt;
    int after = sign * signOf(*weight);
    Bound all;
    for (Value result : op->getResults()) {
      std::optional<Bound> own =
          isFloat(result) ? bound({result, after}) : std::nullopt;
      if (!own)
        return std::nullopt;
      all.narrow = std::min(all.narrow, own->narrow);
      all.wide = std::min(all.wide, own->wide);
    }
    if (isSum(op)) {
      // Also the greatest score has to be hidden. Codes of sums may be wider
      // than those of a mask.
      OpOperand &other = op->getOpOperand(1 - use.getOperandNumber());
      int otherSign = after * signOf(*weightOf(other));
      all.wide -= greatest({other.get(), otherSign});
      all.narrow = all.wide;
    }
    double factor = std::abs(*weight);
    return Bound{all.narrow / factor, all.wide / factor};
  }

  const Ranges &ranges;
  llvm::DenseMap<End, bool> hidden;
  llvm::DenseMap<End, std::optional<Bound>> bounds;
  llvm::DenseMap<End, double> shown;
};

void replaceNumber(OpOperand &use, double number) {
  auto old = use.get().getDefiningOp<nn::ConstantOp>();
  Tensor numbers = toTensor(old.getValue()).clone();
  std::fill_n(numbers.data<float>(), numbers.size(), float(number));
  replaceConstant(use, numbers);
}

} // namespace

void narrowCancelledMasks(func::FuncOp view, Ranges &ranges) {
  for (Operation &op : view.front().without_terminator()) {
    std::optional<CancelledMask> mask = cancelledMask(&op, ranges);
    if (!mask || !mask->product.hasOneUse() || !ranges.find(mask->product) ||
        !ranges.find(op.getResult(0)))
      continue;
    int sign = mask->hidden < 0 ? 1 : -1;
    std::optional<MaskPaths::Bound> bound =
        MaskPaths(ranges).bound({op.getResult(0), sign});
    if (!bound)
      continue;
    double enough = std::ceil(-std::min(bound->narrow, bound->wide));
    if (enough <= 0 || enough >= std::abs(mask->hidden))
      continue;
    double part = enough / std::abs(mask->hidden);
    double factor = *factorIn(mask->factor->get()) * part;
    replaceNumber(*mask->factor, factor);
    replaceNumber(*mask->constant, *factorIn(mask->constant->get()) * part);
    auto upTo = [](double end) {
      return Interval{std::min(end, 0.0), std::max(end, 0.0)};
    };
    ranges.set(mask->product, upTo(factor));
    ranges.set(op.getResult(0), upTo(mask->hidden * part));
  }
}

Interval withoutMask(Value value, DataType kind, Interval range,
                     const Ranges &ranges) {
  const TensorRange *known = ranges.find(value);
  MaskPaths paths(ranges);
  for (int sign : {1, -1}) {
    End end = {value, sign};
    bool mayHide = known && (Signed{sign}.low(*known) <= hidingBesideZeros ||
                             known->infs > 0);
    if (!mayHide || !paths.hides(end))
      continue;
    std::optional<MaskPaths::Bound> bound = paths.bound(end);
    if (!bound)
      continue;
    double low = bitsOf(kind) == 8 ? bound->narrow : bound->wide;
    // Methods that look at frequencies see nothing beside such numbers.
    double high = std::max(Signed{sign}.high(*known), paths.leastShown(end));
    return sign > 0 ? Interval{low, high} : Interval{-high, -low};
  }
  return range;
}

} // namespace parallax::quantize
