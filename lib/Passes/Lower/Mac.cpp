//===- Mac.cpp - Lowering of multiply-accumulate operators ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights are codes with a scale per output channel; each channel gets its
// multiplier, and the proof that no sum of it overflows.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

namespace parallax::lower {

bool hasCodes(Value value) {
  return isQuantized(value.getType()) && !isPerAxis(value.getType());
}

Tensor floatConstantOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto codes = dyn_cast_or_null<nn::QuantizedConstantOp>(op))
    return evaluate(codes, {}, referenceKernels()).front();
  auto constant = dyn_cast_or_null<nn::ConstantOp>(op);
  Tensor tensor = constant ? toTensor(constant.getValue()) : Tensor();
  return tensor.dtype() == DType::F32 ? tensor : Tensor();
}

Attributes productFactors(Operation *layer, float xScale,
                          ArrayRef<float> scales, Lowering &lowering) {
  Attributes attributes = lowering.attributes();
  Value y = layer->getResult(0);
  if (hasCodes(y)) {
    AffineParams output = affineParamsOf(y.getType());
    attributes.setMultipliers(
        npu::macMultipliers(xScale, {scales.data(), scales.size()},
                            output.scale, lowering.multiplierBits()));
    lowering.setOutput(attributes, output);
    return attributes;
  }
  SmallVector<double> products;
  for (float scale : scales)
    products.push_back(double(xScale) * double(scale));
  attributes.setMultipliers({});
  attributes.set("scales", attributes.builder.getDenseF64ArrayAttr(products));
  lowering.setOutput(attributes, {1, 0, 0, 0});
  return attributes;
}

namespace {

/// Where the weights of output channel o lie: `count` runs of `length` codes,
/// `stride` apart, the first of them at `first(o)`.
struct ChannelRuns {
  int64_t channels, count, stride, length;
  std::function<int64_t(int64_t)> first;
};

/// A product with constant weights.
class MacRule {
public:
  MacRule(Operation *op, Value x, Value weight, Value bias, Lowering &lowering)
      : op(op), x(x), weight(weight), bias(bias), lowering(lowering) {}

  /// Why the NPU cannot multiply these operands.
  Refusal check() const {
    if (!hasCodes(x))
      return fmt::format("operand '{}' is not codes with one scale",
                         getTensorName(x));
    auto constant = weight.getDefiningOp<nn::QuantizedConstantOp>();
    if (!constant)
      return "its weights are not constant codes";
    DType storage = storageOf(weight.getType());
    if (storage != DType::I8 && storage != DType::I16)
      return fmt::format("its weights have codes of {}", nameOf(storage));
    if (llvm::any_of(channelParamsOf(weight.getType()).zeroPoints,
                     [](int64_t zero) { return zero != 0; }))
      return "its weights have a zero point";
    if (bias && floatConstantOf(bias).isNull())
      return "its bias is not constant";
    Value y = op->getResult(0);
    if (isQuantized(y.getType()) && !hasCodes(y))
      return "its result has a scale per channel";
    return {};
  }

  /// The attributes of factors and result, with the proof of C27; `bias`
  /// becomes integers.
  Attributes derive(const ChannelRuns &runs, Value &integerBias) {
    ChannelParams params = channelParamsOf(weight.getType());
    std::vector<float> scales;
    for (int64_t o = 0; o < runs.channels; ++o)
      scales.push_back(params.scales[size_t(o) % params.scales.size()]);
    AffineParams input = affineParamsOf(x.getType());
    int bits = lowering.accumulatorBits(storageOf(x.getType()),
                                        storageOf(weight.getType()));
    Tensor biases = bias ? biasCodes(input.scale, scales, bits) : Tensor();
    proveChannels(runs, biases, input, bits);
    if (bias)
      integerBias = lowering.constant(op, "_bias", biases);
    return productFactors(op, input.scale, scales, lowering);
  }

private:
  /// Codes that are at the scale of the accumulator are taken as they are.
  Tensor biasCodes(float xScale, ArrayRef<float> scales, int bits) const {
    auto constant = bias.getDefiningOp<nn::QuantizedConstantOp>();
    auto isAccumulatorScale = [&] {
      ChannelParams params = channelParamsOf(bias.getType());
      for (size_t o = 0; o < scales.size(); ++o) {
        float wanted = xScale * scales[o];
        float found = params.scales[o % params.scales.size()];
        if (std::abs(found - wanted) > 1e-6f * wanted ||
            params.zeroPoints[o % params.zeroPoints.size()] != 0)
          return false;
      }
      return true;
    };
    if (constant && storageOf(bias.getType()) == DType::I32 &&
        isAccumulatorScale()) {
      Tensor codes = toTensor(constant.getCodes());
      return codes.clone().reshaped({codes.size()});
    }
    Tensor values = floatConstantOf(bias);
    Tensor codes(DType::I64, {values.size()});
    try {
      for (int64_t o = 0; o < values.size(); ++o)
        codes.data<int64_t>()[o] = npu::biasCode(
            values.data<float>()[o], xScale, scales[size_t(o)], bits);
    } catch (const DerivationError &error) {
      throw OverflowError(error.what());
    }
    return codes;
  }

