//===- Sums.cpp - Integer sums over windows and axes ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pooling, reductions, running sums and resize by weights.
//===----------------------------------------------------------------------===//
#include "Binding.h"
#include "parallax/Backend/NPU/Kernels/ChannelPool.h"
#include "parallax/Backend/NPU/Kernels/Pool.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "parallax/Backend/NPU/Kernels/Resize.h"
#include "parallax/Backend/Reference/Parameters.h"

namespace parallax::npu {
namespace {

Kernel bindAveragePool(AveragePoolOp op, BindContext &context) {
  kernels::PoolParams params = reference::windowParams(op);
  params.countIncludePad = op.getCountIncludePad();
  const ValueInfo &x = context.input(0), &y = context.output(0);
  if (hasChannelsInnermost(x)) {
    context.wantLayout(0, x.layout);
    context.setOutputLayout(0, channelsInnermost(y));
    return {[pool = std::make_shared<ChannelPool>(x.shape, y.shape, params),
             zero = int64_t(op.getXZeroPoint()),
             multipliers = multipliersOf(op),
             output = outputOf(op)](const KernelArgs &args) {
      pool->average(args.inputs[0], zero, args.outputs[0], multipliers, output);
    }};
  }
  return {[params, zero = int64_t(op.getXZeroPoint()),
           multipliers = multipliersOf(op),
           output = outputOf(op)](const KernelArgs &args) {
    averagePool(args.inputs[0], zero, args.outputs[0], params, multipliers,
                output);
  }};
}

Kernel bindLpPool(LpPoolOp op, BindContext &) {
  return {
      [params = reference::windowParams(op), isEuclidean = op.getKind() == "l2",
       zero = int64_t(op.getXZeroPoint()), multiplier = multipliersOf(op)[0],
       output = outputOf(op)](const KernelArgs &args) {
        lpPool(args.inputs[0], zero, args.outputs[0], params, isEuclidean,
               multiplier, output);
      }};
}

Kernel bindCumSum(CumSumOp op, BindContext &) {
  return {[params = CumSumParams{int64_t(op.getAxis()), op.getExclusive(),
                                 op.getReverse()},
           zero = int64_t(op.getXZeroPoint()),
           multiplier = multipliersOf(op)[0],
           output = outputOf(op)](const KernelArgs &args) {
    cumSum(args.inputs[0], zero, args.outputs[0], params, multiplier, output);
  }};
}

Kernel bindReduceLog(ReduceLogOp op, BindContext &) {
  LogSumTables tables;
  tables.exponents = {op.getFine().vec(), op.getCoarse().vec()};
  tables.logarithms = op.getLogarithms().vec();
  tables.distance = int64_t(op.getDistance());
  tables.offset = int64_t(op.getOffset());
  tables.logarithm = int64_t(op.getLogarithm());
  tables.shift = int32_t(op.getShift());
  return {[tables, zero = int64_t(op.getXZeroPoint()),
           axes = op.getAxes().vec(),
           output = outputOf(op)](const KernelArgs &args) {
    reduceLog(args.inputs[0], zero, args.outputs[0], axes, tables, output);
  }};
}

/// Whether all dimensions after the channels are reduced: then the results are
/// the same memory in either layout.
bool isSpatial(const ValueInfo &x, const ValueInfo &y, ArrayRef<int64_t> axes) {
  return !axes.empty() && axes.front() == 2 &&
         elementCount(y.shape) == x.shape[0] * x.shape[1];
}

Kernel bindReduce(ReduceOp op, BindContext &context) {
  // The axes of pixels are the same in [N, 1, spatial..., C].
  if (const ValueInfo &x = context.input(0);
      hasChannelsInnermost(x) && isSpatial(x, context.output(0), op.getAxes()))
    context.wantLayout(0, x.layout);
  static constexpr StringRef kinds[] = {"sum", "mean", "l1", "sum_square",
                                        "l2"};
  return {[kind = enumOf<SumKind>(op.getKind(), kinds),
           zero = int64_t(op.getXZeroPoint()), axes = op.getAxes().vec(),
           multiplier = multipliersOf(op)[0],
           output = outputOf(op)](const KernelArgs &args) {
    reduceSum(kind, args.inputs[0], zero, args.outputs[0], axes, multiplier,
              output);
  }};
}

Kernel bindResize(ResizeOp op, BindContext &context) {
  auto plan = std::make_shared<IntegerResize>();
  plan->outer = int64_t(op.getOuter());
  plan->inner = int64_t(op.getInner());
  if (const ValueInfo &x = context.input(0), &y = context.output(0);
      hasChannelsInnermost(x) && x.shape[1] == y.shape[1] &&
      plan->outer % (x.shape[0] * x.shape[1]) == 0) {
    context.wantLayout(0, x.layout);
    context.setOutputLayout(0, channelsInnermost(y));
    plan->outer /= x.shape[1];
    plan->inner *= x.shape[1];
  }
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
  kernels.add<CumSumOp>(bindCumSum);
  kernels.add<LpPoolOp>(bindLpPool);
  kernels.add<ReduceLogOp>(bindReduceLog);
  kernels.add<ReduceOp>(bindReduce);
  kernels.add<ResizeOp>(bindResize);
}

} // namespace parallax::npu
