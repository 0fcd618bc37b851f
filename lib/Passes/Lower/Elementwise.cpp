//===- Elementwise.cpp - Lowering of element-wise operators ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sums, products and comparisons, and functions of one number. Tables of the
// latter are filled from the operator's own float kernel, in double.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax::lower {
namespace {

bool isWide(Value value) { return sizeOf(storageOf(value.getType())) > 1; }

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
// Functions of one number
//===----------------------------------------------------------------------===//

/// The number that a constant of one element holds.
std::optional<double> numberOf(Value value) {
  Tensor tensor = floatConstantOf(value);
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    tensor = toTensor(constant.getValue());
  if (tensor.isNull() || tensor.size() != 1)
    return {};
  return dispatch(tensor.dtype(), [&](auto tag) {
    return static_cast<double>(tensor.data<typename decltype(tag)::type>()[0]);
  });
}

/// An operation on codes and numbers, as a function in double.
class ScalarFunction {
public:
  explicit ScalarFunction(Operation *op) : builder(op->getContext()) {
    for (Value operand : op->getOperands()) {
      std::optional<double> number = numberOf(operand);
      if (!number)
        variable = operands.size();
      operands.push_back(number.value_or(0));
    }
    builder.setInsertionPointToEnd(&block);
    SmallVector<Value> values;
    for (double operand : operands)
      values.push_back(nn::ConstantOp::create(
          builder, op->getLoc(), type(),
          DenseElementsAttr::get(type(), ArrayRef<double>(operand))));
    IRMapping mapping;
    mapping.map(op->getOperands(), values);
    function = builder.clone(*op, mapping);
    function->getResult(0).setType(type());
  }

  double operator()(double x) {
    operands[variable] = x;
    std::vector<Tensor> tensors;
    for (double &operand : operands)
      tensors.push_back(
          Tensor::fromValues<double>({1}, std::span(&operand, 1)));
    return evaluate(function, tensors, referenceKernels())[0].data<double>()[0];
  }

  /// Whether all operands but one are numbers, and that one is codes.
  static bool isOne(Operation *op) {
    int64_t variables = 0;
    for (Value operand : op->getOperands()) {
      if (numberOf(operand))
        continue;
      ++variables;
      if (!hasCodes(operand))
        return false;
    }
    return variables == 1;
  }

private:
  RankedTensorType type() {
    return RankedTensorType::get({1}, builder.getF64Type());
  }

