//===- Constants.cpp - Weights become codes -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights of products are symmetric with a scale per output channel, biases
// have the scale of the accumulator. Constants of other operators are few and
// cheap: they have 16 bits, so that nothing is lost on them.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/Simd.h"
#include "parallax/Support/TensorAttr.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace parallax::quantize {
namespace {

/// The nearest codes; NaN gets that of 0. Divides as floats do, and adds and
/// rounds in double precision.
PARALLAX_SIMD void findCodes(const float *values, int64_t count, float scale,
                             double zeroPoint, double low, double high,
                             int32_t *codes) {
  for (int64_t i = 0; i < count; ++i) {
    double steps = values[i] / scale;
    double code = (steps == steps ? std::nearbyint(steps) : 0) + zeroPoint;
    code = code < low ? low : code;
    codes[i] = int32_t(code > high ? high : code);
  }
}

nn::ConstantOp floatConstantOp(Value value) {
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nullptr;
  return constant && isFloat(value) ? constant : nullptr;
}

class ConstantQuantizer {
public:
  ConstantQuantizer(const KindPlan &kinds, const Precisions &precisions,
                    const QuantizeOptions &options, QuantizeReport &report)
      : kinds(kinds), precisions(precisions), options(options), report(report) {
  }

  void visit(Operation *op) {
    if (!isCodeType(kinds.readBy(op)))
      return;
    if (nn::sharesScale(op))
      return visitMovement(op);
    if (isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::PReluOp>(op))
      return visitElementwise(op);
    if (isa<nn::LSTMOp, nn::GRUOp, nn::RNNOp>(op))
      return visitRecurrent(op);
    if (isa<nn::LayerNormalizationOp, nn::RMSNormalizationOp>(op))
      return visitNormalization(op);
    visitProduct(op, nn::weightPlaceOf(op));
  }

  LogicalResult result() const { return failure(hasFailed); }

private:
  /// The same constant becomes the same codes for everybody who wants the same
  /// type, and has another name for everybody else.
  void replace(OpOperand &operand, const Tensor &codes, Type element) {
    auto constant = operand.get().getDefiningOp<nn::ConstantOp>();
    auto type = cast<RankedTensorType>(operand.get().getType()).clone(element);
    SmallVector<nn::QuantizedConstantOp> &versions = made[constant];
    auto same = llvm::find_if(
        versions, [&](auto version) { return version.getType() == type; });
    if (same != versions.end()) {
      operand.set(*same);
    } else {
      std::string name = getTensorName(operand.get());
      Location location = constant.getLoc();
      if (!versions.empty()) {
        name += "_for_" + getLayerName(operand.getOwner()).node;
        location = makeLayerLocation(constant.getContext(), name, {name});
      }
      OpBuilder builder(constant);
      builder.setInsertionPointAfter(constant);
      versions.push_back(nn::QuantizedConstantOp::create(
          builder, location, type,
          toAttribute(builder.getContext(), codes, name + "_codes")));
      operand.set(versions.back());
    }
    if (constant->use_empty()) {
      made.erase(constant);
      constant.erase();
    }
  }

  /// The values of a constant that is an operand.
  static Tensor valuesOf(const OpOperand &operand) {
    return toTensor(floatConstantOp(operand.get()).getValue());
  }

  /// Reports weights that are not finite.
  bool isFinite(const OpOperand &operand, const Tensor &values) {
    if (llvm::all_of(values.values<float>(),
                     [](float value) { return std::isfinite(value); }))
      return true;
    hasFailed = true;
    emitError(operand.getOwner()->getLoc(),
              fmt::format("the weights '{}' of layer '{}' hold NaN or "
                          "infinity, which no code "
                          "stands for",
                          getTensorName(operand.get()),
                          getLayerName(operand.getOwner()).node));
    return false;
  }

