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

/// The proof for the weights of any output (C39).
void proveResize(Operation *op, const npu::IntegerResize &plan,
                 const Ends &ends, int bits, Lowering &lowering) {
  int64_t weights = 1;
  for (const npu::IntegerResize::Axis &axis : plan.axes) {
    int64_t greatest = 0;
    for (int64_t o = 0; o < axis.out; ++o) {
      int64_t sum = 0;
      for (int64_t t = 0; t < axis.taps; ++t)
        sum += std::abs(axis.weight[size_t(o * axis.taps + t)]);
      greatest = std::max(greatest, sum);
    }
    weights *= greatest;
  }
  lowering.prove(op, npu::productBound(weights, reachOf(ends.from), 1, bits),
                 bits);
}

SmallVector<int64_t> spatialAxes(Value value) {
  return llvm::to_vector(llvm::seq<int64_t>(2, int64_t(shapeOf(value).size())));
}

/// The proof for a sum of `count` terms, or of their squares.
void proveSum(Operation *op, const Ends &ends, int64_t count, bool squares,
              Lowering &lowering) {
  int64_t reach = reachOf(ends.from);
  int bits = lowering.accumulatorBits(ends.fromType, ends.fromType);
  lowering.prove(op, npu::productBound(count, reach, squares ? reach : 1, bits),
                 bits);
}

int64_t countAlong(Operation *op, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shapeOf(op->getOperand(0))[size_t(axis)];
  return count;
}

Refusal lowerReduce(Operation *op, npu::SumKind kind, ArrayRef<int64_t> axes,
                    Lowering &lowering) {
  static constexpr StringRef words[] = {"sum", "mean", "l1", "sum_square",
                                        "l2"};
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  if (axes.empty())
    return "it reduces nothing";
  int64_t count = countAlong(op, axes);
  bool squares = kind == npu::SumKind::SumSquare || kind == npu::SumKind::L2;
  proveSum(op, ends, count, squares, lowering);
  Attributes attributes = lowering.attributes();
  attributes.setWord("kind", words[size_t(kind)])
      .set("x_zero_point", ends.from.zeroPoint)
      .setList("axes", axes)
      .setMultipliers(npu::sumMultiplier(kind, ends.from.scale, ends.to.scale,
                                         count, lowering.multiplierBits()));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::ReduceOp>(op, lowering.lowered(op->getOperand(0)),
                               attributes);
  return {};
}

/// Logarithms of sums, or of sums of exponentials.
Refusal lowerReduceLog(Operation *op, ArrayRef<int64_t> axes, bool isExp,
                       Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  if (axes.empty())
    return "it reduces nothing";
  npu::LogSumTables tables;
  if (isExp) {
    static_cast<npu::LogSoftmaxTables &>(tables) =
        npu::logSoftmaxTables(ends.fromType, ends.from.scale, ends.to.scale,
                              lowering.multiplierBits());
  } else {
    proveSum(op, ends, countAlong(op, axes), false, lowering);
    tables = npu::logSumTables(ends.from.scale, ends.to.scale,
                               lowering.multiplierBits());
  }
  Attributes attributes = lowering.attributes();
  attributes.setWord("kind", isExp ? "sum_exp" : "sum")
      .set("x_zero_point", ends.from.zeroPoint)
      .setList("axes", axes)
      .setList("fine", ArrayRef<int64_t>(tables.exponents.fine))
      .setList("coarse", ArrayRef<int64_t>(tables.exponents.coarse))
      .setList("logarithms", ArrayRef<int64_t>(tables.logarithms))
      .set("distance", tables.distance)
      .set("offset", tables.offset)
      .set("logarithm", tables.logarithm)
      .set32("shift", tables.shift);
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::ReduceLogOp>(op, lowering.lowered(op->getOperand(0)),
                                  attributes);
  return {};
}

Refusal lowerCumSum(nn::CumSumOp op, Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  auto axis = int64_t(op.getAxis());
  if (axis < 0)
    axis += int64_t(shapeOf(op.getX()).size());
  proveSum(op, ends, shapeOf(op.getX())[size_t(axis)], false, lowering);
  Attributes attributes = lowering.attributes();
  attributes.set("x_zero_point", ends.from.zeroPoint)
      .set("axis", axis)
      .set("exclusive", op.getExclusiveAttr())
      .set("reverse", op.getReverseAttr())
      .setMultipliers(npu::sumMultiplier(npu::SumKind::Sum, ends.from.scale,
                                         ends.to.scale, 1,
                                         lowering.multiplierBits()));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::CumSumOp>(op, lowering.lowered(op.getX()), attributes);
  return {};
}

