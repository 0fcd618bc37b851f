//===- Qdq.cpp - Quantized networks as ONNX spells them -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each change of type becomes QuantizeLinear and DequantizeLinear, and weights
// become codes with a DequantizeLinear behind them.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Qdq.h"

#include "parallax/Dialect/NN/CreateOp.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace parallax {
namespace {

class QdqWriter {
public:
  QdqWriter(MLIRContext *context, QdqFormat format)
      : builder(context), format(format) {}

  LogicalResult visit(Operation *op) {
    builder.setInsertionPointAfter(op);
    if (auto constant = dyn_cast<nn::QuantizedConstantOp>(op))
      return visitConstant(constant);
    if (auto requantize = dyn_cast<nn::RequantizeOp>(op)) {
      Value value = requantize.getX();
      Type type = requantize.getType();
      if (isQuantized(type))
        value = throughCodes(value, type, getTensorName(requantize));
      if (!value)
        return failure();
      requantize.replaceAllUsesWith(value);
      requantize.erase();
      return success();
    }
    for (Value result : op->getResults())
      if (Type type = result.getType(); isQuantized(type)) {
        result.setType(floatType(type));
        builder.setInsertionPointAfter(op);
        Operation *quantize = nullptr;
        Value values =
            throughCodes(result, type, getTensorName(result), &quantize);
        if (!values)
          return failure();
        result.replaceAllUsesExcept(values, quantize);
      }
    return success();
  }

private:
  RankedTensorType floatType(Type type) {
    return cast<RankedTensorType>(type).clone(builder.getF32Type());
  }

  Value constant(const Tensor &tensor, const std::string &name) {
    return nn::ConstantOp::create(
        builder, makeLayerLocation(builder.getContext(), name, {name}),
        toTensorType(builder.getContext(), tensor),
        toAttribute(builder.getContext(), tensor, name));
  }

  /// Scale and zero point of a type: scalars, or one entry per channel.
  std::pair<Value, Value> parameters(Type type, const std::string &name) {
    return parameters(type, channelParamsOf(type), storageOf(type), name);
  }

  std::pair<Value, Value> parameters(Type type, const ChannelParams &params,
                                     DType storage, const std::string &name) {
    Shape shape;
    if (isPerAxis(type))
      shape.push_back(int64_t(params.scales.size()));
    Tensor scale(DType::F32, shape);
    llvm::copy(params.scales, scale.data<float>());
    Tensor zeroPoint(storage, shape);
    dispatch(zeroPoint.dtype(), [&](auto tag) {
      using Code = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<Code>)
        for (auto [i, zero] : llvm::enumerate(params.zeroPoints))
          zeroPoint.data<Code>()[i] = Code(zero);
    });
    return {constant(scale, name + "_scale"),
            constant(zeroPoint, name + "_zero_point")};
  }

  /// Null with an error if the operation does not take the operands.
  template <typename OpTy>
  OpTy create(const std::string &name, ValueRange operands, int64_t axis) {
    OperationState state(makeLayerLocation(builder.getContext(), name, {name}),
                         OpTy::getOperationName());
    if (failed(nn::completeState<OpTy>(
            state, operands,
            builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))))) {
      emitError(state.location,
                "a quantized tensor can't be written as ONNX does");
      return nullptr;
    }
    return cast<OpTy>(builder.create(state));
  }

  /// The values of `value` after it has been codes of `type`; null with an
  /// error if that can't be written.
  Value throughCodes(Value value, Type type, const std::string &name,
                     Operation **quantizer = nullptr) {
    auto [scale, zeroPoint] = parameters(type, name);
    auto codes = create<nn::QuantizeLinearOp>(name + "_QuantizeLinear",
                                              {value, scale, zeroPoint}, 0);
    if (!codes)
      return nullptr;
    if (quantizer)
      *quantizer = codes;
    auto values = create<nn::DequantizeLinearOp>(name + "_DequantizeLinear",
                                                 {codes, scale, zeroPoint}, 0);
    return values ? values.getResult() : Value();
  }

  /// Kernels for U8 x S8 add pairs of products in 16 bits on processors without
  /// VNNI, and saturate; those for U8 x U8 do not.
  std::pair<Value, std::pair<Value, Value>>
  unsignedWeights(nn::QuantizedConstantOp op, const std::string &name) {
    constexpr int offset = 128;
    Tensor from = toTensor(op.getCodes()), to(DType::U8, from.shape());
    for (int64_t i = 0; i < from.size(); ++i)
      to.data<uint8_t>()[i] = uint8_t(from.data<int8_t>()[i] + offset);
    ChannelParams params = channelParamsOf(op.getType());
    for (int64_t &zero : params.zeroPoints)
      zero += offset;
    return {constant(to, name + "_quantized"),
            parameters(op.getType(), params, DType::U8, name)};
  }

  LogicalResult visitConstant(nn::QuantizedConstantOp op) {
    std::string name = getTensorName(op);
    Value codes, scale, zeroPoint;
    if (format == QdqFormat::U8U8 && storageOf(op.getType()) == DType::I8) {
      auto [made, numbers] = unsignedWeights(op, name);
      codes = made;
      std::tie(scale, zeroPoint) = numbers;
    } else {
      std::tie(scale, zeroPoint) = parameters(op.getType(), name);
      codes = nn::ConstantOp::create(
          builder,
          makeLayerLocation(builder.getContext(), name + "_quantized",
                            {name + "_quantized"}),
          cast<RankedTensorType>(op.getCodes().getType()), op.getCodes());
    }
    auto values = create<nn::DequantizeLinearOp>(
        name + "_DequantizeLinear", {codes, scale, zeroPoint},
        channelParamsOf(op.getType()).axis);
    if (!values)
      return failure();
    op.replaceAllUsesWith(values.getResult());
    op.erase();
    return success();
  }

  OpBuilder builder;
  QdqFormat format;
};

} // namespace

FailureOr<func::FuncOp> addQdqView(func::FuncOp quantized, QdqFormat format) {
  func::FuncOp view = addView(quantized, views::qdq);
  QdqWriter writer(view.getContext(), format);
  for (Operation &op :
       llvm::make_early_inc_range(view.front().without_terminator()))
    if (failed(writer.visit(&op)))
      return failure();
  if (failed(verify(view)))
    return emitError(view.getLoc(),
                     "the quantized network can't be written as ONNX does; "
                     "this is a fault of Parallax, please report the model");
  return view;
}

} // namespace parallax