  void proveChannels(const ChannelRuns &runs, const Tensor &biases,
                     const AffineParams &input, int bits) {
    Tensor codes =
        toTensor(weight.getDefiningOp<nn::QuantizedConstantOp>().getCodes());
    std::optional<npu::AccumulatorBound> worst;
    std::vector<int32_t> channel;
    dispatch(codes.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>)
        for (int64_t o = 0; o < runs.channels; ++o) {
          channel.clear();
          for (int64_t run = 0; run < runs.count; ++run) {
            const T *from = codes.data<T>() + runs.first(o) + run * runs.stride;
            channel.insert(channel.end(), from, from + runs.length);
          }
          int64_t bias = biases.isNull() ? 0
                         : biases.dtype() == DType::I32
                             ? biases.data<int32_t>()[o]
                             : biases.data<int64_t>()[o];
          npu::AccumulatorBound bound =
              npu::boundOf(channel, bias, input.low - input.zeroPoint,
                           input.high - input.zeroPoint, bits);
          if (!worst || bound.marginBits < worst->marginBits)
            worst = bound;
        }
    });
    if (worst)
      lowering.prove(op, *worst, bits);
  }

  Operation *op;
  Value x, weight, bias;
  Lowering &lowering;
};

template <typename OpTy> Refusal lowerConv(OpTy op, Lowering &lowering) {
  constexpr bool transposed = std::is_same_v<OpTy, nn::ConvTransposeOp>;
  MacRule rule(op, op.getX(), op.getWeight(), op.getBias(), lowering);
  if (Refusal refusal = rule.check())
    return refusal;
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  auto group = int64_t(op.getGroup());
  int64_t taps = elementCount({weight.data() + 2, weight.size() - 2});
  int64_t outputs = weight[1], depth = weight[0] / group;
  ChannelRuns runs =
      transposed
          ? ChannelRuns{outputs * group, depth, outputs * taps, taps,
                        [=](int64_t o) {
                          return (o / outputs * depth * outputs + o % outputs) *
                                 taps;
                        }}
          : ChannelRuns{weight[0], 1, 0, weight[1] * taps,
                        [=](int64_t o) { return o * weight[1] * taps; }};
  Value bias;
  Attributes attributes = rule.derive(runs, bias);
  attributes.set("x_zero_point", affineParamsOf(op.getX().getType()).zeroPoint)
      .setList("strides", op.getStrides())
      .setList("pads", op.getPads())
      .setList("dilations", op.getDilations())
      .set("group", group)
      .set("transposed", attributes.builder.getBoolAttr(transposed));
  SmallVector<Value> operands{lowering.lowered(op.getX()),
                              lowering.lowered(op.getWeight())};
  if (bias)
    operands.push_back(bias);
  lowering.emit<npu::ConvOp>(op, operands, attributes);
  return {};
}

