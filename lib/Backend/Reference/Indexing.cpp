//===- Indexing.cpp - Kernels that read or write by index -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Gather, scatter and the operators whose extent depends on data.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Indexing.h"
#include "Binding.h"
#include "parallax/Backend/Kernels/Layout.h"
#include "parallax/Backend/Kernels/Vision.h"

namespace parallax::reference {
namespace {

kernels::ScatterReduction reductionOf(StringRef word) {
  static constexpr std::array<StringRef, 5> words{"none", "add", "mul", "min",
                                                  "max"};
  return enumOf<kernels::ScatterReduction>(word, words);
}

Kernel bindNonMaxSuppression(nn::NonMaxSuppressionOp op, BindContext &context) {
  const Shape &scores = context.input(1).shape; // batch x classes x boxes
  auto perClass = int64_t(op.getMaxOutputBoxesPerClass());
  context.setOutputBound(
      0, {scores[0] * scores[1] *
              std::min(std::max<int64_t>(perClass, 0), scores[2]),
          3});
  kernels::NonMaxSuppressionParams params;
  params.maxPerClass = perClass;
  params.iouThreshold = op.getIouThreshold().convertToFloat();
  params.centerPointBox = op.getCenterPointBox();
  bool hasThreshold = bool(op.getScoreThreshold());
  float threshold = hasThreshold ? op.getScoreThreshold()->convertToFloat() : 0;
  return {[=](const KernelArgs &args) {
    kernels::NonMaxSuppressionParams bound = params;
    bound.scoreThreshold = hasThreshold ? &threshold : nullptr;
    kernels::nonMaxSuppression(args.inputs[0], args.inputs[1], args.outputs[0],
                               bound);
  }};
}

} // namespace

void addIndexingKernels(KernelSet &kernels) {
  kernels.add<nn::GatherOp>([](nn::GatherOp op,
                               BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[axis](const KernelArgs &args) {
      kernels::gather(args.inputs[0], args.inputs[1], args.outputs[0], axis);
    }};
  });
  kernels.add<nn::GatherElementsOp>([](nn::GatherElementsOp op,
                                       BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    return {[axis](const KernelArgs &args) {
      kernels::gatherElements(args.inputs[0], args.inputs[1], args.outputs[0],
                              axis);
    }};
  });
  kernels.add<nn::GatherNDOp>([](nn::GatherNDOp op, BindContext &) -> Kernel {
    return {[batchDims = int64_t(op.getBatchDims())](const KernelArgs &args) {
      kernels::gatherND(args.inputs[0], args.inputs[1], args.outputs[0],
                        batchDims);
    }};
  });
  kernels.add<nn::ScatterElementsOp>([](nn::ScatterElementsOp op,
                                        BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.input(0).shape.size());
    context.mayShare(0, 0);
    return {[axis, reduction =
                       reductionOf(op.getReduction())](const KernelArgs &args) {
      kernels::scatterElements(args.inputs[0], args.inputs[1], args.inputs[2],
                               args.outputs[0], axis, reduction);
    }};
  });
  kernels.add<nn::ScatterNDOp>([](nn::ScatterNDOp op,
                                  BindContext &context) -> Kernel {
    context.mayShare(0, 0);
    return {
        [reduction = reductionOf(op.getReduction())](const KernelArgs &args) {
          kernels::scatterND(args.inputs[0], args.inputs[1], args.inputs[2],
                             args.outputs[0], reduction);
        }};
  });
  kernels.add<nn::NonZeroOp>([](nn::NonZeroOp, BindContext &context) -> Kernel {
    const Shape &x = context.input(0).shape;
    context.setOutputBound(0, {int64_t(x.size()), elementCount(x)});
    return {[](const KernelArgs &args) {
      kernels::nonZero(args.inputs[0], args.outputs[0]);
    }};
  });
  kernels.add<nn::NonMaxSuppressionOp>(bindNonMaxSuppression);
  kernels.add<nn::OneHotOp>([](nn::OneHotOp op,
                               BindContext &context) -> Kernel {
    int64_t axis =
        normalizedAxis(int64_t(op.getAxis()), context.output(0).shape.size());
    return {[axis](const KernelArgs &args) {
      kernels::oneHot(args.inputs[0], args.inputs[1], args.outputs[0], axis);
    }};
  });
}

} // namespace parallax::reference
