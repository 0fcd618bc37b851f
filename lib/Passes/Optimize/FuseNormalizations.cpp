//===- FuseNormalizations.cpp - Formulas of normalizations ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A variance in few bits is useless: it is the square of numbers that already
// fill their range. As one operation, a normalization keeps it in a wide
// accumulator.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Formula.h"
#include "Normalization.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace {

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

bool isMean(const Reduction &reduction) {
  return isa<nn::ReduceMeanOp, nn::GlobalAveragePoolOp>(reduction.op);
}

/// The x of x^2, or null.
Value squaredAs(Value value) {
  Product product = productOf(value);
  bool isSquare = product.coefficient == 1 && product.factors.size() == 1 &&
                  product.factors[0].exponent == 2;
  return isSquare ? product.factors[0].base : Value();
}

/// What is squared before it is summed, or null.
Value squaredIn(const Reduction &reduction) {
  if (isa<nn::ReduceSumSquareOp>(reduction.op))
    return reduction.x;
  if (!isMean(reduction) && !isa<nn::ReduceSumOp>(reduction.op))
    return Value();
  return squaredAs(reduction.x);
}

/// 1 / sqrt(mean(value^2) + epsilon).
struct InverseDeviation {
  Value value;
  Reduction mean;
  double epsilon;
};

std::optional<InverseDeviation> inverseDeviationOf(const Factor &factor) {
  if (factor.exponent != -0.5)
    return std::nullopt;
  Line line = lineOf(factor.base);
  std::optional<Reduction> mean = reductionOf(line.x);
  Value squared = mean ? squaredIn(*mean) : Value();
  if (!squared || line.shift < 0)
    return std::nullopt;
  double weight = isMean(*mean) ? 1 : double(mean->count);
  if (!isNear(line.scale * weight, 1))
    return std::nullopt;
  mean->x = squared;
  return InverseDeviation{squared, *mean, line.shift};
}

/// The x of x - mean(x), with a mean along the same axes, or null.
Value centeredIn(Value value, const Reduction &along) {
  auto difference = value.getDefiningOp<nn::SubOp>();
  std::optional<Reduction> mean =
      difference ? reductionOf(difference.getB()) : std::nullopt;
  bool isCentered = mean && isMean(*mean) && mean->axes == along.axes &&
                    isSameValue(mean->x, difference.getA());
  return isCentered ? difference.getA() : Value();
}

//===----------------------------------------------------------------------===//
// Layer, RMS and instance normalization
//===----------------------------------------------------------------------===//

/// Multiplies with a constant that may be absent. False if it does not fit.
bool applyScale(Normalization &normalization, Value constant) {
  if (!constant)
    return true;
  std::optional<std::vector<double>> numbers =
      normalization.takeNumbers(constant);
  if (numbers)
    normalization.multiply(*numbers, constant);
  return numbers.has_value();
}

/// Normalization of `x` over the dimensions of a deviation of `x` from its
/// mean, or from zero.
std::optional<Normalization> normalize(Value x, bool hasMean,
                                       const InverseDeviation &deviation) {
  std::optional<int64_t> axis = deviation.mean.trailingAxis();
  if (!axis || elementCount(shapeOf(x)) == 0)
    return std::nullopt;
  bool isImage = *axis == 2 && rankOf(x) >= 4;
  return Normalization::make(!hasMean  ? Normalization::RMS
                             : isImage ? Normalization::Instance
                                       : Normalization::Layer,
                             x, *axis, deviation.epsilon);
}

/// A product that contains an inverse deviation and at most one other constant.
struct ScaledDeviation {
  InverseDeviation deviation;
  Value numerator, scale; ///< Each may be absent.
  double coefficient;
};

std::optional<ScaledDeviation> scaledDeviationOf(Value value) {
  Product product = productOf(value);
  std::optional<InverseDeviation> deviation;
  Value numerator, scale;
  for (const Factor &factor : product.factors) {
    bool isConstant = factor.base.getDefiningOp<nn::ConstantOp>() != nullptr;
    Value &place = isConstant ? scale : numerator;
    if (!deviation && (deviation = inverseDeviationOf(factor)))
      continue;
    if (factor.exponent != 1 || place)
      return std::nullopt;
    place = factor.base;
  }
  if (!deviation)
    return std::nullopt;
  return ScaledDeviation{*deviation, numerator, scale, product.coefficient};
}

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), the same without a
/// mean, and either times a constant.
void fuseNormalization(Operation *op, Proposal &proposal) {
  if (!isa<nn::MulOp, nn::DivOp>(op) || !isFloat(op->getResult(0)))
    return;
  std::optional<ScaledDeviation> found = scaledDeviationOf(op->getResult(0));
  if (!found || !found->numerator ||
      !isSameValue(found->numerator, found->deviation.value))
    return;
  Value centered = centeredIn(found->numerator, found->deviation.mean);
  Value x = centered ? centered : found->numerator;
  std::optional<Normalization> normalization =
      normalize(x, /*hasMean=*/centered != nullptr, found->deviation);
  if (!normalization || x.getType() != op->getResult(0).getType() ||
      !isClosed(op, x) || !applyScale(*normalization, found->scale))
    return;
  if (found->coefficient != 1)
    normalization->multiply(found->coefficient);
  proposal.replace(normalization->build(proposal));
}

