//===- Elementwise.cpp - Lowering of element-wise operators ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sums, products and comparisons, and functions of one number that need no
// table.
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "Tables.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Support/LayerName.h"

#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax::lower {
namespace {

int64_t rankOf(Value value) { return int64_t(shapeOf(value).size()); }

/// Nothing if all operands and the result are codes with one scale.
Refusal checkCodes(Operation *op) {
  for (Value value : op->getOperands())
    if (!hasCodes(value))
      return fmt::format("operand '{}' is not codes with one scale",
                         getTensorName(value));
  if (!hasCodes(op->getResult(0)))
    return "its result is not codes with one scale";
  return {};
}

//===----------------------------------------------------------------------===//
// Functions with a kink, for 16 bits
//===----------------------------------------------------------------------===//

/// A number as a constant of one code.
struct CodedNumber {
  Value codes;
  AffineParams params;
};

/// The constant has `rank` dimensions, and the scale `wanted` if a code stands
/// for the number with it (C7): such numbers are equal to codes of that scale.
CodedNumber codedNumber(Operation *op, StringRef suffix, double number,
                        Lowering &lowering, float wanted = 1,
                        int64_t rank = 1) {
  std::vector<int64_t> shape(size_t(rank), 1);
  auto coded = [&]<typename T>(T code, const AffineParams &params) {
    return CodedNumber{
        lowering.constant(op, suffix,
                          Tensor::fromValues<T>(shape, std::span(&code, 1))),
        params};
  };
  double steps = std::nearbyint(number / double(wanted));
  bool isCode =
      std::abs(steps) <= 65535 && float(steps) * wanted == float(number);
  if (isCode && std::abs(steps) > 32767) {
    int64_t zero = steps > 0 ? 0 : 65535;
    return coded(uint16_t(int64_t(steps) + zero), {wanted, zero, 0, 65535});
  }
  float scale = isCode ? wanted : float(std::abs(number) / 32767);
  if (!std::isnormal(scale))
    throw DerivationError(fmt::format("the number {} has no codes", number));
  return coded(int16_t(isCode       ? steps
                       : number > 0 ? 32767
                                    : -32767),
               {scale, 0, -32768, 32767});
}

void setPair(Attributes &attributes, const AffineParams &a,
             const AffineParams &b) {
  attributes.set("a_zero_point", a.zeroPoint).set("b_zero_point", b.zeroPoint);
}

/// x where it is positive, else slope x.
Refusal lowerSlope(Operation *op, double slope, Lowering &lowering) {
  Value x = op->getOperand(0), y = op->getResult(0);
  AffineParams from = affineParamsOf(x.getType());
  AffineParams to = affineParamsOf(y.getType());
  CodedNumber slopes = codedNumber(op, "_slope", slope, lowering);
  npu::PReluMultipliers factors = npu::preluMultipliers(
      from.scale, slopes.params.scale, to.scale, lowering.multiplierBits());
  Attributes attributes = lowering.attributes();
  attributes.setMultipliers({factors.positive, factors.negative});
  setPair(attributes, from, slopes.params);
  lowering.setOutput(attributes, to);
  lowering.emit<npu::PReluOp>(op, {lowering.lowered(x), slopes.codes},
                              attributes);
  return {};
}

/// alpha x + beta within [0, 1], as codes of `to` (C41).
Attributes hardSigmoid(Value x, double alpha, double beta,
                       const AffineParams &to, Lowering &lowering) {
  AffineParams from = affineParamsOf(x.getType());
  ArrayRef<int64_t> shape = shapeOf(x);
  auto channels = size_t(shape.empty() ? 1 : shape[0]);
  std::vector<double> factors(channels,
                              alpha * double(from.scale) / double(to.scale));
  std::vector<double> offsets(channels, beta / double(to.scale));
  npu::ChannelAffine affine =
      npu::channelAffine(factors, offsets, lowering.multiplierBits());
  auto codeOf = [&](double value) {
    return std::clamp(to.zeroPoint + roundHalfEven(value / double(to.scale)),
                      to.low, to.high);
  };
  AffineParams limits = to;
  limits.low = codeOf(0);
  limits.high = codeOf(1);
  Attributes attributes = lowering.attributes();
  attributes.set("x_zero_point", from.zeroPoint)
      .set("axis", int64_t(0))
      .setList("factors", ArrayRef<int64_t>(affine.factors))
      .setList("offsets", ArrayRef<int64_t>(affine.offsets))
      .setList("shifts", ArrayRef<int32_t>(affine.shifts));
  lowering.setOutput(attributes, limits);
  return attributes;
}

/// x times its hard sigmoid, which has 16 bits of its own.
Refusal lowerHardSwish(nn::HardSwishOp op, Lowering &lowering) {
  Value x = op.getX();
  AffineParams gate{1.0f / 65535, 0, 0, 65535};
  AffineParams from = affineParamsOf(x.getType());
  AffineParams to = affineParamsOf(op.getY().getType());
  auto type = cast<RankedTensorType>(x.getType())
                  .clone(quantizedType(op.getContext(), DType::U16, gate));
  Value gates = lowering.emitHelper<npu::AffineOp>(
      op, "_gate", lowering.lowered(x),
      hardSigmoid(x, 1.0 / 6, 0.5, gate, lowering), type);
  Attributes attributes = lowering.attributes();
  attributes.setMultipliers(npu::productMultiplier(
      from.scale, gate.scale, to.scale, lowering.multiplierBits()));
  setPair(attributes, from, gate);
  lowering.setOutput(attributes, to);
  lowering.emit<npu::MulOp>(op, {lowering.lowered(x), gates}, attributes);
  return {};
}

Refusal lowerFunction(Operation *op, Lowering &lowering) {
  if (Refusal refusal = checkCodes(op))
    return refusal;
  Value x = op->getOperand(0);
  if (!isWide(x) || rankOf(x) == 0)
    return lowerTable(op, lowering);
  if (isa<nn::AbsOp>(op))
    return lowerSlope(op, -1, lowering);
  if (auto leaky = dyn_cast<nn::LeakyReluOp>(op))
    return lowerSlope(op, leaky.getAlpha().convertToDouble(), lowering);
  if (auto swish = dyn_cast<nn::HardSwishOp>(op))
    return lowerHardSwish(swish, lowering);
  if (auto sigmoid = dyn_cast<nn::HardSigmoidOp>(op)) {
    lowering.emit<npu::AffineOp>(
        op, lowering.lowered(x),
        hardSigmoid(x, sigmoid.getAlpha().convertToDouble(),
                    sigmoid.getBeta().convertToDouble(),
                    affineParamsOf(op->getResult(0).getType()), lowering));
    return {};
  }
  return lowerTable(op, lowering);
}

//===----------------------------------------------------------------------===//
// Functions of two numbers
//===----------------------------------------------------------------------===//

Refusal lowerLinear(Operation *op, ArrayRef<int> signs, Lowering &lowering) {
  if (Refusal refusal = checkCodes(op))
    return refusal;
  SmallVector<AffineParams> from;
  SmallVector<Value> operands;
  for (Value value : op->getOperands()) {
    from.push_back(affineParamsOf(value.getType()));
    operands.push_back(lowering.lowered(value));
  }
  lowering.emit<npu::LinearOp>(
      op, operands,
      lowering.linear(from, signs, affineParamsOf(op->getResult(0).getType())));
  return {};
}

template <typename OpTy>
Refusal lowerPair(Operation *op, Value a, Value b, Lowering &lowering) {
  AffineParams left = affineParamsOf(a.getType());
  AffineParams right = affineParamsOf(b.getType());
  AffineParams to = affineParamsOf(op->getResult(0).getType());
  SmallVector<Multiplier> factors;
  if constexpr (std::is_same_v<OpTy, npu::MulOp>) {
    factors = {npu::productMultiplier(left.scale, right.scale, to.scale,
                                      lowering.multiplierBits())};
  } else if constexpr (std::is_same_v<OpTy, npu::DivOp>) {
    factors = {npu::quotientMultiplier(left.scale, right.scale, to.scale,
                                       lowering.multiplierBits())};
  } else {
    auto both = npu::preluMultipliers(left.scale, right.scale, to.scale,
                                      lowering.multiplierBits());
    factors = {both.positive, both.negative};
  }
  Attributes attributes = lowering.attributes();
  attributes.setMultipliers(factors);
  setPair(attributes, left, right);
  lowering.setOutput(attributes, to);
  lowering.emit<OpTy>(op, {lowering.lowered(a), lowering.lowered(b)},
                      attributes);
  return {};
}

template <typename OpTy> Refusal lowerPair(Operation *op, Lowering &lowering) {
  if (Refusal refusal = checkCodes(op))
    return refusal;
  return lowerPair<OpTy>(op, op->getOperand(0), op->getOperand(1), lowering);
}

Refusal lowerCompare(Operation *op, StringRef kind, Lowering &lowering) {
  CodedNumber sides[2];
  for (unsigned i : {0, 1}) {
    Value value = op->getOperand(i), other = op->getOperand(1 - i);
    std::optional<double> number = numberOf(value);
    if (hasCodes(value))
      sides[i] = {lowering.lowered(value), affineParamsOf(value.getType())};
    else if (number && hasCodes(other) && rankOf(op->getResult(0)) > 0)
      sides[i] = codedNumber(op, "_number", *number, lowering,
                             affineParamsOf(other.getType()).scale,
                             std::max<int64_t>(rankOf(value), 1));
    else
      return "it compares codes with floats";
  }
  auto [a, left] = sides[0];
  auto [b, right] = sides[1];
  Attributes attributes = lowering.attributes();
  attributes.setWord("kind", kind)
      .setList("coefficients", ArrayRef<int64_t>(npu::compareCoefficients(
                                                     left.scale, right.scale,
                                                     lowering.multiplierBits())
                                                     .values));
  setPair(attributes, left, right);
  lowering.emit<npu::CompareOp>(op, {a, b}, attributes);
  return {};
}

/// Arithmetic of codes; where one side is a number that has no codes, or is too
/// large or small for a multiplier, a function of the other.
template <typename Fn>
Refusal lowerArithmetic(Operation *op, Lowering &lowering, Fn rule) {
  bool isFunction = isFunctionOfCodes(op);
  if (checkCodes(op) && isFunction)
    return lowerTable(op, lowering);
  try {
    return rule();
  } catch (const DerivationError &) {
    if (!isFunction)
      throw;
    return lowerTable(op, lowering);
  }
}

} // namespace

