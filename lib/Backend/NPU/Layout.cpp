//===- Layout.cpp - Movement of codes -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Codes move as elements of the float engine do. Here are the operators that
// can also move them with the channels innermost, where convolutions leave
// them; everything else is handed on to that engine.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Layout.h"
#include "Binding.h"
#include "parallax/Backend/Kernels/StridedCopy.h"
#include "parallax/Backend/NPU/Kernels/ChannelPool.h"
#include "parallax/Backend/Reference/Parameters.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::npu {

Kernel makeReorder(const ValueInfo &from, Layout to) {
  if (from.dtype == DType::F32)
    return referenceKernels().makeReorder(from, to);
  ValueInfo target = from;
  target.layout = to;
  bool spreads = from.layout.isPlain();
  if (!hasChannelsInnermost(spreads ? target : from) ||
      (!spreads && !to.isPlain()))
    throw Error("codes have no layout in blocks of channels");
  int64_t channels = from.shape[1];
  int64_t pixels = elementCount(std::span(from.shape).subspan(2));
  return {[=, batch = from.shape[0],
           size = sizeOf(from.dtype)](const KernelArgs &args) {
    Shape plain{channels * pixels, pixels, 1};
    Shape innermost{channels * pixels, 1, channels};
    kernels::LoopNest<2> nest{
        {batch, channels, pixels},
        {spreads ? innermost : plain, spreads ? plain : innermost}};
    kernels::stridedCopy(args.outputs[0].rawData(), args.inputs[0].rawData(),
                         size, std::move(nest));
  }};
}