/// x s + (bias - mean(x) s) with s = scale / sqrt(var + epsilon), which saves a
/// subtraction per element.
void fuseFactoredNormalization(nn::AddOp op, Proposal &proposal) {
  if (!isFloat(op.getY()))
    return;
  for (Value scaled : op->getOperands()) {
    auto product = scaled.getDefiningOp<nn::MulOp>();
    auto shift = otherOperand(op, scaled).getDefiningOp<nn::SubOp>();
    auto shiftProduct =
        shift ? shift.getB().getDefiningOp<nn::MulOp>() : nn::MulOp();
    if (!product || !shiftProduct)
      continue;
    for (Value x : product->getOperands()) {
      Value factor = otherOperand(product, x);
      Value mean = otherOperand(shiftProduct, factor);
      std::optional<ScaledDeviation> found =
          mean ? scaledDeviationOf(factor) : std::nullopt;
      if (!found || found->numerator || found->coefficient != 1 ||
          centeredIn(found->deviation.value, found->deviation.mean) != x ||
          x.getType() != op.getType() || !isClosed(op, x))
        continue;
      auto difference = found->deviation.value.getDefiningOp<nn::SubOp>();
      std::optional<Normalization> normalization =
          normalize(x, /*hasMean=*/true, found->deviation);
      if (!isSameValue(mean, difference.getB()) || !normalization ||
          !applyScale(*normalization, found->scale))
        continue;
      std::optional<std::vector<double>> bias =
          normalization->takeNumbers(shift.getA());
      if (!bias)
        continue;
      normalization->add(*bias, shift.getA());
      return proposal.replace(normalization->build(proposal));
    }
  }
}

/// A constant that the result of a normalization is multiplied with, divided
/// by, or shifted by.
void mergeParameters(Operation *op, Proposal &proposal) {
  bool isSum = isa<nn::AddOp, nn::SubOp>(op);
  if (!isSum && !isa<nn::MulOp, nn::DivOp>(op))
    return;
  std::optional<ConstantOperand> split = splitConstant(op);
  if (!split || !split->other.hasOneUse() ||
      split->other.getType() != op->getResult(0).getType() ||
      (isa<nn::SubOp, nn::DivOp>(op) && split->constant == op->getOperand(0)))
    return;
  std::optional<Normalization> normalization =
      Normalization::read(split->other.getDefiningOp());
  if (!normalization || (isSum && normalization->kind == Normalization::RMS))
    return;
  std::optional<std::vector<double>> numbers =
      normalization->takeNumbers(split->constant);
  if (!numbers)
    return;
  for (double &number : *numbers)
    number = isa<nn::SubOp>(op)   ? -number
             : isa<nn::DivOp>(op) ? 1 / number
                                  : number;
  if (isSum)
    normalization->add(*numbers, split->constant);
  else
    normalization->multiply(*numbers, split->constant);
  proposal.replace(normalization->build(proposal));
}

//===----------------------------------------------------------------------===//
// Group normalization
//===----------------------------------------------------------------------===//

/// One entry per channel from one entry per group.
void repeatPerChannel(Parameter &parameter, int64_t channels) {
  std::vector<double> numbers;
  size_t groups = parameter.numbers.size();
  for (int64_t c = 0; c < channels; ++c)
    numbers.push_back(parameter.numbers[size_t(c) * groups / size_t(channels)]);
  parameter = {std::move(numbers), parameter.source};
}

/// Groups of channels become the channels of an instance normalization, or rows
/// of a layer normalization, and then channels again.
void fuseGroupNormalization(nn::ReshapeOp op, Proposal &proposal) {
  std::optional<Normalization> inner =
      op.getX().hasOneUse() ? Normalization::read(op.getX().getDefiningOp())
                            : std::nullopt;
  if (!inner || (inner->kind != Normalization::Instance &&
                 inner->kind != Normalization::Layer))
    return;
  auto grouping = soleProducer<nn::ReshapeOp>(inner->x);
  Value x = grouping ? grouping.getX() : Value();
  if (!x || x.getType() != op.getType() || rankOf(x) < 2)
    return;
  ArrayRef<int64_t> grouped = shapeOf(inner->x);
  int64_t images = shapeOf(x)[0], channels = shapeOf(x)[1];
  bool isPerImage = inner->axis == 2 && grouped[0] == images;
  bool isUniform = inner->scale.isUniform() && inner->bias.isUniform();
  // Rows of a matrix are groups only if they come from an image.
  if (!isPerImage && (!isUniform || rankOf(x) < 4))
    return;
  int64_t rows = elementCount(grouped.take_front(size_t(inner->axis)));
  if (rows == 0 || images == 0 || rows % images != 0 ||
      channels % (rows / images) != 0)
    return;
  bool isPerGroup = inner->kind == Normalization::Instance && isPerImage;
  if (!isUniform && !isPerGroup)
    return;
  Normalization outer = *inner;
  outer.x = x;
  outer.groups = rows / images;
  bool isInstance = outer.groups == channels && rankOf(x) >= 3;
  outer.kind = isInstance ? Normalization::Instance : Normalization::Group;
  for (Parameter *parameter : {&outer.scale, &outer.bias}) {
    if (isUniform)
      parameter->numbers.resize(1);
    repeatPerChannel(*parameter, channels);
  }
  proposal.replace(outer.build(proposal));
}

