//===- Mac.cpp - Integer multiply-accumulate operations -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products with their factors.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "Binding.h"

namespace parallax::npu {
namespace {

template <typename OpTy> MacOutput macOutputOf(OpTy op) {
  return {outputOf(op), multipliersOf(op), op.getScales().vec()};
}

/// An eighth of the multiply-accumulates: each result has `depth` of them.
double workOf(const BindContext &context, int64_t depth) {
  return double(elementCount(context.output(0).shape)) * double(depth) / 8;
}

Kernel bindConv(ConvOp op, BindContext &context) {
  ConvParams params;
  ArrayRef<int64_t> pads = op.getPads();
  params.strides = op.getStrides().vec();
  params.dilations = op.getDilations().vec();
  params.padsBegin = pads.take_front(pads.size() / 2).vec();
  params.groups = int64_t(op.getGroup());
  params.transposed = op.getTransposed();
  const Shape &weight = context.input(1).shape;
  Kernel kernel;
  kernel.work =
      workOf(context, elementCount(weight) / std::max<int64_t>(weight[0], 1));
  kernel.run = [params, zero = int64_t(op.getXZeroPoint()),
                output = macOutputOf(op)](const KernelArgs &args) {
    const Tensor *bias = args.inputs.size() > 2 ? &args.inputs[2] : nullptr;
    convolution(args.inputs[0], zero, args.inputs[1], bias, args.outputs[0],
                params, output);
  };
  return kernel;
}

Kernel bindFullyConnected(FullyConnectedOp op, BindContext &context) {
  Kernel kernel;
  kernel.work = workOf(context, context.input(1).shape[1]);
  kernel.run = [zero = int64_t(op.getXZeroPoint()),
                output = macOutputOf(op)](const KernelArgs &args) {
    const Tensor *bias = args.inputs.size() > 2 ? &args.inputs[2] : nullptr;
    fullyConnected(args.inputs[0], zero, args.inputs[1], bias, args.outputs[0],
                   output);
  };
  return kernel;
}

Kernel bindMatMul(MatMulOp op, BindContext &context) {
  Kernel kernel;
  kernel.work = workOf(context, context.input(0).shape.back());
  kernel.run = [aZero = int64_t(op.getAZeroPoint()),
                bZero = int64_t(op.getBZeroPoint()),
                output = macOutputOf(op)](const KernelArgs &args) {
    matmul(args.inputs[0], aZero, args.inputs[1], bZero, args.outputs[0],
           output);
  };
  return kernel;
}

} // namespace

void addMacKernels(KernelSet &kernels) {
  kernels.add<ConvOp>(bindConv);
  kernels.add<FullyConnectedOp>(bindFullyConnected);
  kernels.add<MatMulOp>(bindMatMul);
}

} // namespace parallax::npu
