//===- FloatComposites.cpp - Layers in float that look at many elements ---===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, pooling, normalizations, resize and recurrent layers.
//===----------------------------------------------------------------------===//
#include "FloatBinding.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::npu {
namespace {

using kernels::BinaryKind;
using kernels::PoolKind;
using kernels::ReduceKind;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Kernel reduction(ReduceKind kind, Shape axes) {
  return {[kind, axes = std::move(axes)](const KernelArgs &args) {
    reduceFloat(kind, args.inputs[0], args.outputs[0], axes);
  }};
}

template <typename OpTy>
void addReduce(FloatKernels &kernels, ReduceKind kind) {
  kernels.add<OpTy>("C92", [kind](OpTy op, BindContext &) {
    return reduction(kind, op.getAxes().vec());
  });
}

Shape spatialAxes(const BindContext &context) {
  Shape axes;
  for (size_t axis = 2; axis < context.input(0).shape.size(); ++axis)
    axes.push_back(int64_t(axis));
  return axes;
}

template <typename OpTy>
void addGlobalPool(FloatKernels &kernels, ReduceKind kind) {
  kernels.add<OpTy>("C92", [kind](OpTy, BindContext &context) {
    return reduction(kind, spatialAxes(context));
  });
}

/// Kernels list the taps of a window; pads alone make it as large as one likes.
void checkWindow(std::span<const int64_t> kernel) {
  constexpr int64_t most = int64_t(1) << 24;
  int64_t taps = 1;
  for (int64_t extent : kernel)
    if (__builtin_mul_overflow(taps, extent, &taps) || taps > most)
      throw Error(fmt::format("its window has more than {} elements; use a "
                              "smaller kernel",
                              most));
}

template <typename OpTy> void addPool(FloatKernels &kernels, PoolKind kind) {
  kernels.add<OpTy>("C92", [kind](OpTy op, BindContext &) -> Kernel {
    checkWindow(op.getKernel());
    return {[kind, params = reference::poolParams(op)](const KernelArgs &args) {
      poolFloat(kind, args.inputs[0], args.outputs[0], params);
    }};
  });
}

void addSums(FloatKernels &kernels) {
  reference::forEachReduction(
      [&]<typename OpTy>(TypeTag<OpTy>, ReduceKind kind) {
        addReduce<OpTy>(kernels, kind);
      });
  addPool<nn::AveragePoolOp>(kernels, PoolKind::Average);
  addPool<nn::LpPoolOp>(kernels, PoolKind::Lp);
  addPool<nn::MaxPoolOp>(kernels, PoolKind::Max);
  kernels.keepComputing<nn::MaxPoolWithIndicesOp>(
      "C92", "compares the elements of each window in their order");
  addGlobalPool<nn::GlobalAveragePoolOp>(kernels, ReduceKind::Mean);
  addGlobalPool<nn::GlobalMaxPoolOp>(kernels, ReduceKind::Max);
  kernels.add<nn::GlobalLpPoolOp>(
      "C92", [](nn::GlobalLpPoolOp op, BindContext &) -> Kernel {
        return {[p = int64_t(op.getP())](const KernelArgs &args) {
          globalLpPoolFloat(args.inputs[0], args.outputs[0], p);
        }};
      });
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

template <typename OpTy> void addSoftmax(FloatKernels &kernels, bool isLog) {
  kernels.add<OpTy>("C93", [isLog](OpTy op, BindContext &context) -> Kernel {
    int64_t axis = normalizedAxis(int64_t(op.getAxis()), context.input(0));
    return {[axis, isLog](const KernelArgs &args) {
      softmaxFloat(args.inputs[0], args.outputs[0], axis, isLog);
    }};
  });
}

/// Over the dimensions from an axis on. Scale and bias broadcast.
Kernel trailingNorm(NormKind kind, int64_t axis, float epsilon, bool hasBias,
                    bool hasStatistics, const ValueInfo &x) {
  NormRows rows;
  rows.count = elementCount(std::span(x.shape).subspan(size_t(axis)));
  return {[=](const KernelArgs &args) {
    Tensor &y = args.outputs[0];
    RowStatistics statistics;
    if (hasStatistics)
      statistics = {&args.outputs[1], &args.outputs[2]};
    normalizeFloat(kind, args.inputs[0], y, rows, epsilon, {}, {}, statistics);
    kernels::binary(BinaryKind::Mul, y, args.inputs[1], y);
    if (hasBias)
      kernels::binary(BinaryKind::Add, y, args.inputs[2], y);
  }};
}

/// Over groups of channels and all their positions.
Kernel groupNorm(const ValueInfo &x, int64_t groups, float epsilon) {
  NormRows rows;
  rows.groups = groups;
  rows.inner = elementCount(std::span(x.shape).subspan(2));
  rows.count = groups ? x.shape[1] / groups * rows.inner : 0;
  return {[rows, epsilon](const KernelArgs &args) {
    normalizeFloat(NormKind::Centered, args.inputs[0], args.outputs[0], rows,
                   epsilon, args.inputs[1].values<float>(),
                   args.inputs[2].values<float>());
  }};
}

Kernel bindBatchNorm(nn::BatchNormalizationOp op, BindContext &) {
  return {[epsilon = op.getEpsilon().convertToFloat()](const KernelArgs &args) {
    batchNormFloat(args.inputs[0],
                   {args.inputs[1], args.inputs[2], args.inputs[3],
                    args.inputs[4], epsilon},
                   args.outputs[0]);
  }};
}

Kernel bindLpNorm(nn::LpNormalizationOp op, BindContext &context) {
  int64_t axis = normalizedAxis(int64_t(op.getAxis()), context.input(0));
  return {[axis, p = int64_t(op.getP()),
           epsilon = op.getEpsilon().convertToFloat()](const KernelArgs &args) {
    lpNormFloat(args.inputs[0], args.outputs[0], axis, p, epsilon);
  }};
}

Kernel bindLrn(nn::LRNOp op, BindContext &) {
  LrnFloat params{int64_t(op.getSize()), op.getAlpha().convertToFloat(),
                  op.getBeta().convertToFloat(), op.getBias().convertToFloat()};
  return {[params](const KernelArgs &args) {
    lrnFloat(args.inputs[0], args.outputs[0], params);
  }};
}

Kernel bindMeanVariance(nn::MeanVarianceNormalizationOp op,
                        BindContext &context) {
  Shape axes;
  for (int64_t axis : op.getAxes())
    axes.push_back(normalizedAxis(axis, context.input(0)));
  return {[axes](const KernelArgs &args) {
    meanVarianceNormFloat(args.inputs[0], args.outputs[0], axes);
  }};
}

void addNormalizations(FloatKernels &kernels) {
  addSoftmax<nn::SoftmaxOp>(kernels, false);
  addSoftmax<nn::LogSoftmaxOp>(kernels, true);
  kernels.add<nn::LayerNormalizationOp>(
      "C94", [](nn::LayerNormalizationOp op, BindContext &context) {
        const ValueInfo &x = context.input(0);
        return trailingNorm(NormKind::Centered,
                            normalizedAxis(int64_t(op.getAxis()), x),
                            op.getEpsilon().convertToFloat(),
                            bool(op.getBias()), op.getWithStatistics(), x);
      });
  kernels.add<nn::RMSNormalizationOp>("C94", [](nn::RMSNormalizationOp op,
                                                BindContext &context) {
    const ValueInfo &x = context.input(0);
    return trailingNorm(NormKind::Rms, normalizedAxis(int64_t(op.getAxis()), x),
                        op.getEpsilon().convertToFloat(), false, false, x);
  });
  kernels.add<nn::GroupNormalizationOp>(
      "C94", [](nn::GroupNormalizationOp op, BindContext &context) {
        return groupNorm(context.input(0), int64_t(op.getNumGroups()),
                         op.getEpsilon().convertToFloat());
      });
  kernels.add<nn::InstanceNormalizationOp>(
      "C94", [](nn::InstanceNormalizationOp op, BindContext &context) {
        return groupNorm(context.input(0), context.input(0).shape[1],
                         op.getEpsilon().convertToFloat());
      });
  kernels.add<nn::BatchNormalizationOp>("C96", bindBatchNorm);
  kernels.add<nn::LpNormalizationOp>("C96", bindLpNorm);
  kernels.add<nn::LRNOp>("C96", bindLrn);
  kernels.add<nn::MeanVarianceNormalizationOp>("C96", bindMeanVariance);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

Kernel bindFloatResize(nn::ResizeOp op, BindContext &context) {
  kernels::ResizeParams params = reference::resizeParams(op);
  auto plan = std::make_shared<kernels::ResizePlan>(
      context.input(0).shape, context.output(0).shape,
      std::vector<float>(op.getScales()), std::vector<float>(op.getRoi()),
      params);
  if (params.mode == kernels::ResizeMode::Nearest || plan->axes.empty())
    return {[plan](const KernelArgs &args) {
      kernels::resize(*plan, args.inputs[0], args.outputs[0]);
    }};
  Kernel kernel{[plan](const KernelArgs &args) {
    resizeFloat(*plan, args.inputs[0], args.outputs[0], args.scratch);
  }};
  kernel.scratchBytes = resizeFloatScratchBytes(*plan);
  return kernel;
}

template <typename OpTy> void addRecurrent(FloatKernels &kernels) {
  kernels.add<OpTy>("C99", [](OpTy op, BindContext &) -> Kernel {
    constexpr bool isLstm = std::is_same_v<OpTy, nn::LSTMOp>;
    return {[params = reference::recurrentParams(op)](const KernelArgs &args) {
      recurrentFloat(params,
                     {args.inputs[0], args.inputs[1], &args.inputs[3],
                      &args.inputs[4], &args.inputs[5],
                      isLstm ? &args.inputs[6] : nullptr,
                      isLstm ? &args.inputs[7] : nullptr},
                     args.inputs[2],
                     {&args.outputs[0], &args.outputs[1],
                      isLstm ? &args.outputs[2] : nullptr});
    }};
  });
}

} // namespace

void addFloatComposites(FloatKernels &kernels) {
  addSums(kernels);
  addNormalizations(kernels);
  kernels.add<nn::ResizeOp>("C97", bindFloatResize);
  addRecurrent<nn::GRUOp>(kernels);
  addRecurrent<nn::LSTMOp>(kernels);
  addRecurrent<nn::RNNOp>(kernels);
}

} // namespace parallax::npu