  /// Codes of a tensor with one scale.
  void setAffine(OpOperand &operand, const AffineParams &params,
                 DataType kind) {
    Tensor values = valuesOf(operand);
    Type element = codeType(operand.get().getContext(), params, kind);
    Tensor codes(storageOf(element), values.shape());
    constexpr int64_t chunk = 1024;
    int32_t found[chunk];
    dispatch(codes.dtype(), [&](auto tag) {
      using Code = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<Code> && !std::is_same_v<Code, bool>)
        for (int64_t begin = 0; begin < values.size(); begin += chunk) {
          int64_t count = std::min(chunk, values.size() - begin);
          findCodes(values.data<float>() + begin, count, params.scale,
                    double(params.zeroPoint), double(params.low),
                    double(params.high), found);
          std::copy_n(found, count, codes.data<Code>() + begin);
        }
    });
    replace(operand, codes, element);
    ++report.weights;
  }

  std::vector<float> setWeights(OpOperand &operand, int64_t axis,
                                const WeightOptions &wanted) {
    Tensor values = valuesOf(operand);
    if (!isFinite(operand, values))
      return {};
    MLIRContext *context = operand.get().getContext();
    // One scale for all is a single channel.
    WeightCodes weights =
        axis < 0
            ? quantizeWeights(values.reshaped({1, values.size()}), 0, wanted)
            : quantizeWeights(values, axis, wanted);
    DType storage = weights.codes.dtype();
    int64_t limit = storage == DType::I8 ? 127 : 32767;
    Type element = axis < 0
                       ? quantizedType(context, storage,
                                       {weights.scales[0], 0, -limit, limit})
                       : quantizedType(context, storage, weights.scales, axis);
    replace(operand, weights.codes.reshaped(values.shape()), element);
    ++report.weights;
    return weights.scales;
  }

  WeightOptions weightOptions(Operation *op) const {
    return {precisions.lookup(op).weight, options.refineWeightThreshold, {}};
  }

  void visitProduct(Operation *op, nn::WeightPlace place) {
    if (place.weight < 0 || precisions.lookup(op).weight == DataType::FP32)
      return;
    OpOperand &weight = op->getOpOperand(unsigned(place.weight));
    if (!floatConstantOp(weight.get()))
      return;
    WeightOptions wanted = weightOptions(op);
    auto channels = place.axis < 0
                        ? 1
                        : cast<RankedTensorType>(weight.get().getType())
                              .getDimSize(unsigned(place.axis));
    Value input = op->getOperand(unsigned(place.input));
    Tensor bias = place.bias >= 0 && isQuantized(input.getType())
                      ? biasOf(op, place, channels)
                      : Tensor();
    float inputScale =
        bias.isNull() ? 0.0f : affineParamsOf(input.getType()).scale;
    if (!bias.isNull()) {
      // The bias of a channel with tiny weights must still have a code. Where
      // the accumulator has no more than 32 bits, products need room beside it.
      bool isWide = sizeOf(storageOf(input.getType())) > 1;
      double limit = isWide ? 0x1.fffffp30 : 0x1p30;
      for (float value : bias.values<float>())
        wanted.minScales.push_back(
            float(std::min(double(std::abs(value)) / inputScale / limit,
                           double(largestScale) / std::max(inputScale, 1.0f))));
    }
    std::vector<float> scales = setWeights(weight, place.axis, wanted);
    if (!bias.isNull() && !scales.empty())
      setBias(op->getOpOperand(unsigned(place.bias)), bias, inputScale, scales);
  }

  /// The bias as one number per channel, if it has that form and becomes codes.
  Tensor biasOf(Operation *op, nn::WeightPlace place, int64_t channels) const {
    nn::ConstantOp constant =
        floatConstantOp(op->getOperand(unsigned(place.bias)));
    if (!constant || options.bias != DataType::S32)
      return {};
    Tensor values = toTensor(constant.getValue());
    auto transposed = dyn_cast<nn::ConvTransposeOp>(op);
    bool matches = values.size() == channels && !values.shape().empty() &&
                   values.shape().back() == channels &&
                   llvm::all_of(values.values<float>(), [](float value) {
                     return std::isfinite(value);
                   });
    // Grouped transposed convolutions share the scales of a group.
    return matches && !(transposed && transposed.getGroup() != 1) ? values
                                                                  : Tensor();
  }

