//===- Pool.cpp - Kernels of pooling operators ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// oneDNN where it has the pooling, our own kernel elsewhere.
//===----------------------------------------------------------------------===//
#include "Pool.h"
#include "Binding.h"
#include "parallax/Backend/Reference/Kernels/Pool.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::reference {

using kernels::PoolKind;
using kernels::PoolParams;

PoolParams poolParams(nn::AveragePoolOp op) {
  PoolParams params = windowParams(op);
  params.countIncludePad = op.getCountIncludePad();
  return params;
}

PoolParams poolParams(nn::LpPoolOp op) {
  PoolParams params = windowParams(op);
  params.p = int64_t(op.getP());
  return params;
}

PoolParams poolParams(nn::MaxPoolOp op) { return windowParams(op); }

PoolParams poolParams(nn::MaxPoolWithIndicesOp op) { return windowParams(op); }

Kernel bindGlobalPool(BindContext &context, PoolKind kind, int64_t p) {
  const Shape &x = context.input(0).shape;
  PoolParams params;
  params.kernel.assign(x.begin() + 2, x.end());
  params.strides.assign(params.kernel.size(), 1);
  params.dilations = params.strides;
  params.padsBegin.assign(params.kernel.size(), 0);
  params.padsEnd = params.padsBegin;
  // oneDNN sums large planes one after the other; exactness over speed there.
  if (!context.input(0).layout.isPlain())
    if (Kernel kernel = kernels::makePooling(context, kind, params); kernel.run)
      return kernel;
  return {[=](const KernelArgs &args) {
    kernels::globalPool(args.inputs[0], args.outputs[0], kind, p);
  }};
}

void addPoolKernels(KernelSet &kernels) {
  kernels.add<nn::AveragePoolOp>(
      [](nn::AveragePoolOp op, BindContext &context) -> Kernel {
        PoolParams params = poolParams(op);
        if (Kernel kernel =
                kernels::makePooling(context, PoolKind::Average, params);
            kernel.run)
          return kernel;
        return {[params](const KernelArgs &args) {
          kernels::averagePool(args.inputs[0], args.outputs[0], params);
        }};
      });
  kernels.add<nn::MaxPoolOp>([](nn::MaxPoolOp op,
                                BindContext &context) -> Kernel {
    PoolParams params = poolParams(op);
    if (Kernel kernel = kernels::makePooling(context, PoolKind::Max, params);
        kernel.run)
      return kernel;
    return {[params](const KernelArgs &args) {
      kernels::maxPool(args.inputs[0], args.outputs[0], nullptr, params);
    }};
  });
  kernels.add<nn::MaxPoolWithIndicesOp>([](nn::MaxPoolWithIndicesOp op,
                                           BindContext &) -> Kernel {
    return {[params = poolParams(op),
             order = int64_t(op.getStorageOrder())](const KernelArgs &args) {
      kernels::maxPool(args.inputs[0], args.outputs[0], &args.outputs[1],
                       params, order);
    }};
  });
  kernels.add<nn::LpPoolOp>([](nn::LpPoolOp op, BindContext &) -> Kernel {
    return {[params = poolParams(op)](const KernelArgs &args) {
      kernels::lpPool(args.inputs[0], args.outputs[0], params);
    }};
  });
  kernels.add<nn::GlobalAveragePoolOp>(
      [](nn::GlobalAveragePoolOp, BindContext &context) {
        return bindGlobalPool(context, PoolKind::Average);
      });
  kernels.add<nn::GlobalMaxPoolOp>(
      [](nn::GlobalMaxPoolOp, BindContext &context) {
        return bindGlobalPool(context, PoolKind::Max);
      });
  kernels.add<nn::GlobalLpPoolOp>(
      [](nn::GlobalLpPoolOp op, BindContext &context) {
        return bindGlobalPool(context, PoolKind::Lp, int64_t(op.getP()));
      });
}

} // namespace parallax::reference