Outcome lowerElementwise(Operation *op, Lowering &lowering) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](nn::AddOp) {
        return lowerArithmetic(op, lowering, [&] {
          return lowerLinear(op, {1, 1}, lowering);
        });
      })
      .Case([&](nn::SubOp) {
        return lowerArithmetic(op, lowering, [&] {
          return lowerLinear(op, {1, -1}, lowering);
        });
      })
      .Case([&](nn::NegOp) { return lowerLinear(op, {-1}, lowering); })
      .Case([&](nn::MulOp) {
        return lowerArithmetic(
            op, lowering, [&] { return lowerPair<npu::MulOp>(op, lowering); });
      })
      .Case([&](nn::DivOp) {
        return lowerArithmetic(
            op, lowering, [&] { return lowerPair<npu::DivOp>(op, lowering); });
      })
      .Case([&](nn::PReluOp) { return lowerPair<npu::PReluOp>(op, lowering); })
      .Case([&](nn::PowOp) -> Refusal {
        // A square is a product, without the error of a table.
        if (numberOf(op->getOperand(1)) == 2.0 && hasCodes(op->getOperand(0)) &&
            isWide(op->getOperand(0)) && hasCodes(op->getResult(0)) &&
            hasShapeOfResult(op->getOperand(0), op))
          return lowerPair<npu::MulOp>(op, op->getOperand(0), op->getOperand(0),
                                       lowering);
        if (isFunctionOfCodes(op))
          return lowerTable(op, lowering);
        return "its exponent is not one number";
      })
      .Case([&](nn::EqualOp) { return lowerCompare(op, "equal", lowering); })
      .Case([&](nn::LessOp) { return lowerCompare(op, "less", lowering); })
      .Case([&](nn::LessOrEqualOp) {
        return lowerCompare(op, "less_or_equal", lowering);
      })
      .Case(
          [&](nn::GreaterOp) { return lowerCompare(op, "greater", lowering); })
      .Case([&](nn::GreaterOrEqualOp) {
        return lowerCompare(op, "greater_or_equal", lowering);
      })
      .Default([&](Operation *op) -> Outcome {
        if (nn::ruleOf(op) == nn::QuantRule::Table && op->getNumOperands() == 1)
          return lowerFunction(op, lowering);
        return Outcome::noRule();
      });
}

} // namespace parallax::lower