/// The sum that a p-norm is made of; null if p is neither 1 nor 2.
std::optional<npu::SumKind> normKind(uint64_t p) {
  if (p == 1)
    return npu::SumKind::L1;
  return p == 2 ? std::optional(npu::SumKind::L2) : std::nullopt;
}

Refusal lowerLpPool(nn::LpPoolOp op, Lowering &lowering) {
  Ends ends;
  if (Refusal refusal = checkEnds(op, ends))
    return refusal;
  std::optional<npu::SumKind> kind = normKind(op.getP());
  if (!kind)
    return "the NPU has norms for p = 1 and 2 only";
  int64_t taps = elementCount({op.getKernel().data(), op.getKernel().size()});
  bool isEuclidean = *kind == npu::SumKind::L2;
  proveSum(op, ends, taps, isEuclidean, lowering);
  Attributes attributes = lowering.attributes();
  attributes.setWord("kind", isEuclidean ? "l2" : "l1")
      .set("x_zero_point", ends.from.zeroPoint)
      .setList("kernel", op.getKernel())
      .setList("strides", op.getStrides())
      .setList("pads", op.getPads())
      .setList("dilations", op.getDilations())
      .setMultipliers(npu::sumMultiplier(*kind, ends.from.scale, ends.to.scale,
                                         1, lowering.multiplierBits()));
  lowering.setOutput(attributes, ends.to);
  lowering.emit<npu::LpPoolOp>(op, lowering.lowered(op.getX()), attributes);
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
      .setMultipliers(npu::averageMultipliers(ends.from.scale, ends.to.scale,
                                              taps, lowering.multiplierBits()));
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
  int bits = lowering.accumulatorBits(ends.fromType, ends.fromType);
  npu::IntegerResize plan = npu::integerResize(
      kernels::ResizePlan(shapeOf(op.getX()).vec(), shapeOf(op.getY()).vec(),
                          scales, {}, reference::resizeParams(op)),
      ends.fromType, bits);
  proveResize(op, plan, ends, bits, lowering);
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
      .setMultipliers(npu::resizeMultiplier(
          plan, ends.from.scale, ends.to.scale, lowering.multiplierBits()));
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
             npu::batchNormAffine(ends.from.scale, scale.values<float>(),
                                  bias.values<float>(), mean.values<float>(),
                                  var.values<float>(),
                                  op.getEpsilon().convertToFloat(),
                                  ends.to.scale, lowering.multiplierBits()),
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
                                  {std.data(), std.size()}, ends.to.scale,
                                  lowering.multiplierBits()),
             lowering);
  return {};
}

} // namespace

Outcome lowerSums(Operation *op, Lowering &lowering) {
  using enum npu::SumKind;
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case(
          [&](nn::AveragePoolOp op) { return lowerAveragePool(op, lowering); })
      .Case([&](nn::GlobalAveragePoolOp op) {
        return lowerReduce(op, Mean, spatialAxes(op.getX()), lowering);
      })
      .Case([&](nn::GlobalLpPoolOp op) -> Refusal {
        if (std::optional<npu::SumKind> kind = normKind(op.getP()))
          return orFloat([&] {
            return lowerReduce(op, *kind, spatialAxes(op.getX()), lowering);
          });
        return "the NPU has norms for p = 1 and 2 only";
      })
      .Case([&](nn::LpPoolOp op) {
        return orFloat([&] { return lowerLpPool(op, lowering); });
      })
      .Case([&](nn::CumSumOp op) {
        return orFloat([&] { return lowerCumSum(op, lowering); });
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
      .Case([&](nn::ReduceL2Op op) {
        return orFloat(
            [&] { return lowerReduce(op, L2, op.getAxes(), lowering); });
      })
      .Case([&](nn::ReduceLogSumOp op) {
        return orFloat(
            [&] { return lowerReduceLog(op, op.getAxes(), false, lowering); });
      })
      .Case([&](nn::ReduceLogSumExpOp op) {
        return lowerReduceLog(op, op.getAxes(), true, lowering);
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
      .Default(Outcome::noRule());
}

} // namespace parallax::lower
