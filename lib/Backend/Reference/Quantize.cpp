//===- Quantize.cpp - Kernels of quantized networks -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The float engine executes a quantized network with the values that the codes
// stand for: each result is rounded to what its type can hold, and that is all
// that differs from a float network.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Quantize.h"
#include "Binding.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"

#include <cstring>

namespace parallax::reference {
namespace {

/// Rounds values to what a type can hold; in place too.
Kernel fakeQuantization(Type type) {
  return {[params = affineParamsOf(type)](const KernelArgs &args) {
    kernels::fakeQuantize(args.inputs[0], args.outputs[0], params);
  }};
}

/// The values of codes.
Tensor dequantized(nn::QuantizedConstantOp op) {
  Tensor codes = toTensor(op.getCodes());
  ChannelParams params = channelParamsOf(op.getType());
  Tensor values(DType::F32, codes.shape());
  Tensor scales(DType::F32, {int64_t(params.scales.size())});
  std::copy(params.scales.begin(), params.scales.end(), scales.data<float>());
  Tensor zeroPoints(codes.dtype(), scales.shape());
  dispatch(codes.dtype(), [&](auto tag) {
    using Code = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<Code>)
      for (auto [i, zero] : llvm::enumerate(params.zeroPoints))
        zeroPoints.data<Code>()[i] = Code(zero);
  });
  kernels::dequantizeLinear(codes, scales, &zeroPoints, values, params.axis);
  return values;
}

} // namespace

Kernel makeRounding(mlir::OpResult result) {
  Type type = result.getType();
  Operation *op = result.getOwner();
  bool isConstant = op->getNumOperands() == 0;
  bool roundsItself = isa<nn::RequantizeOp>(op);
  if (!isQuantized(type) || isConstant || roundsItself)
    return {};
  Type element = mlir::getElementTypeOrSelf(type);
  auto hasSameCodes = [&](Type operand) {
    return !isa<mlir::FloatType>(mlir::getElementTypeOrSelf(operand)) &&
           (!isQuantized(operand) ||
            mlir::getElementTypeOrSelf(operand) == element);
  };
  if (nn::keepsCodes(op) && llvm::all_of(op->getOperandTypes(), hasSameCodes))
    return {};
  return fakeQuantization(type);
}

void addQuantizeKernels(KernelSet &kernels) {
  kernels.add<nn::RequantizeOp>(
      [](nn::RequantizeOp op, BindContext &context) -> Kernel {
        followOperand(context);
        context.mayShare(0, 0);
        if (Type type = op.getY().getType(); isQuantized(type))
          return fakeQuantization(type);
        return {[](const KernelArgs &args) {
          const Tensor &x = args.inputs[0];
          Tensor &y = args.outputs[0];
          if (x.rawData() != y.rawData())
            std::memcpy(y.rawData(), x.rawData(), x.byteSize());
        }};
      });
  kernels.add<nn::QuantizedConstantOp>(
      [](nn::QuantizedConstantOp op, BindContext &) -> Kernel {
        return {[values = dequantized(op)](const KernelArgs &args) {
          std::memcpy(args.outputs[0].rawData(), values.rawData(),
                      values.byteSize());
        }};
      });
  kernels.add<nn::QuantizeLinearOp>([](nn::QuantizeLinearOp op,
                                       BindContext &context) -> Kernel {
    return {[axis = int64_t(op.getAxis()),
             block = int64_t(op.getBlockSize())](const KernelArgs &args) {
      kernels::quantizeLinear(args.inputs[0], args.inputs[1], &args.inputs[2],
                              args.outputs[0], axis, block);
    }};
  });
  kernels.add<nn::DequantizeLinearOp>([](nn::DequantizeLinearOp op,
                                         BindContext &context) -> Kernel {
    return {[axis = int64_t(op.getAxis()), block = int64_t(op.getBlockSize()),
             hasZero = bool(op.getZeroPoint())](const KernelArgs &args) {
      kernels::dequantizeLinear(args.inputs[0], args.inputs[1],
                                hasZero ? &args.inputs[2] : nullptr,
                                args.outputs[0], axis, block);
    }};
  });
}

} // namespace parallax::reference