//===----------------------------------------------------------------------===//
// L2 normalization
//===----------------------------------------------------------------------===//

/// max(value, limit).
struct Limited {
  Value value;
  double limit = 0;
};

Limited limitedOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto clip = dyn_cast_or_null<nn::ClipOp>(op);
      clip && clip.getMax().isInfinity() && !clip.getMax().isNegative())
    return {clip.getX(), clip.getMin().convertToDouble()};
  if (isa_and_nonnull<nn::MaxOp>(op))
    if (std::optional<ConstantOperand> split = splitConstant(op))
      if (std::optional<double> number = numberOf(split->constant))
        return {split->other, *number};
  return {value};
}

/// norm(x)^exponent along an axis.
struct Norm {
  Value x;
  int64_t axis;
  double exponent;
};

std::optional<Norm> normOf(Value value) {
  Product product = productOf(value);
  if (product.coefficient != 1 || product.factors.size() != 1)
    return std::nullopt;
  auto [base, exponent] = product.factors[0];
  std::optional<Reduction> reduction = reductionOf(base);
  std::optional<int64_t> axis =
      reduction ? reduction->soleAxis() : std::nullopt;
  if (!axis || isMean(*reduction))
    return std::nullopt;
  if (isa<nn::ReduceL2Op>(reduction->op))
    return Norm{reduction->x, *axis, exponent};
  Value squared = squaredIn(*reduction);
  return squared ? std::optional<Norm>({squared, *axis, 2 * exponent})
                 : std::nullopt;
}

/// x / max(norm(x), epsilon), where the square may be limited instead.
void fuseL2Normalization(Operation *op, Proposal &proposal) {
  if (!isa<nn::MulOp, nn::DivOp>(op) || !isFloat(op->getResult(0)))
    return;
  Product product = productOf(op->getResult(0));
  if (product.coefficient != 1 || product.factors.size() != 2)
    return;
  for (size_t i : {0, 1}) {
    auto [x, exponent] = product.factors[i];
    Factor below = product.factors[1 - i];
    Limited limited = limitedOf(below.base);
    std::optional<Norm> norm = normOf(limited.value);
    if (exponent != 1 || !norm || norm->exponent * below.exponent != -1 ||
        limited.limit < 0 || norm->exponent <= 0 || norm->x != x ||
        x.getType() != op->getResult(0).getType() || !isClosed(op, x))
      continue;
    double epsilon = std::pow(limited.limit, 1 / norm->exponent);
    return proposal.replace(proposal.create<nn::LpNormalizationOp>(
        x, {proposal.i64("axis", norm->axis), proposal.i64("p", 2),
            proposal.f32("epsilon", epsilon)}));
  }
}

//===----------------------------------------------------------------------===//
// Magnitude of complex numbers
//===----------------------------------------------------------------------===//

/// sqrt(a^2 + b^2). Codes of a square are too coarse for the root of small
/// ones; a norm keeps the sum in a wide accumulator.
void fuseMagnitude(Operation *op, Proposal &proposal) {
  if (!isa<nn::SqrtOp, nn::PowOp>(op) || !isFloat(op->getResult(0)))
    return;
  Product root = productOf(op->getResult(0));
  if (root.coefficient != 1 || root.factors.size() != 1 ||
      root.factors[0].exponent != 0.5)
    return;
  auto sum = soleProducer<nn::AddOp>(root.factors[0].base);
  if (!sum)
    return;
  SmallVector<Value> parts;
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, shapeOf(op->getResult(0)));
  for (Value operand : sum->getOperands()) {
    Value part = squaredAs(operand);
    if (!part || part.getType() != op->getResult(0).getType())
      return;
    parts.push_back(
        proposal.create<nn::ReshapeOp>(part, proposal.i64s("shape", shape),
                                       parts.empty() ? "real" : "imaginary"));
  }
  Value both =
      proposal.create<nn::ConcatOp>(parts, proposal.i64("axis", 0), "parts");
  Builder builder(proposal.context());
  proposal.replace(proposal.create<nn::ReduceL2Op>(
      both, {proposal.i64s("axes", 0),
             proposal.named("keepdims", builder.getBoolAttr(false))}));
}

} // namespace

Rewrites fuseNormalizationsRewrites() {
  return {{"fuse-normalization", "", fuseNormalization},
          rewrite("fuse-factored-normalization", fuseFactoredNormalization),
          rewrite("fuse-group-normalization", fuseGroupNormalization),
          {"fuse-l2-normalization", "", fuseL2Normalization},
          {"fuse-magnitude", "", fuseMagnitude},
          {"merge-normalization-parameters", "", mergeParameters}};
}

} // namespace parallax
