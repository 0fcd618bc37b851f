//===- FuseActivations.cpp - Formulas of activations ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Exporters of old operator sets spell activations out. As one operation they
// need one table, and one rounding, instead of one per step.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Formula.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace parallax {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// True if `op` is a function of each element of `x` alone that can become one
/// operation on it.
bool isFunctionOf(Value x, Operation *op) {
  return x.getType() == op->getResult(0).getType() && isClosed(op, x);
}

//===----------------------------------------------------------------------===//
// Clips
//===----------------------------------------------------------------------===//

struct Bounds {
  double low = -infinity, high = infinity;
};

std::optional<Bounds> boundsOf(Operation *op) {
  if (isa_and_nonnull<nn::ReluOp>(op))
    return Bounds{0, infinity};
  if (auto clip = dyn_cast_or_null<nn::ClipOp>(op))
    return Bounds{clip.getMin().convertToDouble(),
                  clip.getMax().convertToDouble()};
  return std::nullopt;
}

void replaceByClip(Value x, Bounds bounds, Proposal &proposal) {
  if (bounds.low == 0 && bounds.high == infinity)
    proposal.replace(proposal.create<nn::ReluOp>(x));
  else
    proposal.replace(
        proposal.create<nn::ClipOp>(x, {proposal.f64("min", bounds.low),
                                        proposal.f64("max", bounds.high)}));
}

/// max(x, number) and min(x, number).
void makeClip(Operation *op, Proposal &proposal) {
  if (!isa<nn::MaxOp, nn::MinOp>(op) || !isFloat(op->getResult(0)))
    return;
  std::optional<ConstantOperand> split = splitConstant(op);
  std::optional<double> number =
      split ? numberOf(split->constant) : std::nullopt;
  if (!number || split->other.getType() != op->getResult(0).getType())
    return;
  replaceByClip(split->other,
                isa<nn::MaxOp>(op) ? Bounds{*number, infinity}
                                   : Bounds{-infinity, *number},
                proposal);
}

/// A Clip or Relu after another one.
void mergeClips(Operation *op, Proposal &proposal) {
  std::optional<Bounds> outer = boundsOf(op);
  if (!outer || !op->getOperand(0).hasOneUse())
    return;
  Operation *first = op->getOperand(0).getDefiningOp();
  std::optional<Bounds> inner = boundsOf(first);
  if (!inner || inner->low > inner->high || outer->low > outer->high)
    return;
  replaceByClip(first->getOperand(0),
                {std::clamp(inner->low, outer->low, outer->high),
                 std::clamp(inner->high, outer->low, outer->high)},
                proposal);
}

/// A clip at zero from below only.
void makeRelu(nn::ClipOp op, Proposal &proposal) {
  Bounds bounds = *boundsOf(op);
  if (bounds.low == 0 && bounds.high == infinity)
    replaceByClip(op.getX(), bounds, proposal);
}

//===----------------------------------------------------------------------===//
// Leaky rectifiers
//===----------------------------------------------------------------------===//

/// max(x, alpha x).
void fuseLeakyRelu(nn::MaxOp op, Proposal &proposal) {
  if (!isFloat(op.getY()))
    return;
  for (Value x : op->getOperands()) {
    std::optional<Polynomial> line = polynomialOf(otherOperand(op, x), x);
    if (!line)
      continue;
    double alpha = (*line)[1];
    if (*line == Polynomial{0, alpha} && alpha > 0 && alpha < 1 &&
        isFunctionOf(x, op))
      return proposal.replace(
          proposal.create<nn::LeakyReluOp>(x, proposal.f32("alpha", alpha)));
  }
}

/// One slope for all channels.
void makeLeakyRelu(nn::PReluOp op, Proposal &proposal) {
  std::optional<double> slope = numberOf(op.getB());
  if (slope && isFloat(op.getA()))
    proposal.replace(proposal.create<nn::LeakyReluOp>(
        op.getA(), proposal.f32("alpha", *slope)));
}

//===----------------------------------------------------------------------===//
// Sigmoid and softplus
//===----------------------------------------------------------------------===//

/// The operand of 1 + exp(x), or null.
Value besideOneInExp(Value value) {
  Line line = lineOf(value);
  auto exp = line.x.getDefiningOp<nn::ExpOp>();
  return exp && line.scale == 1 && line.shift == 1 ? exp.getX() : Value();
}

