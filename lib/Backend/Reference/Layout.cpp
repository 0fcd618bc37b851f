//===- Layout.cpp - Kernels of data movement ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Movement along whole blocks of channels, or along other dimensions, needs no
// reorder: the same kernels run on the physical shape.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Layout.h"
#include "Binding.h"
#include "parallax/Backend/Kernels/ColorConvert.h"
#include "parallax/Backend/Kernels/Vision.h"
#include "parallax/Backend/Reference/Parameters.h"
#include "parallax/Support/TensorAttr.h"

#include <cstring>

namespace parallax::reference {
namespace {

using Bytes = std::array<std::byte, 8>;

/// One element of a tensor's type.
Bytes elementOf(DType dtype, double value) {
  Bytes bytes{};
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T element;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      element = T(float(value));
    else
      element = static_cast<T>(value);
    std::memcpy(bytes.data(), &element, sizeof(T));
  });
  return bytes;
}

Kernel bindAlias(BindContext &context) {
  context.setAlias(0);
  return {};
}

Kernel bindConcat(nn::ConcatOp op, BindContext &context) {
  int64_t axis =
      normalizedAxis(int64_t(op.getAxis()), context.output(0).shape.size());
  Layout layout;
  for (size_t i = 0; i < context.inputCount(); ++i)
    if (!context.input(i).layout.isPlain())
      layout = context.input(i).layout;
  for (size_t i = 0; i < context.inputCount() && !layout.isPlain(); ++i)
    if (axis == 1 && context.input(i).shape[1] % layout.channelBlock != 0)
      layout = {};
  for (size_t i = 0; i < context.inputCount(); ++i)
    context.wantLayout(i, layout);
  context.setOutputLayout(0, layout);
  return {[axis](const KernelArgs &args) {
    // Few operands: no allocation on the way.
    SmallVector<const Tensor *> inputs;
    for (const Tensor &input : args.inputs)
      inputs.push_back(&input);
    kernels::concat(
        std::span<const Tensor *const>(inputs.data(), inputs.size()),
        args.outputs[0], axis);
  }};
}

Kernel bindSplit(nn::SplitOp op, BindContext &context) {
  int64_t axis =
      normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
  Layout layout = context.input(0).layout;
  if (!layout.isPlain() && axis == 1)
    for (int64_t size : op.getSizes())
      if (size % layout.channelBlock != 0)
        layout = {};
  context.wantLayout(0, layout);
  for (size_t i = 0; i < context.outputCount(); ++i)
    context.setOutputLayout(i, layout);
  return {[axis](const KernelArgs &args) {
    SmallVector<Tensor *> outputs;
    for (Tensor &output : args.outputs)
      outputs.push_back(&output);
    kernels::split(args.inputs[0],
                   std::span<Tensor *const>(outputs.data(), outputs.size()),
                   axis);
  }};
}

Kernel bindSlice(nn::SliceOp op, BindContext &context) {
  const ValueInfo &x = context.input(0);
  Shape starts = op.getStarts().vec(), steps = op.getSteps().vec();
  Layout layout = x.layout;
  if (!layout.isPlain()) {
    int64_t block = layout.channelBlock, size = op.getSizes()[1];
    bool isWhole = size == x.shape[1] && steps[1] == 1;
    bool isBlocks =
        steps[1] == 1 && starts[1] % block == 0 && size % block == 0;
    if (isWhole || isBlocks) {
      starts[1] /= block;
      starts.push_back(0);
      steps.push_back(1);
    } else {
      layout = {};
    }
  }
  context.wantLayout(0, layout);
  context.setOutputLayout(0, layout);
  return {[starts, steps](const KernelArgs &args) {
    kernels::slice(args.inputs[0], args.outputs[0], starts, steps);
  }};
}