/// Weights [O, K], or [K, O] if they are `columns`, which are transposed.
Refusal lowerFullyConnected(Operation *op, Value x, Value weight, Value bias,
                            bool columns, Lowering &lowering) {
  MacRule rule(op, x, weight, bias, lowering);
  if (Refusal refusal = rule.check())
    return refusal;
  int64_t outputs = shapeOf(weight)[columns ? 1 : 0];
  int64_t depth = shapeOf(weight)[columns ? 0 : 1];
  ChannelRuns runs =
      columns
          ? ChannelRuns{outputs, depth, outputs, 1, [](int64_t o) { return o; }}
          : ChannelRuns{outputs, 1, 0, depth,
                        [=](int64_t o) { return o * depth; }};
  Value integers = lowering.lowered(weight);
  if (columns) {
    Tensor codes =
        toTensor(weight.getDefiningOp<nn::QuantizedConstantOp>().getCodes());
    Tensor rows(codes.dtype(), {outputs, depth});
    dispatch(codes.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t k = 0; k < depth; ++k)
          rows.data<T>()[o * depth + k] = codes.data<T>()[k * outputs + o];
    });
    integers = lowering.constant(op, "_weights", rows);
  }
  Value integerBias;
  Attributes attributes = rule.derive(runs, integerBias);
  attributes.set("x_zero_point", affineParamsOf(x.getType()).zeroPoint);
  SmallVector<Value> operands{lowering.lowered(x), integers};
  if (integerBias)
    operands.push_back(integerBias);
  lowering.emit<npu::FullyConnectedOp>(op, operands, attributes);
  return {};
}

Refusal lowerGemm(nn::GemmOp op, Lowering &lowering) {
  bool hasBias = bool(op.getC());
  if (op.getTransA() || op.getAlpha().convertToFloat() != 1 ||
      (hasBias && op.getBeta().convertToFloat() != 1))
    return "it transposes its first operand or has factors";
  int64_t outputs = shapeOf(op.getY())[1];
  if (hasBias &&
      (shapeOf(op.getC()).empty() || shapeOf(op.getC()).back() != outputs ||
       cast<RankedTensorType>(op.getC().getType()).getNumElements() != outputs))
    return "its bias is not one number per column";
  return lowerFullyConnected(op, op.getA(), op.getB(), op.getC(),
                             !op.getTransB(), lowering);
}

Refusal lowerMatMul(nn::MatMulOp op, Lowering &lowering) {
  Value a = op.getA(), b = op.getB();
  ArrayRef<int64_t> left = shapeOf(a), right = shapeOf(b);
  if (right.size() == 2 && b.getDefiningOp<nn::QuantizedConstantOp>())
    return lowerFullyConnected(op, a, b, {}, true, lowering);
  if (left.size() < 2 || right.size() < 2)
    return "one of its operands is a vector";
  if (!hasCodes(a) || !hasCodes(b))
    return "its operands are not codes with one scale each";
  AffineParams from = affineParamsOf(a.getType());
  AffineParams other = affineParamsOf(b.getType());
  int bits =
      lowering.accumulatorBits(storageOf(a.getType()), storageOf(b.getType()));
  lowering.prove(
      op, npu::productBound(left.back(), reachOf(from), reachOf(other), bits),
      bits);
  Attributes attributes = productFactors(op, from.scale, other.scale, lowering);
  attributes.set("a_zero_point", from.zeroPoint)
      .set("b_zero_point", other.zeroPoint);
  lowering.emit<npu::MatMulOp>(op, {lowering.lowered(a), lowering.lowered(b)},
                               attributes);
  return {};
}

} // namespace

Outcome lowerMac(Operation *op, Lowering &lowering) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<nn::ConvOp, nn::ConvTransposeOp>(
          [&](auto op) { return lowerConv(op, lowering); })
      .Case([&](nn::FullyConnectedOp op) {
        return lowerFullyConnected(op, op.getX(), op.getWeight(), op.getBias(),
                                   false, lowering);
      })
      .Case([&](nn::GemmOp op) { return lowerGemm(op, lowering); })
      .Case([&](nn::MatMulOp op) { return lowerMatMul(op, lowering); })
      .Case([&](nn::EinsumOp op) {
        return orFloat([&] { return lowerEinsum(op, lowering); });
      })
      .Default(Outcome::noRule());
}

} // namespace parallax::lower
