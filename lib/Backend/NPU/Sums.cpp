//===- Sums.cpp - Integer sums over windows and axes ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Average pooling, reductions and resize by weights.
//===----------------------------------------------------------------------===//
#include "Binding.h"
#include "parallax/Backend/NPU/Kernels/Pool.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "parallax/Backend/NPU/Kernels/Resize.h"

namespace parallax::npu {
namespace {

Kernel bindAveragePool(AveragePoolOp op, BindContext &) {
  ArrayRef<int64_t> pads = op.getPads();
  kernels::PoolParams params;
  params.kernel = op.getKernel().vec();
  params.strides = op.getStrides().vec();
  params.dilations = op.getDilations().vec();
  params.padsBegin = pads.take_front(pads.size() / 2).vec();
  params.padsEnd = pads.drop_front(pads.size() / 2).vec();
  params.countIncludePad = op.getCountIncludePad();
  return {[params, zero = int64_t(op.getXZeroPoint()),
           multipliers = multipliersOf(op),
           output = outputOf(op)](const KernelArgs &args) {
    averagePool(args.inputs[0], zero, args.outputs[0], params, multipliers,
                output);
  }};
}

Kernel bindReduce(ReduceOp op, BindContext &) {
  static constexpr StringRef kinds[] = {"sum", "mean", "l1", "sum_square"};
  return {[kind = enumOf<SumKind>(op.getKind(), kinds),
           zero = int64_t(op.getXZeroPoint()), axes = op.getAxes().vec(),
           multiplier = multipliersOf(op)[0],
           output = outputOf(op)](const KernelArgs &args) {
    reduceSum(kind, args.inputs[0], zero, args.outputs[0], axes, multiplier,
              output);
  }};
}

Kernel bindResize(ResizeOp op, BindContext &) {
  auto plan = std::make_shared<IntegerResize>();
  plan->outer = int64_t(op.getOuter());
  plan->inner = int64_t(op.getInner());
  plan->fractionBits = int(op.getFractionBits());
  const int32_t *index = op.getIndices().data();
  const int32_t *weight = op.getWeights().data();
  for (auto [in, out, taps] :
       llvm::zip(op.getAxisIn(), op.getAxisOut(), op.getAxisTaps())) {
    int64_t count = out * taps;
    plan->axes.push_back(
        {in, out, taps, {index, index + count}, {weight, weight + count}});
    index += count;
    weight += count;
  }
  return {[plan, zero = int64_t(op.getXZeroPoint()),
           multiplier = multipliersOf(op)[0],
           output = outputOf(op)](const KernelArgs &args) {
    resize(*plan, args.inputs[0], zero, args.outputs[0], multiplier, output);
  }};
}

} // namespace

void addSumKernels(KernelSet &kernels) {
  kernels.add<AveragePoolOp>(bindAveragePool);
  kernels.add<ReduceOp>(bindReduce);
  kernels.add<ResizeOp>(bindResize);
}

} // namespace parallax::npu