  void setBias(OpOperand &operand, const Tensor &values, float inputScale,
               const std::vector<float> &weightScales) {
    Tensor codes(DType::I32, values.shape());
    std::vector<float> scales;
    constexpr double limit = 2147483647.0;
    for (auto [i, weightScale] : llvm::enumerate(weightScales)) {
      scales.push_back(
          std::clamp(inputScale * weightScale, 0x1p-126f, largestScale));
      // Not quite the largest float, which rounding would make infinite.
      double value = std::clamp(double(values.data<float>()[i]), -0x1.fffffp127,
                                0x1.fffffp127);
      double code = value / double(scales.back());
      codes.data<int32_t>()[i] =
          int32_t(std::clamp(std::nearbyint(code), -limit, limit));
    }
    auto axis = int64_t(values.shape().size()) - 1;
    replace(
        operand, codes,
        quantizedType(operand.get().getContext(), DType::I32, scales, axis));
    ++report.biases;
  }

  void visitElementwise(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!floatConstantOp(operand.get()))
        continue;
      Tensor values = valuesOf(operand);
      Interval range = finiteRangeOf(values);
      bool isBounded = bound(range, operand, values);
      bool allFinite = llvm::all_of(values.values<float>(), [](float value) {
        return std::isfinite(value);
      });
      AffineParams params = affineParams(range, DataType::U16);
      bool isDivisor = isa<nn::DivOp>(op) && operand.getOperandNumber() == 1;
      if ((allFinite || isBounded) &&
          !(isDivisor && hasSmall(values, params.scale)))
        setAffine(operand, params, DataType::U16);
    }
  }

  /// What drives any result out of its range, such as the -1e9 of a mask,
  /// drives it out as well with the least number that does. True if that goes
  /// for infinity, too.
  static bool bound(Interval &range, OpOperand &operand, const Tensor &values) {
    Operation *op = operand.getOwner();
    if (!isa<nn::AddOp, nn::SubOp, nn::MulOp>(op))
      return false;
    Type other = op->getOperand(1 - operand.getOperandNumber()).getType();
    Type result = op->getResult(0).getType();
    if (!isQuantized(other) || isPerAxis(other) || !isQuantized(result))
      return false;
    AffineParams from = affineParamsOf(other), to = affineParamsOf(result);
    Interval useful = isa<nn::MulOp>(op) ? usefulFactors(from, to)
                                         : usefulTerms(operand, from, to);
    for (float value : values.values<float>())
      if (std::isinf(value))
        (value < 0 ? range.low = useful.low : range.high = useful.high);
    range.low = std::max(range.low, useful.low);
    range.high = std::min(range.high, useful.high);
    // Infinity times 0 is not a number.
    return !isa<nn::MulOp>(op) &&
           llvm::none_of(values.values<float>(),
                         [](float value) { return std::isnan(value); });
  }

  /// A few steps, so that rounding does not bring a result back.
  static double beyond(const AffineParams &to) { return 4 * double(to.scale); }

  /// For a term of a sum or difference, beside codes `from`.
  static Interval usefulTerms(OpOperand &operand, const AffineParams &from,
                              const AffineParams &to) {
    Interval other = covered(from), result = covered(to);
    Interval useful = {result.low - other.high - beyond(to),
                       result.high - other.low + beyond(to)};
    if (isa<nn::SubOp>(operand.getOwner()))
      useful = operand.getOperandNumber() == 0
                   ? Interval{result.low + other.low - beyond(to),
                              result.high + other.high + beyond(to)}
                   : Interval{other.low - result.high - beyond(to),
                              other.high - result.low + beyond(to)};
    return {std::min(useful.low, 0.0), std::max(useful.high, 0.0)};
  }

  /// A single step of codes `from` is out of range with more than these.
  static Interval usefulFactors(const AffineParams &from,
                                const AffineParams &to) {
    Interval result = covered(to);
    double most =
        (std::max(-result.low, result.high) + beyond(to)) / double(from.scale);
    return {-most, most};
  }

  static Interval covered(const AffineParams &params) {
    return {double(params.low - params.zeroPoint) * double(params.scale),
            double(params.high - params.zeroPoint) * double(params.scale)};
  }

  /// Whether numbers are so small that hardly a digit of them, or nothing, is
  /// left at a scale.
  static bool hasSmall(const Tensor &values, float scale) {
    return llvm::any_of(values.values<float>(), [&](float value) {
      return value != 0 && std::abs(value) < 128 * scale;
    });
  }

  /// Constants that meet tensors of codes have the same codes.
  void visitMovement(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      for (Value result : op->getResults())
        if (floatConstantOp(operand.get()) && isQuantized(result.getType()))
          setAffine(operand, affineParamsOf(result.getType()),
                    kinds.kind(result));
  }

  /// Weights of the inputs and of the state.
  void visitRecurrent(Operation *op) {
    if (precisions.lookup(op).weight == DataType::FP32)
      return;
    for (unsigned i : {1u, 2u})
      if (floatConstantOp(op->getOperand(i)))
        setWeights(op->getOpOperand(i), nn::weightPlaceOf(op).axis,
                   weightOptions(op));
  }

  /// The scale of a normalization, if it was asked for in integers: rounded to
  /// 32 bits that cover its range.
  void visitNormalization(Operation *op) {
    if (options.normalizationScale == DataType::FP32 ||
        !floatConstantOp(op->getOperand(1)))
      return;
    OpOperand &operand = op->getOpOperand(1);
    Tensor values = valuesOf(operand);
    if (!isFinite(operand, values))
      return;
    float magnitude = 0;
    for (float value : values.values<float>())
      magnitude = std::max(magnitude, std::abs(value));
    float scale = std::max(magnitude, 0x1p-90f) * 0x1p-31f;
    Tensor codes(DType::I32, values.shape());
    for (int64_t i = 0; i < values.size(); ++i)
      codes.data<int32_t>()[i] = int32_t(
          std::clamp(std::nearbyint(double(values.data<float>()[i]) / scale),
                     -2147483647.0, 2147483647.0));
    replace(operand, codes,
            quantizedType(operand.get().getContext(), DType::I32,
                          {scale, 0, -2147483647, 2147483647}));
    ++report.weights;
  }

  /// Scales of accumulators stay finite below it.
  static constexpr float largestScale = 0x1p120f;

  const KindPlan &kinds;
  const Precisions &precisions;
  const QuantizeOptions &options;
  QuantizeReport &report;
  bool hasFailed = false;
  llvm::DenseMap<Operation *, SmallVector<nn::QuantizedConstantOp>> made;
};

} // namespace

Interval finiteRangeOf(const Tensor &values) {
  Interval range;
  for (float value : values.values<float>())
    if (std::isfinite(value)) {
      range.low = std::min(range.low, double(value));
      range.high = std::max(range.high, double(value));
    }
  return range;
}

LogicalResult quantizeConstants(func::FuncOp function, const KindPlan &kinds,
                                const Precisions &precisions,
                                const QuantizeOptions &options,
                                QuantizeReport &report) {
  ConstantQuantizer quantizer(kinds, precisions, options, report);
  for (Operation &op :
       llvm::make_early_inc_range(function.front().without_terminator()))
    if (op.getNumOperands() > 0) {
      stopIfCancelled();
      quantizer.visit(&op);
    }
  return quantizer.result();
}

} // namespace parallax::quantize
