//===- Reduce.cpp - Kernels of reductions ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, and what else walks along an axis.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Reduce.h"
#include "Binding.h"
#include "Pool.h"
#include "parallax/Backend/Kernels/Scan.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::reference {
namespace {

using kernels::ReduceKind;

/// True if all dimensions after the channels are reduced and kept as ones.
bool isSpatial(const Shape &x, ArrayRef<int64_t> axes, bool keepdims) {
  if (!keepdims || x.size() < 3 || axes.size() != x.size() - 2)
    return false;
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != int64_t(i) + 2)
      return false;
  return true;
}

template <typename OpTy> void addReduce(KernelSet &kernels, ReduceKind kind) {
  kernels.add<OpTy>([kind](OpTy op, BindContext &context) -> Kernel {
    const ValueInfo &x = context.input(0);
    if (kind == ReduceKind::Mean && !x.layout.isPlain() &&
        isSpatial(x.shape, op.getAxes(), op.getKeepdims()))
      return bindGlobalPool(context, kernels::PoolKind::Average);
    return {[kind, axes = op.getAxes().vec()](const KernelArgs &args) {
      kernels::reduce(kind, args.inputs[0], args.outputs[0], axes);
    }};
  });
}

template <typename OpTy> void addArgReduce(KernelSet &kernels, bool isMax) {
  kernels.add<OpTy>([isMax](OpTy op, BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[=, last = op.getSelectLastIndex()](const KernelArgs &args) {
      kernels::argReduce(isMax, args.inputs[0], args.outputs[0], axis, last);
    }};
  });
}

} // namespace

void addReduceKernels(KernelSet &kernels) {
  forEachReduction([&]<typename OpTy>(TypeTag<OpTy>, ReduceKind kind) {
    addReduce<OpTy>(kernels, kind);
  });
  addArgReduce<nn::ArgMaxOp>(kernels, true);
  addArgReduce<nn::ArgMinOp>(kernels, false);
  kernels.add<nn::TopKOp>([](nn::TopKOp op, BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[axis, largest = op.getLargest(),
             sorted = op.getSorted()](const KernelArgs &args) {
      kernels::topk(args.inputs[0], args.outputs[0], args.outputs[1], axis,
                    largest, sorted);
    }};
  });
  kernels.add<nn::CumSumOp>([](nn::CumSumOp op,
                               BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[axis, exclusive = op.getExclusive(),
             reverse = op.getReverse()](const KernelArgs &args) {
      kernels::cumsum(args.inputs[0], args.outputs[0], axis, exclusive,
                      reverse);
    }};
  });
}

} // namespace parallax::reference
