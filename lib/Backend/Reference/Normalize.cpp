//===- Normalize.cpp - Kernels of normalizations --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalization is a scale and a shift per channel and follows the
// layout of its operand; the others compute statistics over plain tensors.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Normalize.h"
#include "Binding.h"
#include "Fusion.h"
#include "parallax/Backend/Reference/Kernels/ScaleShift.h"

namespace parallax::reference {
namespace {

Kernel bindBatchNorm(nn::BatchNormalizationOp op, BindContext &context) {
  float epsilon = op.getEpsilon().convertToFloat();
  bool isKnown = context.input(0).dtype == DType::F32;
  for (size_t i = 1; i < 5; ++i)
    isKnown &= context.constant(i) != nullptr;
  if (!isKnown)
    return {[epsilon](const KernelArgs &args) {
      kernels::batchNorm(args.inputs[0], args.inputs[1], args.inputs[2],
                         args.inputs[3], args.inputs[4], args.outputs[0],
                         epsilon);
    }};
  kernels::ChannelAffine affine = channelAffine(context, 1, epsilon);
  Layout layout = followOperand(context);
  context.mayShare(0, 0);
  // Channels that only fill up the last block stay zero.
  auto channels = int64_t(affine.scale.size());
  int64_t padded = (channels + layout.channelBlock - 1) / layout.channelBlock *
                   layout.channelBlock;
  affine.scale.resize(size_t(padded), 0);
  affine.shift.resize(size_t(padded), 0);
  auto mul =
      Tensor::fromValues<float>({padded}, std::span<const float>(affine.scale));
  auto add =
      Tensor::fromValues<float>({padded}, std::span<const float>(affine.shift));
  bool relu = !context.absorbed.empty();
  return {[mul, add, layout, relu](const KernelArgs &args) {
    kernels::scaleShiftBlocks(args.inputs[0], mul, add, args.outputs[0],
                              layout.channelBlock, relu);
  }};
}

template <typename OpTy> void addSoftmax(KernelSet &kernels, bool log) {
  kernels.add<OpTy>([log](OpTy op, BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[=](const KernelArgs &args) {
      kernels::softmax(args.inputs[0], args.outputs[0], axis, log);
    }};
  });
}

Kernel bindNormalize(nn::NormalizeOp op, BindContext &context) {
  context.mayShare(0, 0);
  int64_t axis =
      normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
  return {[mean = op.getMean().vec(), std = op.getStd().vec(),
           axis](const KernelArgs &args) {
    kernels::normalize(args.inputs[0], args.outputs[0], mean, std, axis);
  }};
}

Kernel bindLayerNorm(nn::LayerNormalizationOp op, BindContext &context) {
  int64_t axis =
      normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
  return {[axis, epsilon = op.getEpsilon().convertToFloat(),
           hasBias = bool(op.getBias()),
           statistics = op.getWithStatistics()](const KernelArgs &args) {
    kernels::layerNorm(args.inputs[0], args.inputs[1],
                       hasBias ? &args.inputs[2] : nullptr, args.outputs[0],
                       statistics ? &args.outputs[1] : nullptr,
                       statistics ? &args.outputs[2] : nullptr, axis, epsilon);
  }};
}

} // namespace

void addNormalizeKernels(KernelSet &kernels) {
  kernels.add<nn::BatchNormalizationOp>(bindBatchNorm);
  kernels.add<nn::LayerNormalizationOp>(bindLayerNorm);
  kernels.add<nn::NormalizeOp>(bindNormalize);
  addSoftmax<nn::SoftmaxOp>(kernels, false);
  addSoftmax<nn::LogSoftmaxOp>(kernels, true);
  kernels.add<nn::InstanceNormalizationOp>([](nn::InstanceNormalizationOp op,
                                              BindContext &) -> Kernel {
    return {
        [epsilon = op.getEpsilon().convertToFloat()](const KernelArgs &args) {
          kernels::instanceNorm(args.inputs[0], args.inputs[1], args.inputs[2],
                                args.outputs[0], epsilon);
        }};
  });
  kernels.add<nn::GroupNormalizationOp>(
      [](nn::GroupNormalizationOp op, BindContext &) -> Kernel {
        return {[epsilon = op.getEpsilon().convertToFloat(),
                 groups = int64_t(op.getNumGroups())](const KernelArgs &args) {
          kernels::groupNorm(args.inputs[0], args.inputs[1], args.inputs[2],
                             args.outputs[0], groups, epsilon,
                             /*perChannelScale=*/true);
        }};
      });
  kernels.add<nn::RMSNormalizationOp>([](nn::RMSNormalizationOp op,
                                         BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[axis, epsilon = op.getEpsilon().convertToFloat()](
                const KernelArgs &args) {
      kernels::rmsNorm(args.inputs[0], args.inputs[1], args.outputs[0], axis,
                       epsilon);
    }};
  });
  kernels.add<nn::LpNormalizationOp>([](nn::LpNormalizationOp op,
                                        BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {
        [axis, p = int64_t(op.getP()),
         epsilon = op.getEpsilon().convertToFloat()](const KernelArgs &args) {
          kernels::lpNorm(args.inputs[0], args.outputs[0], axis, p, epsilon);
        }};
  });
  kernels.add<nn::LRNOp>([](nn::LRNOp op, BindContext &) -> Kernel {
    return {[size = int64_t(op.getSize()),
             alpha = op.getAlpha().convertToFloat(),
             beta = op.getBeta().convertToFloat(),
             bias = op.getBias().convertToFloat()](const KernelArgs &args) {
      kernels::lrn(args.inputs[0], args.outputs[0], size, alpha, beta, bias);
    }};
  });
  kernels.add<nn::MeanVarianceNormalizationOp>(
      [](nn::MeanVarianceNormalizationOp op, BindContext &) -> Kernel {
        return {[axes = op.getAxes().vec()](const KernelArgs &args) {
          kernels::meanVarianceNorm(args.inputs[0], args.outputs[0], axes);
        }};
      });
  kernels.add<nn::HardmaxOp>([](nn::HardmaxOp op,
                                BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[axis](const KernelArgs &args) {
      kernels::hardmax(args.inputs[0], args.outputs[0], axis);
    }};
  });
}

} // namespace parallax::reference