Kernel bindPad(nn::PadOp op, BindContext &context) {
  static constexpr std::array<StringRef, 4> modes{"constant", "reflect", "edge",
                                                  "wrap"};
  const ValueInfo &x = context.input(0);
  size_t rank = x.shape.size();
  Shape begins = op.getPads().take_front(rank).vec();
  Layout layout = x.layout;
  if (!layout.isPlain()) {
    // A value other than zero would also fill up the last block.
    bool keepsZeros =
        fillsBlocks(x) || op.getMode() != "constant" || op.getValue().isZero();
    if (begins[1] == 0 && op.getPads()[rank + 1] == 0 && keepsZeros)
      begins.push_back(0);
    else
      layout = {};
  }
  context.wantLayout(0, layout);
  context.setOutputLayout(0, layout);
  auto mode = enumOf<kernels::PadMode>(op.getMode(), modes);
  Bytes value = elementOf(x.dtype, op.getValue().convertToDouble());
  return {[=](const KernelArgs &args) {
    kernels::pad(args.inputs[0], args.outputs[0], begins, mode, value.data());
  }};
}

Kernel bindResize(nn::ResizeOp op, BindContext &context) {
  const ValueInfo &x = context.input(0);
  std::vector<float> scales(op.getScales()), roi(op.getRoi());
  Layout layout = x.layout;
  if (!layout.isPlain() &&
      (context.output(0).shape[1] != x.shape[1] || !roi.empty()))
    layout = {};
  if (!layout.isPlain())
    scales.push_back(1);
  context.wantLayout(0, layout);
  context.setOutputLayout(0, layout);
  auto plan = std::make_shared<kernels::ResizePlan>(
      physicalShape(x.shape, layout),
      physicalShape(context.output(0).shape, layout), scales, roi,
      resizeParams(op));
  return {[plan](const KernelArgs &args) {
    kernels::resize(*plan, args.inputs[0], args.outputs[0]);
  }};
}

Kernel bindColorConvert(nn::ColorConvertOp op, BindContext &) {
  static constexpr std::array<StringRef, 4> formats{"YUV420SP", "YVU420SP",
                                                    "YUYV422", "UYVY422"};
  kernels::ColorConvertParams params;
  params.format = enumOf<kernels::YuvFormat>(op.getFormat(), formats);
  params.matrix = op.getMatrix().vec();
  params.minLuma = int64_t(op.getMinLuma());
  return {[params](const KernelArgs &args) {
    kernels::colorConvert(args.inputs[0], args.outputs[0], params);
  }};
}

Kernel bindGridSample(nn::GridSampleOp op, BindContext &) {
  static constexpr std::array<StringRef, 3> modes{"linear", "nearest", "cubic"};
  static constexpr std::array<StringRef, 3> paddings{"zeros", "border",
                                                     "reflection"};
  return {
      [mode = enumOf<kernels::GridMode>(op.getMode(), modes),
       padding = enumOf<kernels::GridPadding>(op.getPaddingMode(), paddings),
       corners = op.getAlignCorners()](const KernelArgs &args) {
        kernels::gridSample(args.inputs[0], args.inputs[1], args.outputs[0],
                            mode, padding, corners);
      }};
}

Kernel bindRoiAlign(nn::RoiAlignOp op, BindContext &) {
  kernels::RoiAlignParams params;
  params.isMax = op.getMode() == "max";
  params.samplingRatio = int64_t(op.getSamplingRatio());
  params.spatialScale = op.getSpatialScale().convertToFloat();
  params.halfPixel = op.getCoordinateMode() == "half_pixel";
  return {[params](const KernelArgs &args) {
    kernels::roiAlign(args.inputs[0], args.inputs[1], args.inputs[2],
                      args.outputs[0], params);
  }};
}

} // namespace

