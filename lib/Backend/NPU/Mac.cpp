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

const Tensor *biasOf(const KernelArgs &args) {
  return args.inputs.size() > 2 ? &args.inputs[2] : nullptr;
}

/// Whether operands 1 and 2 are known now, so that their packed form can be
/// made; then the kernel doesn't need them any more.
bool takeWeights(BindContext &context) {
  for (size_t i = 1; i < context.inputCount(); ++i)
    if (!context.constant(i))
      return false;
  for (size_t i = 1; i < context.inputCount(); ++i)
    context.releaseConstant(i);
  return true;
}

Kernel bindConv(ConvOp op, BindContext &context) {
  ConvParams params;
  ArrayRef<int64_t> pads = op.getPads();
  params.strides = op.getStrides().vec();
  params.dilations = op.getDilations().vec();
  params.padsBegin = pads.take_front(pads.size() / 2).vec();
  params.groups = int64_t(op.getGroup());
  params.transposed = op.getTransposed();
  const ValueInfo &x = context.input(0), &y = context.output(0);
  const Shape &weight = context.input(1).shape;
  Kernel kernel;
  kernel.work =
      macWork(context, elementCount(weight) / std::max<int64_t>(weight[0], 1));
  if (x.dtype == DType::F32) {
    kernel.run = [params](const KernelArgs &args) {
      floatConvolution(args.inputs[0], args.inputs[1], biasOf(args),
                       args.outputs[0], params);
    };
    return kernel;
  }
  context.wantLayout(0, channelsInnermost(x));
  if (y.dtype != DType::F32)
    context.setOutputLayout(0, channelsInnermost(y));
  auto makeLayer = [xType = x.dtype, yType = y.dtype, xShape = x.shape,
                    yShape = y.shape, zero = int64_t(op.getXZeroPoint()),
                    params, output = macOutputOf(op)](const Tensor &weights,
                                                      const Tensor *bias) {
    return ConvLayer{xType,   yType, xShape, yShape, zero,
                     weights, bias,  params, output};
  };
  if (takeWeights(context)) {
    const Tensor *bias =
        context.inputCount() > 2 ? context.constant(2) : nullptr;
    kernel.run = [layer = std::make_shared<Convolution>(makeLayer(
                      *context.constant(1), bias))](const KernelArgs &args) {
      layer->run(args.inputs[0], args.outputs[0]);
    };
  } else {
    kernel.run = [makeLayer](const KernelArgs &args) {
      Convolution(makeLayer(args.inputs[1], biasOf(args)))
          .run(args.inputs[0], args.outputs[0]);
    };
  }
  return kernel;
}

Kernel bindFullyConnected(FullyConnectedOp op, BindContext &context) {
  Kernel kernel;
  kernel.work = macWork(context, context.input(1).shape[1]);
  DType xType = context.input(0).dtype;
  if (xType == DType::F32) {
    kernel.run = [](const KernelArgs &args) {
      floatFullyConnected(args.inputs[0], args.inputs[1], biasOf(args),
                          args.outputs[0]);
    };
    return kernel;
  }
  auto make = [xType, zero = int64_t(op.getXZeroPoint()),
               yType = context.output(0).dtype, output = macOutputOf(op)](
                  const Tensor &weights, const Tensor *bias) {
    return std::make_shared<FullyConnected>(xType, zero, weights, bias, yType,
                                            output);
  };
  if (takeWeights(context)) {
    const Tensor *bias =
        context.inputCount() > 2 ? context.constant(2) : nullptr;
    kernel.run =
        [layer = make(*context.constant(1), bias)](const KernelArgs &args) {
          layer->run(args.inputs[0], args.outputs[0]);
        };
  } else {
    kernel.run = [make](const KernelArgs &args) {
      make(args.inputs[1], biasOf(args))->run(args.inputs[0], args.outputs[0]);
    };
  }
  return kernel;
}

Kernel bindMatMul(MatMulOp op, BindContext &context) {
  Kernel kernel;
  kernel.work = macWork(context, context.input(0).shape.back());
  if (context.input(0).dtype == DType::F32)
    kernel.run = [](const KernelArgs &args) {
      floatMatmul(args.inputs[0], args.inputs[1], args.outputs[0]);
    };
  else
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