  OpBuilder builder;
  Block block;
  Operation *function = nullptr;
  size_t variable = 0;
  std::vector<double> operands;
};

/// True for functions that bend between two knots of a table.
bool hasKink(Operation *op) {
  return isa<nn::AbsOp, nn::CeilOp, nn::CeluOp, nn::EluOp, nn::FloorOp,
             nn::HardSigmoidOp, nn::HardSwishOp, nn::LeakyReluOp, nn::RoundOp,
             nn::SeluOp, nn::ShrinkOp, nn::SignOp, nn::ThresholdedReluOp>(op);
}

/// How far an interpolated table is off the function, in codes: in the middle
/// of each two knots, where a smooth function is off most.
int64_t tableError(ScalarFunction &function, const AffineParams &x,
                   const AffineParams &y, DType xType, DType yType,
                   std::span<const int32_t> entries,
                   const npu::OutputCodes &output) {
  constexpr int64_t count = 512;
  Tensor codes(xType, {count}), found(yType, {count});
  int64_t lowest = codeLimitsOf(xType).low, worst = 0;
  npu::dispatchCodes("a table", xType, [&]<typename T>(TypeTag<T>) {
    for (int64_t i = 0; i < count; ++i)
      codes.data<T>()[i] = T(lowest + 128 * i + 64);
  });
  npu::table(codes, found, entries, output);
  npu::dispatchCodes("a table", yType, [&]<typename T>(TypeTag<T>) {
    for (int64_t i = 0; i < count; ++i) {
      double value = function(double(lowest + 128 * i + 64 - x.zeroPoint) *
                              double(x.scale)) /
                     double(y.scale);
      double steps = std::isnan(value)
                         ? double(y.low - y.zeroPoint)
                         : std::clamp(value, double(y.low - y.zeroPoint),
                                      double(y.high - y.zeroPoint));
      int64_t code = y.zeroPoint + roundHalfEven(steps);
      worst = std::max(worst, std::abs(code - int64_t(found.data<T>()[i])));
    }
  });
  return worst;
}

Refusal lowerTable(Operation *op, Lowering &lowering) {
  Value x = *llvm::find_if(op->getOperands(),
                           [](Value operand) { return !numberOf(operand); });
  Value y = op->getResult(0);
  if (!hasCodes(y))
    return "its result is float";
  bool wide = isWide(x);
  if (wide && hasKink(op))
    return "it bends between the knots of a 16-bit table";
  AffineParams from = affineParamsOf(x.getType());
  AffineParams to = affineParamsOf(y.getType());
  ScalarFunction function(op);
  auto call = [&](double number) { return function(number); };
  std::vector<int32_t> entries =
      wide ? npu::knotTable(call, from, to) : npu::directTable(call, from, to);
  // Less than 2^-12 of the range of 16 bits.
  constexpr int64_t tolerated = 16;
  if (int64_t error =
          wide ? tableError(function, from, to, storageOf(x.getType()),
                            storageOf(y.getType()), entries,
                            npu::outputCodes(to, Rounding::HalfUp))
               : 0;
      error > tolerated)
    return fmt::format("a 16-bit table would be off by {} codes", error);
  Attributes attributes = lowering.attributes();
  attributes.setList("entries", ArrayRef<int32_t>(entries));
  lowering.setOutput(attributes, to);
  lowering.emit<npu::TableOp>(op, lowering.lowered(x), attributes);
  return {};
}

//===----------------------------------------------------------------------===//
// Functions with a kink, for 16 bits
//===----------------------------------------------------------------------===//

/// x where it is positive, else slope x.
Refusal lowerSlope(Operation *op, double slope, Lowering &lowering) {
  Value x = op->getOperand(0), y = op->getResult(0);
  AffineParams from = affineParamsOf(x.getType());
  AffineParams to = affineParamsOf(y.getType());
  auto code = int16_t(slope == 0 ? 0 : slope > 0 ? 32767 : -32767);
  float scale = slope == 0 ? 1 : float(std::abs(slope) / 32767);
  npu::PReluMultipliers factors =
      npu::preluMultipliers(from.scale, scale, to.scale);
  Attributes attributes = lowering.attributes();
  attributes.setMultipliers({factors.positive, factors.negative})
      .set("a_zero_point", from.zeroPoint)
      .set("b_zero_point", int64_t(0));
  lowering.setOutput(attributes, to);
  Value slopes = lowering.constant(
      op, "_slope", Tensor::fromValues<int16_t>({1}, std::span(&code, 1)));
  lowering.emit<npu::PReluOp>(op, {lowering.lowered(x), slopes}, attributes);
  return {};
}

/// alpha x + beta within [0, 1], as codes of `to` (C33).
Attributes hardSigmoid(Value x, double alpha, double beta,
                       const AffineParams &to, Lowering &lowering) {
  AffineParams from = affineParamsOf(x.getType());
  auto shape = cast<RankedTensorType>(x.getType()).getShape();
  auto channels = size_t(shape.empty() ? 1 : shape[0]);
  std::vector<double> factors(channels,
                              alpha * double(from.scale) / double(to.scale));
  std::vector<double> offsets(channels, beta / double(to.scale));
  npu::ChannelAffine affine = npu::channelAffine(factors, offsets);
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

void setPair(Attributes &attributes, const AffineParams &a,
             const AffineParams &b) {
  attributes.set("a_zero_point", a.zeroPoint).set("b_zero_point", b.zeroPoint);
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
  attributes.setMultipliers(
      npu::productMultiplier(from.scale, gate.scale, to.scale));
  setPair(attributes, from, gate);
  lowering.setOutput(attributes, to);
  lowering.emit<npu::MulOp>(op, {lowering.lowered(x), gates}, attributes);
  return {};
}

Refusal lowerFunction(Operation *op, Lowering &lowering) {
  if (Refusal refusal = checkCodes(op))
    return refusal;
  Value x = op->getOperand(0);
  if (!isWide(x) || cast<RankedTensorType>(x.getType()).getRank() == 0)
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

template <typename OpTy> Refusal lowerPair(Operation *op, Lowering &lowering) {
  if (Refusal refusal = checkCodes(op))
    return refusal;
  Value a = op->getOperand(0), b = op->getOperand(1);
  AffineParams left = affineParamsOf(a.getType());
  AffineParams right = affineParamsOf(b.getType());
  AffineParams to = affineParamsOf(op->getResult(0).getType());
  SmallVector<Multiplier> factors;
  if constexpr (std::is_same_v<OpTy, npu::MulOp>) {
    factors = {npu::productMultiplier(left.scale, right.scale, to.scale)};
  } else if constexpr (std::is_same_v<OpTy, npu::DivOp>) {
    factors = {npu::quotientMultiplier(left.scale, right.scale, to.scale)};
  } else {
    auto both = npu::preluMultipliers(left.scale, right.scale, to.scale);
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

Refusal lowerCompare(Operation *op, StringRef kind, Lowering &lowering) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (!hasCodes(a) || !hasCodes(b))
    return "it compares codes with floats";
  AffineParams left = affineParamsOf(a.getType());
  AffineParams right = affineParamsOf(b.getType());
  Attributes attributes = lowering.attributes();
  attributes.setWord("kind", kind)
      .setList("coefficients",
               ArrayRef<int64_t>(
                   npu::compareCoefficients(left.scale, right.scale).values));
  setPair(attributes, left, right);
  lowering.emit<npu::CompareOp>(op, {lowering.lowered(a), lowering.lowered(b)},
                                attributes);
  return {};
}

/// Arithmetic of codes; where one side is a number that has no codes, a
/// function of the other.
template <typename Fn>
Refusal lowerArithmetic(Operation *op, Lowering &lowering, Fn rule) {
  if (checkCodes(op) && ScalarFunction::isOne(op))
    return lowerTable(op, lowering);
  return rule();
}

} // namespace

Refusal lowerElementwise(Operation *op, Lowering &lowering) {
  return llvm::TypeSwitch<Operation *, Refusal>(op)
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
        if (ScalarFunction::isOne(op))
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
      .Default([&](Operation *op) -> Refusal {
        if (cast<nn::QuantizableOpInterface>(op).getQuantRule() ==
                nn::QuantRule::Table &&
            op->getNumOperands() == 1)
          return lowerFunction(op, lowering);
        return "";
      });
}

} // namespace parallax::lower