kernels::ResizeParams resizeParams(nn::ResizeOp op) {
  static constexpr std::array<StringRef, 3> modes{"nearest", "linear", "cubic"};
  static constexpr std::array<StringRef, 7> coordinates{
      "half_pixel",        "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",     "asymmetric",           "tf_half_pixel_for_nn",
      "tf_crop_and_resize"};
  static constexpr std::array<StringRef, 4> nearest{
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  kernels::ResizeParams params;
  params.mode = enumOf<kernels::ResizeMode>(op.getMode(), modes);
  params.coordinates =
      enumOf<kernels::CoordinateMode>(op.getCoordinateMode(), coordinates);
  params.nearest = enumOf<kernels::NearestMode>(op.getNearestMode(), nearest);
  params.cubicCoeffA = op.getCubicCoeffA().convertToFloat();
  params.excludeOutside = op.getExcludeOutside();
  params.extrapolationValue = op.getExtrapolationValue().convertToFloat();
  params.antialias = op.getAntialias();
  return params;
}

void addLayoutKernels(KernelSet &kernels) {
  kernels.add<nn::ReshapeOp>(
      [](nn::ReshapeOp, BindContext &context) { return bindAlias(context); });
  kernels.add<nn::ConcatOp>(bindConcat);
  kernels.add<nn::SplitOp>(bindSplit);
  kernels.add<nn::SliceOp>(bindSlice);
  kernels.add<nn::PadOp>(bindPad);
  kernels.add<nn::ResizeOp>(bindResize);
  kernels.add<nn::ColorConvertOp>(bindColorConvert);
  kernels.add<nn::GridSampleOp>(bindGridSample);
  kernels.add<nn::RoiAlignOp>(bindRoiAlign);
  kernels.add<nn::TransposeOp>([](nn::TransposeOp op, BindContext &) -> Kernel {
    return {[perm = op.getPerm().vec()](const KernelArgs &args) {
      kernels::transpose(args.inputs[0], args.outputs[0], perm);
    }};
  });
  kernels.add<nn::ExpandOp>([](nn::ExpandOp, BindContext &) -> Kernel {
    return {[](const KernelArgs &args) {
      kernels::expand(args.inputs[0], args.outputs[0]);
    }};
  });
  kernels.add<nn::TileOp>([](nn::TileOp, BindContext &) -> Kernel {
    return {[](const KernelArgs &args) {
      kernels::tile(args.inputs[0], args.outputs[0]);
    }};
  });
  kernels.add<nn::DepthToSpaceOp>(
      [](nn::DepthToSpaceOp op, BindContext &) -> Kernel {
        return {[block = int64_t(op.getBlocksize()),
                 crd = op.getMode() == "CRD"](const KernelArgs &args) {
          kernels::depthToSpace(args.inputs[0], args.outputs[0], block, crd);
        }};
      });
  kernels.add<nn::SpaceToDepthOp>(
      [](nn::SpaceToDepthOp op, BindContext &) -> Kernel {
        return {[block = int64_t(op.getBlocksize())](const KernelArgs &args) {
          kernels::spaceToDepth(args.inputs[0], args.outputs[0], block);
        }};
      });
  kernels.add<nn::ChannelShuffleOp>(
      [](nn::ChannelShuffleOp op, BindContext &) -> Kernel {
        return {[groups = int64_t(op.getGroups())](const KernelArgs &args) {
          kernels::channelShuffle(args.inputs[0], args.outputs[0], groups);
        }};
      });
  kernels.add<nn::TriluOp>([](nn::TriluOp op, BindContext &) -> Kernel {
    return {[k = int64_t(op.getK()),
             upper = op.getUpper()](const KernelArgs &args) {
      kernels::trilu(args.inputs[0], args.outputs[0], k, upper);
    }};
  });
  kernels.add<nn::ReverseSequenceOp>(
      [](nn::ReverseSequenceOp op, BindContext &) -> Kernel {
        return {[batch = int64_t(op.getBatchAxis()),
                 time = int64_t(op.getTimeAxis())](const KernelArgs &args) {
          kernels::reverseSequence(args.inputs[0], args.inputs[1],
                                   args.outputs[0], batch, time);
        }};
      });
}

} // namespace parallax::reference