/// 1 / (1 + exp(-x)).
void fuseSigmoid(Operation *op, Proposal &proposal) {
  if (!isa<nn::DivOp, nn::ReciprocalOp>(op) || !isFloat(op->getResult(0)))
    return;
  Product product = productOf(op->getResult(0));
  if (product.factors.size() != 1 || product.coefficient != 1 ||
      product.factors[0].exponent != -1)
    return;
  Value power = besideOneInExp(product.factors[0].base);
  if (!power)
    return;
  Line line = lineOf(power);
  if (line.scale == -1 && line.shift == 0 && isFunctionOf(line.x, op))
    proposal.replace(proposal.create<nn::SigmoidOp>(line.x));
}

/// ln(1 + exp(x)).
void fuseSoftplus(nn::LogOp op, Proposal &proposal) {
  Value x = besideOneInExp(op.getX());
  if (x && isFloat(x) && isFunctionOf(x, op))
    proposal.replace(proposal.create<nn::SoftplusOp>(x));
}

/// max(x, 0) + ln(1 + exp(-|x|)), which can't overflow.
void fuseStableSoftplus(nn::AddOp op, Proposal &proposal) {
  for (Value operand : op->getOperands()) {
    auto relu = operand.getDefiningOp<nn::ReluOp>();
    auto soft = otherOperand(op, operand).getDefiningOp<nn::SoftplusOp>();
    if (!relu || !soft)
      continue;
    Line line = lineOf(soft.getX());
    auto magnitude = line.x.getDefiningOp<nn::AbsOp>();
    if (magnitude && line.scale == -1 && line.shift == 0 &&
        magnitude.getX() == relu.getX() && isFunctionOf(relu.getX(), op))
      return proposal.replace(proposal.create<nn::SoftplusOp>(relu.getX()));
  }
}

//===----------------------------------------------------------------------===//
// Piecewise linear sigmoid
//===----------------------------------------------------------------------===//

/// min(max(scale x + shift, 0), top).
struct Ramp {
  Value x;
  double scale, shift, top;
};

std::optional<Ramp> rampOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto sigmoid = dyn_cast_or_null<nn::HardSigmoidOp>(op))
    return Ramp{sigmoid.getX(), sigmoid.getAlpha().convertToDouble(),
                sigmoid.getBeta().convertToDouble(), 1};
  auto clip = dyn_cast_or_null<nn::ClipOp>(op);
  if (!clip || clip.getMin().convertToDouble() != 0)
    return std::nullopt;
  return Ramp{clip.getX(), 1, 0, clip.getMax().convertToDouble()};
}

/// clip(x + 3, 0, 6) / 6, or clip(alpha x + beta, 0, 1).
void fuseHardSigmoid(Operation *op, Proposal &proposal) {
  if (!isa<nn::ClipOp, nn::MulOp, nn::DivOp>(op) || !isFloat(op->getResult(0)))
    return;
  Product product = productOf(op->getResult(0));
  if (product.factors.size() != 1 || product.factors[0].exponent != 1)
    return;
  auto clip = product.factors[0].base.getDefiningOp<nn::ClipOp>();
  std::optional<Ramp> ramp = clip ? rampOf(clip.getY()) : std::nullopt;
  if (!ramp || !isNear(product.coefficient * ramp->top, 1))
    return;
  Line line = lineOf(ramp->x);
  // Without a shift it is not a sigmoid, and the factor better folds into
  // weights.
  if (line.shift == 0 || !isFunctionOf(line.x, op))
    return;
  proposal.replace(proposal.create<nn::HardSigmoidOp>(
      line.x, {proposal.f32("alpha", product.coefficient * line.scale),
               proposal.f32("beta", product.coefficient * line.shift)}));
}

//===----------------------------------------------------------------------===//
// Products of x and a function of x
//===----------------------------------------------------------------------===//

/// scale * x * function^exponent.
struct Gated {
  Value x, function;
  double scale, exponent;
};

using IsGate = bool (*)(const Gated &);

bool isSigmoidGate(const Gated &gated) {
  if (!isNear(gated.scale, 1))
    return false;
  if (auto sigmoid = gated.function.getDefiningOp<nn::SigmoidOp>())
    return gated.exponent == 1 && sigmoid.getX() == gated.x;
  // x / (1 + exp(-x)).
  Value power = besideOneInExp(gated.function);
  return gated.exponent == -1 && power &&
         polynomialOf(power, gated.x) == Polynomial{0, -1};
}

