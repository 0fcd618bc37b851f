//===- Sums.cpp - Lowering of sums over windows and axes ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pooling, reductions, resize by weights, and what is known per channel.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/Kernels/Pool.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"
#include "parallax/Backend/NPU/Kernels/Resize.h"
#include "parallax/Backend/Reference/Parameters.h"

#include "llvm/ADT/TypeSwitch.h"

namespace parallax::lower {
namespace {

/// Operand and result of a layer with one of each that matters.
struct Ends {
  AffineParams from, to;
  DType fromType;
};

Refusal checkEnds(Operation *op, Ends &ends) {
  Value x = op->getOperand(0), y = op->getResult(0);
  if (!hasCodes(x) || !hasCodes(y))
    return "its operand or its result is not codes with one scale";
  ends = {affineParamsOf(x.getType()), affineParamsOf(y.getType()),
          storageOf(x.getType())};
  return {};
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The proof for a sum of `count` terms, or of their squares.
void proveSum(Operation *op, const Ends &ends, int64_t count, bool squares,
              Lowering &lowering) {
  int64_t reach = std::max(ends.from.high - ends.from.zeroPoint,
                           ends.from.zeroPoint - ends.from.low);
  int bits = npu::accumulatorBits(ends.fromType, ends.fromType);
  lowering.prove(op, npu::productBound(count, reach, squares ? reach : 1, bits),
                 bits);
}

Refusal lowerReduce(Operation *op, npu::SumKind kind, ArrayRef<int64_t> axes,
                    Lowering &lowering) {
  static constexpr StringRef words[] = {"sum", "mean", "l1", "sum_square"};
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  if (axes.empty())
    return "it reduces nothing";
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shapeOf(op->getOperand(0))[size_t(axis)];
  proveSum(op, ends, count, kind == npu::SumKind::SumSquare, lowering);
  Attributes attributes = lowering.attributes();
  attributes.setWord("kind", words[size_t(kind)])
      .set("x_zero_point", ends.from.zeroPoint)
      .setList("axes", axes)
      .setMultipliers(
          npu::sumMultiplier(kind, ends.from.scale, ends.to.scale, count));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::ReduceOp>(op, lowering.lowered(op->getOperand(0)),
                               attributes);
  return {};
}

Refusal lowerAveragePool(nn::AveragePoolOp op, Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  int64_t taps = elementCount({op.getKernel().data(), op.getKernel().size()});
  proveSum(op, ends, taps, false, lowering);
  Attributes attributes = lowering.attributes();
  attributes.set("x_zero_point", ends.from.zeroPoint)
      .setList("kernel", op.getKernel())
      .setList("strides", op.getStrides())
      .setList("pads", op.getPads())
      .setList("dilations", op.getDilations())
      .set("count_include_pad",
           attributes.builder.getBoolAttr(op.getCountIncludePad()))
      .setMultipliers(
          npu::averageMultipliers(ends.from.scale, ends.to.scale, taps));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::AveragePoolOp>(op, lowering.lowered(op.getX()),
                                    attributes);
  return {};
}

Refusal lowerResize(nn::ResizeOp op, Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  if (op.getCoordinateMode() == "tf_crop_and_resize")
    return "it takes values from outside of its input";
  std::vector<float> scales(op.getScales());
  npu::IntegerResize plan = npu::integerResize(
      kernels::ResizePlan(shapeOf(op.getX()).vec(), shapeOf(op.getY()).vec(),
                          scales, {}, reference::resizeParams(op)),
      ends.fromType);
  SmallVector<int64_t> in, out, taps;
  SmallVector<int32_t> indices, weights;
  for (const npu::IntegerResize::Axis &axis : plan.axes) {
    in.push_back(axis.in);
    out.push_back(axis.out);
    taps.push_back(axis.taps);
    llvm::append_range(indices, axis.index);
    llvm::append_range(weights, axis.weight);
  }
  Attributes attributes = lowering.attributes();
  attributes.set("x_zero_point", ends.from.zeroPoint)
      .set("outer", plan.outer)
      .set("inner", plan.inner)
      .setList("axis_in", in)
      .setList("axis_out", out)
      .setList("axis_taps", taps)
      .setList("indices", indices)
      .setList("weights", weights)
      .set32("fraction_bits", plan.fractionBits)
      .setMultipliers(
          npu::resizeMultiplier(plan, ends.from.scale, ends.to.scale));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::ResizeOp>(op, lowering.lowered(op.getX()), attributes);
  return {};
}

void emitAffine(Operation *op, const Ends &ends, int64_t axis,
                const npu::ChannelAffine &affine, Lowering &lowering) {
  Attributes attributes = lowering.attributes();
  attributes.set("x_zero_point", ends.from.zeroPoint)
      .set("axis", axis)
      .setList("factors", ArrayRef<int64_t>(affine.factors))
      .setList("offsets", ArrayRef<int64_t>(affine.offsets))
      .setList("shifts", ArrayRef<int32_t>(affine.shifts));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::AffineOp>(op, lowering.lowered(op->getOperand(0)),
                               attributes);
}

Refusal lowerBatchNormalization(nn::BatchNormalizationOp op,
                                Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  if (shapeOf(op.getX()).size() < 2)
    return "its operand has no channels";
  Tensor scale = floatConstantOf(op.getScale());
  Tensor bias = floatConstantOf(op.getBias());
  Tensor mean = floatConstantOf(op.getMean());
  Tensor var = floatConstantOf(op.getVar());
  if (scale.isNull() || bias.isNull() || mean.isNull() || var.isNull())
    return "its statistics are not constant";
  emitAffine(op, ends, 1,
             npu::batchNormAffine(
                 ends.from.scale, scale.values<float>(), bias.values<float>(),
                 mean.values<float>(), var.values<float>(),
                 op.getEpsilon().convertToFloat(), ends.to.scale),
             lowering);
  return {};
}

Refusal lowerNormalizeInput(nn::NormalizeOp op, Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  ArrayRef<float> mean = op.getMean(), std = op.getStd();
  emitAffine(op, ends, int64_t(op.getAxis()),
             npu::normalizeAffine(ends.from.scale, {mean.data(), mean.size()},
                                  {std.data(), std.size()}, ends.to.scale),
             lowering);
  return {};
}

} // namespace

Refusal lowerSums(Operation *op, Lowering &lowering) {
  using enum npu::SumKind;
  return llvm::TypeSwitch<Operation *, Refusal>(op)
      .Case(
          [&](nn::AveragePoolOp op) { return lowerAveragePool(op, lowering); })
      .Case([&](nn::GlobalAveragePoolOp op) {
        auto rank = int64_t(shapeOf(op.getX()).size());
        auto axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
        return lowerReduce(op, Mean, axes, lowering);
      })
      .Case([&](nn::ReduceMeanOp op) {
        return lowerReduce(op, Mean, op.getAxes(), lowering);
      })
      .Case([&](nn::ReduceSumOp op) {
        return lowerReduce(op, Sum, op.getAxes(), lowering);
      })
      .Case([&](nn::ReduceL1Op op) {
        return lowerReduce(op, L1, op.getAxes(), lowering);
      })
      .Case([&](nn::ReduceSumSquareOp op) {
        return lowerReduce(op, SumSquare, op.getAxes(), lowering);
      })
      .Case([&](nn::ResizeOp op) { return lowerResize(op, lowering); })
      .Case([&](nn::BatchNormalizationOp op) {
        return lowerBatchNormalization(op, lowering);
      })
      .Case(
          [&](nn::NormalizeOp op) { return lowerNormalizeInput(op, lowering); })
      .Default(Refusal(""));
}

} // namespace parallax::lower
