//===- Masks.cpp - Ranges of masked attention -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Attention hides positions by adding -10000 or -1e9, or by putting -inf in
// their place, before a softmax. Codes that cover such numbers have nothing
// left for the others; codes that leave -inf out make it the least of the
// others, which hides nothing.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace parallax::quantize {
namespace {

/// Numbers from here on hide what they are added to.
constexpr double hiding = -1000;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Operators through which a mask reaches the softmax.
bool passesMask(Operation *op) {
  return nn::sharesScale(op) || isa<nn::AddOp, nn::RequantizeOp>(op);
}

bool onlySoftmaxReads(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i)
    for (Operation *user : seen[i].getUsers()) {
      if (passesMask(user))
        seen.insert_range(user->getResults());
      else if (!isa<nn::SoftmaxOp>(user))
        return false;
    }
  return true;
}

/// The least of what is not hidden; infinity if all is.
double leastShown(Value value, const Ranges &ranges) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<nn::ConstantOp>(op)) {
    double least = infinity;
    Tensor numbers = toTensor(constant.getValue());
    for (float number : numbers.values<float>())
      if (double(number) > hiding)
        least = std::min(least, double(number));
    return least;
  }
  const TensorRange *known = ranges.find(value);
  bool isHidden = !known || known->values.low <= hiding || known->infs > 0;
  if (!isHidden)
    return known->values.low;
  if (op && passesMask(op)) {
    bool isSum = isa<nn::AddOp>(op);
    double least = isSum ? 0 : infinity;
    for (Value operand : op->getOperands())
      if (isFloat(operand)) {
        double own = leastShown(operand, ranges);
        least = isSum ? least + own : std::min(least, own);
      }
    return least;
  }
  // A mask that is computed: what it does not hide is at its upper end.
  return known ? known->values.high : infinity;
}

} // namespace

Interval withoutMask(Value value, DataType kind, Interval range,
                     const Ranges &ranges) {
  Operation *op = value.getDefiningOp();
  const TensorRange *known = ranges.find(value);
  bool isHidden = known && (known->values.low <= hiding || known->infs > 0);
  if (!isHidden || !op || !passesMask(op) || value.use_empty() ||
      !onlySoftmaxReads(value))
    return range;
  double least = leastShown(value, ranges);
  if (!std::isfinite(least))
    return range;
  // Below half a code of the softmax, even if a thousand are hidden.
  double distance = bitsOf(kind) == 8 ? 16 : 24;
  range.low = least - distance;
  range.high = std::max(range.high, least);
  return range;
}

} // namespace parallax::quantize
