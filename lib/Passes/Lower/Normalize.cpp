//===- Normalize.cpp - Lowering of softmax and normalizations -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that need statistics of a whole row: tables of exponentials,
// learned scales as integers, and the positions of rows and channels.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Normalize.h"

#include "llvm/ADT/TypeSwitch.h"

namespace parallax::lower {
namespace {

int64_t countFrom(ArrayRef<int64_t> shape, size_t axis) {
  return elementCount({shape.data() + axis, shape.size() - axis});
}

int64_t normalizedAxis(int64_t axis, ArrayRef<int64_t> shape) {
  return axis < 0 ? axis + int64_t(shape.size()) : axis;
}

Refusal checkCodesAtBothEnds(Operation *op) {
  if (!hasCodes(op->getOperand(0)) || !hasCodes(op->getResult(0)))
    return "its operand or its result is not codes with one scale";
  return {};
}

void setExponents(Attributes &attributes, const npu::ExponentTable &table) {
  attributes.setList("fine", ArrayRef<int64_t>(table.fine))
      .setList("coarse", ArrayRef<int64_t>(table.coarse));
}

template <typename OpTy> Refusal lowerSoftmax(OpTy op, Lowering &lowering) {
  if (Refusal refusal = checkCodesAtBothEnds(op))
    return refusal;
  Value x = op.getX();
  AffineParams from = affineParamsOf(x.getType());
  AffineParams to = affineParamsOf(op.getY().getType());
  DType type = storageOf(x.getType());
  Attributes attributes = lowering.attributes();
  attributes.set("axis", normalizedAxis(int64_t(op.getAxis()), shapeOf(x)));
  lowering.setOutput(attributes, to);
  if constexpr (std::is_same_v<OpTy, nn::SoftmaxOp>) {
    npu::SoftmaxTables tables = npu::softmaxTables(type, from.scale, to.scale,
                                                   lowering.multiplierBits());
    setExponents(attributes, tables.exponents);
    attributes.setMultipliers(tables.multiplier);
    lowering.emit<npu::SoftmaxOp>(op, lowering.lowered(x), attributes);
  } else {
    npu::LogSoftmaxTables tables = npu::logSoftmaxTables(
        type, from.scale, to.scale, lowering.multiplierBits());
    setExponents(attributes, tables.exponents);
    attributes.setList("logarithms", ArrayRef<int64_t>(tables.logarithms))
        .set("distance", tables.distance)
        .set("logarithm", tables.logarithm)
        .set32("shift", tables.shift);
    lowering.emit<npu::LogSoftmaxOp>(op, lowering.lowered(x), attributes);
  }
  return {};
}

/// A normalization of rows; `scale` and `bias` may be null. Rows are the last
/// dimensions after a permutation, if there is one.
struct RowNorm {
  npu::NormKind kind;
  npu::NormRows rows;
  float epsilon;
  Value scale, bias;
  SmallVector<int64_t> permutation = {};
};

/// Makes the operation, between two transpositions if rows don't lie together.
void emitRows(Operation *op, ArrayRef<int64_t> permutation,
              const Attributes &attributes, Lowering &lowering) {
  Value x = op->getOperand(0);
  if (permutation.empty()) {
    lowering.emit<npu::NormalizeOp>(op, lowering.lowered(x), attributes);
    return;
  }
  SmallVector<int64_t> shape, inverse(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation)) {
    shape.push_back(shapeOf(x)[size_t(from)]);
    inverse[size_t(from)] = int64_t(to);
  }
  auto typeOf = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).clone(shape);
  };
  Attributes forth = lowering.attributes(), back = lowering.attributes();
  Value rows = lowering.emitHelper<nn::TransposeOp>(
      op, "_rows", lowering.lowered(x), forth.setList("perm", permutation),
      typeOf(x));
  Value normal = lowering.emitHelper<npu::NormalizeOp>(
      op, "_normal", rows, attributes, typeOf(op->getResult(0)));
  lowering.emit<nn::TransposeOp>(op, normal,
                                 back.setList("perm", ArrayRef(inverse)));
}

/// The dimensions with `axes` last; nothing if they are already, but for
/// dimensions of extent 1.
SmallVector<int64_t> withLast(ArrayRef<int64_t> axes, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result, moved;
  bool isPlain = true;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    bool isLast = llvm::is_contained(axes, int64_t(axis));
    isPlain = isPlain && (isLast || extent == 1 || moved.empty());
    if (isLast && extent > 1)
      moved.push_back(int64_t(axis));
    else
      result.push_back(int64_t(axis));
  }
  if (isPlain)
    return {};
  llvm::append_range(result, moved);
  return result;
}