bool isHardSigmoidGate(const Gated &gated) {
  std::optional<Ramp> ramp = rampOf(gated.function);
  std::optional<Polynomial> line =
      ramp ? polynomialOf(ramp->x, gated.x) : std::nullopt;
  if (!line || gated.exponent != 1)
    return false;
  double slope = gated.scale * ramp->scale * (*line)[1];
  double shift = gated.scale * (ramp->scale * (*line)[0] + ramp->shift);
  return (*line)[2] == 0 && (*line)[3] == 0 && isNear(slope, 1.0 / 6) &&
         isNear(shift, 0.5) && isNear(gated.scale * ramp->top, 1);
}

bool isMishGate(const Gated &gated) {
  auto tanh = gated.function.getDefiningOp<nn::TanhOp>();
  auto softplus =
      tanh ? tanh.getX().getDefiningOp<nn::SoftplusOp>() : nn::SoftplusOp();
  return softplus && softplus.getX() == gated.x && gated.exponent == 1 &&
         isNear(gated.scale, 1);
}

/// (1 + OpTy(p(x))) / 2.
template <typename OpTy>
bool isGeluGate(const Gated &gated, const Polynomial &expected) {
  Line line = lineOf(gated.function);
  auto function = line.x.getDefiningOp<OpTy>();
  if (!function || gated.exponent != 1 ||
      !isNear(gated.scale * line.scale, 0.5) ||
      !isNear(gated.scale * line.shift, 0.5))
    return false;
  std::optional<Polynomial> p = polynomialOf(function.getX(), gated.x);
  return p && llvm::all_of_zip(*p, expected, isNear);
}

bool isErfGate(const Gated &gated) {
  return isGeluGate<nn::ErfOp>(gated, {0, std::numbers::sqrt2 / 2});
}

bool isTanhGate(const Gated &gated) {
  double slope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return isGeluGate<nn::TanhOp>(gated, {0, slope, 0, slope * 0.044715});
}

/// The operand of an activation that is `x` times what `isGate` recognises.
template <IsGate isGate> Value gatedOperand(Operation *op) {
  if (!isa<nn::MulOp, nn::DivOp>(op) || !isFloat(op->getResult(0)))
    return Value();
  Product product = productOf(op->getResult(0));
  if (product.factors.size() != 2)
    return Value();
  for (size_t i : {0, 1}) {
    Factor x = product.factors[i], function = product.factors[1 - i];
    if (x.exponent == 1 && isFunctionOf(x.base, op) &&
        isGate({x.base, function.base, product.coefficient, function.exponent}))
      return x.base;
  }
  return Value();
}

template <typename OpTy, IsGate isGate>
void fuseGate(Operation *op, Proposal &proposal) {
  if (Value x = gatedOperand<isGate>(op))
    proposal.replace(proposal.create<OpTy>(x));
}

void fuseTanhGelu(Operation *op, Proposal &proposal) {
  if (Value x = gatedOperand<isTanhGate>(op))
    proposal.replace(
        proposal.create<nn::GeluOp>(x, proposal.word("approximate", "tanh")));
}

} // namespace

Rewrites fuseActivationsRewrites() {
  return {{"fuse-silu", "", fuseGate<nn::SiluOp, isSigmoidGate>},
          {"fuse-hard-swish", "", fuseGate<nn::HardSwishOp, isHardSigmoidGate>},
          {"fuse-mish", "", fuseGate<nn::MishOp, isMishGate>},
          {"fuse-gelu", "", fuseGate<nn::GeluOp, isErfGate>},
          {"fuse-tanh-gelu", "", fuseTanhGelu},
          {"fuse-hard-sigmoid", "", fuseHardSigmoid},
          {"fuse-sigmoid", "", fuseSigmoid},
          rewrite("fuse-softplus", fuseSoftplus),
          rewrite("fuse-stable-softplus", fuseStableSoftplus),
          rewrite("fuse-leaky-relu", fuseLeakyRelu),
          rewrite("prelu-to-leaky-relu", makeLeakyRelu),
          {"make-clip", "", makeClip},
          {"merge-clips", "", mergeClips},
          rewrite("clip-to-relu", makeRelu)};
}

} // namespace parallax