namespace {

/// Registers a binder for codes whose channels are innermost; without a kernel
/// from it, that of the float engine serves.
template <typename OpTy, typename Bind>
void addMovement(KernelSet &kernels, Bind bind) {
  kernels.add<OpTy>([bind](OpTy op, BindContext &context) -> Kernel {
    bool isInnermost = false;
    for (size_t i = 0; i < context.inputCount(); ++i)
      isInnermost |= isCode(context.input(i).dtype) &&
                     hasChannelsInnermost(context.input(i));
    if (isInnermost)
      if (std::optional<Kernel> kernel = bind(op, context))
        return *kernel;
    // A binder of the float engine may follow the layout, so it is hidden.
    for (KernelBuilder::Input &input : context.inputs)
      if (isCode(input.info.dtype))
        input.info.layout = {};
    return (*referenceKernels().find(OpTy::getOperationName()))(op, context);
  });
}

/// One channel is row-major in either layout, and only lacks a dimension.
Tensor withRank(const Tensor &tensor, size_t rank) {
  Shape shape = tensor.shape();
  if (shape.size() < rank)
    shape.push_back(1);
  return tensor.reshaped(shape);
}

int64_t normalizedAxis(int64_t axis, size_t rank) {
  return axis < 0 ? axis + int64_t(rank) : axis;
}

/// The axis of [N, C, spatial...] in [N, 1, spatial..., C].
int64_t physicalAxis(int64_t axis, size_t rank) {
  return axis == 1 ? int64_t(rank) : axis;
}

std::optional<Kernel> bindConcat(nn::ConcatOp op, BindContext &context) {
  const ValueInfo &y = context.output(0);
  for (size_t i = 0; i < context.inputCount(); ++i)
    context.wantLayout(i, channelsInnermost(context.input(i)));
  context.setOutputLayout(0, channelsInnermost(y));
  size_t rank = y.shape.size();
  int64_t axis =
      physicalAxis(normalizedAxis(int64_t(op.getAxis()), rank), rank);
  return Kernel{[axis](const KernelArgs &args) {
    SmallVector<Tensor> views;
    SmallVector<const Tensor *> inputs;
    size_t rank = size_t(args.outputs[0].rank());
    for (const Tensor &input : args.inputs)
      views.push_back(withRank(input, rank));
    for (const Tensor &view : views)
      inputs.push_back(&view);
    kernels::concat({inputs.data(), inputs.size()}, args.outputs[0], axis);
  }};
}

std::optional<Kernel> bindSplit(nn::SplitOp op, BindContext &context) {
  const ValueInfo &x = context.input(0);
  context.wantLayout(0, channelsInnermost(x));
  for (size_t i = 0; i < context.outputCount(); ++i)
    context.setOutputLayout(i, channelsInnermost(context.output(i)));
  size_t rank = x.shape.size();
  int64_t axis =
      physicalAxis(normalizedAxis(int64_t(op.getAxis()), rank), rank);
  return Kernel{[axis](const KernelArgs &args) {
    SmallVector<Tensor> views;
    SmallVector<Tensor *> outputs;
    size_t rank = size_t(args.inputs[0].rank());
    for (const Tensor &output : args.outputs)
      views.push_back(withRank(output, rank));
    for (Tensor &view : views)
      outputs.push_back(&view);
    kernels::split(args.inputs[0], {outputs.data(), outputs.size()}, axis);
  }};
}

std::optional<Kernel> bindSlice(nn::SliceOp op, BindContext &context) {
  const ValueInfo &x = context.input(0), &y = context.output(0);
  context.wantLayout(0, channelsInnermost(x));
  context.setOutputLayout(0, channelsInnermost(y));
  Shape starts = op.getStarts().vec(), steps = op.getSteps().vec();
  starts.push_back(starts[1]);
  steps.push_back(steps[1]);
  starts[1] = 0;
  steps[1] = 1;
  return Kernel{[starts, steps](const KernelArgs &args) {
    Tensor y = withRank(args.outputs[0], starts.size());
    kernels::slice(args.inputs[0], y, starts, steps);
  }};
}

std::optional<Kernel> bindMaxPool(nn::MaxPoolOp op, BindContext &context) {
  const ValueInfo &x = context.input(0), &y = context.output(0);
  context.wantLayout(0, channelsInnermost(x));
  context.setOutputLayout(0, channelsInnermost(y));
  auto pool = std::make_shared<ChannelPool>(x.shape, y.shape,
                                            reference::poolParams(op));
  return Kernel{[pool](const KernelArgs &args) {
    pool->max(args.inputs[0], args.outputs[0]);
  }};
}

std::optional<Kernel> bindShuffle(nn::ChannelShuffleOp op,
                                  BindContext &context) {
  const ValueInfo &x = context.input(0);
  context.wantLayout(0, channelsInnermost(x));
  context.setOutputLayout(0, channelsInnermost(x));
  int64_t groups = int64_t(op.getGroups()), channels = x.shape[1];
  return Kernel{[=](const KernelArgs &args) {
    int64_t pixels = args.inputs[0].size() / channels, part = channels / groups;
    Tensor y = args.outputs[0].reshaped({pixels, part, groups});
    kernels::transpose(args.inputs[0].reshaped({pixels, groups, part}), y,
                       std::array<int64_t, 3>{0, 2, 1});
  }};
}

/// To [N, spatial..., C] nothing has to move.
std::optional<Kernel> bindTranspose(nn::TransposeOp op, BindContext &context) {
  ArrayRef<int64_t> perm = op.getPerm();
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != (i == 0 ? 0 : i + 1 == perm.size() ? 1 : int64_t(i) + 1))
      return std::nullopt;
  context.wantLayout(0, channelsInnermost(context.input(0)));
  context.setAlias(0);
  return Kernel();
}

} // namespace

void addLayoutKernels(KernelSet &kernels) {
  addMovement<nn::ConcatOp>(kernels, bindConcat);
  addMovement<nn::SplitOp>(kernels, bindSplit);
  addMovement<nn::SliceOp>(kernels, bindSlice);
  addMovement<nn::MaxPoolOp>(kernels, bindMaxPool);
  addMovement<nn::ChannelShuffleOp>(kernels, bindShuffle);
  addMovement<nn::TransposeOp>(kernels, bindTranspose);
}

} // namespace parallax::npu