Refusal lowerRows(Operation *op, const RowNorm &norm, Lowering &lowering) {
  static constexpr StringRef words[] = {"centered", "rms", "l2"};
  if (Refusal refusal = checkCodesAtBothEnds(op))
    return refusal;
  if (norm.rows.count < 1 || norm.rows.count > (1 << 24))
    return "its rows have no element or more than 2^24";
  Tensor gamma = norm.scale ? floatConstantOf(norm.scale) : Tensor();
  Tensor beta = norm.bias ? floatConstantOf(norm.bias) : Tensor();
  if ((norm.scale && gamma.isNull()) || (norm.bias && beta.isNull()))
    return "its scale or its bias is not constant";
  int64_t entries = norm.rows.groups * (norm.rows.count / norm.rows.inner);
  for (const Tensor *learned : {&gamma, &beta})
    if (!learned->isNull() && learned->size() != entries)
      return "its scale or its bias broadcasts";
  auto spanOf = [](const Tensor &tensor) {
    return tensor.isNull() ? std::span<const float>() : tensor.values<float>();
  };
  AffineParams from = affineParamsOf(op->getOperand(0).getType());
  AffineParams to = affineParamsOf(op->getResult(0).getType());
  npu::NormCoefficients coefficients = npu::normCoefficients(
      norm.kind, from.scale, norm.rows.count, norm.epsilon, spanOf(gamma),
      spanOf(beta), to.scale, lowering.multiplierBits());
  Attributes attributes = lowering.attributes();
  auto epsilon = static_cast<unsigned __int128>(coefficients.epsilon);
  uint64_t words64[] = {uint64_t(epsilon), uint64_t(epsilon >> 64)};
  attributes.setWord("kind", words[size_t(norm.kind)])
      .set("x_zero_point", from.zeroPoint)
      .set("count", norm.rows.count)
      .set("groups", norm.rows.groups)
      .set("inner", norm.rows.inner)
      .setList("factors", ArrayRef<int64_t>(coefficients.factors))
      .setList("offsets", ArrayRef<int64_t>(coefficients.offsets))
      .set32("shift", coefficients.shift)
      .set32("fraction_bits", coefficients.fractionBits)
      .set("epsilon", attributes.builder.getIntegerAttr(
                          attributes.builder.getIntegerType(128),
                          llvm::APInt(128, words64)));
  lowering.setOutput(attributes, to);
  emitRows(op, norm.permutation, attributes, lowering);
  return {};
}

Refusal lowerLayerNorm(nn::LayerNormalizationOp op, Lowering &lowering) {
  if (op.getNumResults() > 1)
    return "its statistics are results";
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  auto axis = size_t(normalizedAxis(int64_t(op.getAxis()), shape));
  return lowerRows(op,
                   {npu::NormKind::Centered,
                    {countFrom(shape, axis), 1, 1},
                    op.getEpsilon().convertToFloat(),
                    op.getScale(),
                    op.getBias()},
                   lowering);
}

Refusal lowerRmsNorm(nn::RMSNormalizationOp op, Lowering &lowering) {
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  auto axis = size_t(normalizedAxis(int64_t(op.getAxis()), shape));
  return lowerRows(op,
                   {npu::NormKind::Rms,
                    {countFrom(shape, axis), 1, 1},
                    op.getEpsilon().convertToFloat(),
                    op.getScale(),
                    {}},
                   lowering);
}

/// Groups of channels with all their positions.
template <typename OpTy>
Refusal lowerChannels(OpTy op, int64_t groups, Lowering &lowering) {
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  int64_t pixels = countFrom(shape, 2);
  if (groups < 1)
    return "it has no channels";
  return lowerRows(op,
                   {npu::NormKind::Centered,
                    {shape[1] / groups * pixels, groups, pixels},
                    op.getEpsilon().convertToFloat(),
                    op.getScale(),
                    op.getBias()},
                   lowering);
}

Refusal lowerL2(nn::LpNormalizationOp op, Lowering &lowering) {
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  int64_t axis = normalizedAxis(int64_t(op.getAxis()), shape);
  if (int64_t(op.getP()) != 2)
    return "it is not a Euclidean norm";
  // A norm that is not 0 is at least one step.
  if (hasCodes(op.getX()) && op.getEpsilon().convertToFloat() >
                                 affineParamsOf(op.getX().getType()).scale)
    return "its epsilon is more than a step of its operand";
  return lowerRows(op,
                   {npu::NormKind::L2,
                    {shape[size_t(axis)], 1, 1},
                    0,
                    {},
                    {},
                    withLast(axis, shape)},
                   lowering);
}

Refusal lowerMeanVariance(nn::MeanVarianceNormalizationOp op,
                          Lowering &lowering) {
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  SmallVector<int64_t> axes;
  int64_t count = 1;
  for (int64_t axis : op.getAxes()) {
    axes.push_back(normalizedAxis(axis, shape));
    count *= shape[size_t(axes.back())];
  }
  // The operator adds 1e-9 to a deviation, which is nothing beside steps.
  if (hasCodes(op.getX()) && affineParamsOf(op.getX().getType()).scale < 1e-6f)
    return "its operand has steps of less than 1e-6";
  return lowerRows(op,
                   {npu::NormKind::Centered,
                    {count, 1, 1},
                    0,
                    {},
                    {},
                    withLast(axes, shape)},
                   lowering);
}

} // namespace

Outcome lowerNormalize(Operation *op, Lowering &lowering) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<nn::SoftmaxOp, nn::LogSoftmaxOp>(
          [&](auto op) { return lowerSoftmax(op, lowering); })
      .Case([&](nn::LayerNormalizationOp op) {
        return lowerLayerNorm(op, lowering);
      })
      .Case(
          [&](nn::RMSNormalizationOp op) { return lowerRmsNorm(op, lowering); })
      .Case([&](nn::GroupNormalizationOp op) {
        return lowerChannels(op, int64_t(op.getNumGroups()), lowering);
      })
      .Case([&](nn::InstanceNormalizationOp op) {
        return lowerChannels(op, shapeOf(op.getX())[1], lowering);
      })
      .Case([&](nn::LpNormalizationOp op) { return lowerL2(op, lowering); })
      .Case([&](nn::MeanVarianceNormalizationOp op) {
        return lowerMeanVariance(op, lowering);
      })
      .Default(Outcome::noRule());
}

} // namespace parallax::lower
