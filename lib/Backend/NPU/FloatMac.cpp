//===- FloatMac.cpp - Layers in float that multiply and accumulate --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All of them come down to the products of Kernels/Mac.h, in the order of C91.
//===----------------------------------------------------------------------===//
#include "FloatBinding.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/Layout.h"
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::npu {
namespace {

using kernels::BinaryKind;

template <typename OpTy>
Kernel bindConvolution(OpTy op, BindContext &context, bool isTransposed) {
  ArrayRef<int64_t> pads = op.getPads();
  ConvParams params;
  params.strides = op.getStrides().vec();
  params.dilations = op.getDilations().vec();
  params.padsBegin = pads.take_front(pads.size() / 2).vec();
  params.groups = int64_t(op.getGroup());
  params.transposed = isTransposed;
  const Shape &weight = context.input(1).shape;
  Kernel kernel{[params](const KernelArgs &args) {
    floatConvolution(args.inputs[0], args.inputs[1],
                     args.inputs.size() > 2 ? &args.inputs[2] : nullptr,
                     args.outputs[0], params);
  }};
  kernel.work =
      macWork(context, elementCount(weight) / std::max<int64_t>(weight[0], 1));
  return kernel;
}

Kernel bindFloatFullyConnected(nn::FullyConnectedOp, BindContext &context) {
  Kernel kernel{[](const KernelArgs &args) {
    floatFullyConnected(args.inputs[0], args.inputs[1],
                        args.inputs.size() > 2 ? &args.inputs[2] : nullptr,
                        args.outputs[0]);
  }};
  kernel.work = macWork(context, context.input(1).shape[1]);
  return kernel;
}

Kernel bindFloatMatMul(nn::MatMulOp, BindContext &context) {
  reference::ProductShapes shapes =
      reference::matrixShapes({context.input(0).shape, context.input(1).shape,
                               context.output(0).shape});
  Kernel kernel{[shapes](const KernelArgs &args) {
    Tensor result = args.outputs[0].reshaped(shapes.y);
    floatMatmul(args.inputs[0].reshaped(shapes.a),
                args.inputs[1].reshaped(shapes.b), result);
  }};
  kernel.work = macWork(context, shapes.a.back());
  return kernel;
}

void multiplyBy(const Tensor &x, float factor, Tensor &y) {
  auto scalar =
      Tensor::fromValues<float>({}, std::span<const float>(&factor, 1));
  kernels::binary(BinaryKind::Mul, x, scalar, y);
}

Tensor transposed(const Tensor &x) {
  Tensor result(DType::F32, {x.dim(1), x.dim(0)});
  int64_t order[] = {1, 0};
  kernels::transpose(x, result, order);
  return result;
}

Kernel bindGemm(nn::GemmOp op, BindContext &context) {
  float alpha = op.getAlpha().convertToFloat();
  float beta = op.getBeta().convertToFloat();
  bool hasC = op.getC() && beta != 0;
  Kernel kernel{[=, transA = op.getTransA(),
                 transB = op.getTransB()](const KernelArgs &args) {
    Tensor a = transA ? transposed(args.inputs[0]) : args.inputs[0];
    Tensor &y = args.outputs[0];
    if (transB)
      floatFullyConnected(a, args.inputs[1], nullptr, y);
    else
      floatMatmul(a, args.inputs[1], y);
    multiplyBy(y, alpha, y);
    if (!hasC)
      return;
    Tensor c(DType::F32, args.inputs[2].shape());
    multiplyBy(args.inputs[2], beta, c);
    kernels::binary(BinaryKind::Add, y, c, y);
  }};
  kernel.work =
      macWork(context, context.input(0).shape[op.getTransA() ? 0 : 1]);
  return kernel;
}

Kernel bindEinsum(nn::EinsumOp op, BindContext &) {
  return {[equation = op.getEquation().str()](const KernelArgs &args) {
    einsumFloat(equation, args.inputs, args.outputs[0]);
  }};
}

} // namespace

void addFloatMac(FloatKernels &kernels) {
  kernels.add<nn::ConvOp>("C91", [](nn::ConvOp op, BindContext &context) {
    return bindConvolution(op, context, false);
  });
  kernels.add<nn::ConvTransposeOp>(
      "C91", [](nn::ConvTransposeOp op, BindContext &context) {
        return bindConvolution(op, context, true);
      });
  kernels.add<nn::EinsumOp>("C91", bindEinsum);
  kernels.add<nn::FullyConnectedOp>("C91", bindFloatFullyConnected);
  kernels.add<nn::GemmOp>("C91", bindGemm);
  kernels.add<nn::MatMulOp>("C91", bindFloatMatMul);
}

} // namespace parallax::npu
