//===- Normalize.cpp - What normalized elements are worth -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Normalizations are products of an element and of what all elements of a line
// have in common; the factors that a layer has learned are applied before.
//===----------------------------------------------------------------------===//
#include "Adjoint.h"

#include <cmath>

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Along one axis.
AxisExtent alongAxis(const Shape &shape, int64_t axis) {
  size_t at = axisOf(axis, shape.size());
  std::span<const int64_t> dims(shape);
  return {elementCount(dims.first(at)), shape[at],
          elementCount(dims.subspan(at + 1))};
}

/// Over all dimensions from one on.
AxisExtent fromAxis(const Shape &shape, int64_t axis) {
  size_t at = axisOf(axis, shape.size());
  std::span<const int64_t> dims(shape);
  return {elementCount(dims.first(at)), elementCount(dims.subspan(at)), 1};
}

bool softmaxBack(Layer &layer, int64_t axis, bool isLog) {
  AxisExtent extent = alongAxis(layer.shapeOf(0), axis);
  layer.give(0, layer.compute(
                    layer.back,
                    [extent, isLog](const KernelArgs &args) {
                      analyze::softmaxBack(in(args, 0), in(args, 1),
                                           in(args, 2), out(args), extent,
                                           isLog);
                    },
                    {layer.gradient(), layer.quantized(0), layer.floats(0)},
                    layer.shapeOf(0)));
  return true;
}

bool normBack(Layer &layer, Value gradient, const AxisExtent &extent,
              const NormKind &kind) {
  layer.give(0, layer.compute(
                    layer.back,
                    [extent, kind](const KernelArgs &args) {
                      analyze::normBack(in(args, 0), in(args, 1), in(args, 2),
                                        out(args), extent, kind);
                    },
                    {gradient, layer.quantized(0), layer.floats(0)},
                    layer.shapeOf(0)));
  return true;
}

/// The gradient times a factor for each channel.
Value scaledByChannel(Layer &layer, const Tensor &factors) {
  Shape shape = layer.resultShape(), perChannel(shape.size(), 1);
  perChannel[shape.size() > 1 ? 1 : 0] = factors.size();
  return layer.product(layer.gradient(),
                       layer.values.constant(factors.reshaped(perChannel)),
                       shape);
}

bool layerNormBack(Layer &layer, nn::LayerNormalizationOp op) {
  for (unsigned i = 1; i < op->getNumResults(); ++i)
    if (layer.gradient(i))
      return false;
  if (!layer.isConstant(1) || (op.getBias() && !layer.isConstant(2)))
    return false;
  return normBack(
      layer,
      layer.product(layer.gradient(), layer.floats(1), layer.resultShape()),
      fromAxis(layer.shapeOf(0), int64_t(op.getAxis())),
      {true, false, op.getEpsilon().convertToFloat()});
}

bool rmsNormBack(Layer &layer, nn::RMSNormalizationOp op) {
  if (!layer.isConstant(1))
    return false;
  return normBack(
      layer,
      layer.product(layer.gradient(), layer.floats(1), layer.resultShape()),
      fromAxis(layer.shapeOf(0), int64_t(op.getAxis())),
      {false, false, op.getEpsilon().convertToFloat()});
}

bool instanceNormBack(Layer &layer, nn::InstanceNormalizationOp op) {
  if (!layer.isConstant(1) || !layer.isConstant(2))
    return false;
  Value scaled =
      scaledByChannel(layer, LayerValues::tensorOf(op->getOperand(1)).clone());
  return normBack(layer, scaled, fromAxis(layer.shapeOf(0), 2),
                  {true, false, op.getEpsilon().convertToFloat()});
}

bool groupNormBack(Layer &layer, nn::GroupNormalizationOp op) {
  Shape x = layer.shapeOf(0);
  if (!layer.isConstant(1) || !layer.isConstant(2) ||
      layer.shapeOf(1) != Shape{x[1]})
    return false;
  Value scaled =
      scaledByChannel(layer, LayerValues::tensorOf(op->getOperand(1)).clone());
  int64_t lines = x[0] * int64_t(op.getNumGroups());
  if (lines == 0)
    return false;
  return normBack(layer, scaled, {lines, elementCount(x) / lines, 1},
                  {true, false, op.getEpsilon().convertToFloat()});
}

/// Only over dimensions that lie side by side.
bool meanVarianceBack(Layer &layer, nn::MeanVarianceNormalizationOp op) {
  Shape x = layer.shapeOf(0);
  std::vector<bool> isInside(x.size());
  for (int64_t axis : op.getAxes())
    isInside[axisOf(axis, x.size())] = true;
  AxisExtent extent;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 1)
      continue;
    if (isInside[i] && extent.inner > 1)
      return false;
    (isInside[i]         ? extent.extent
     : extent.extent > 1 ? extent.inner
                         : extent.outer) *= x[i];
  }
  // The deviation gets 1e-9 added, after the root.
  return normBack(layer, layer.gradient(), extent, {true, false, 1e-18});
}

bool lpNormBack(Layer &layer, nn::LpNormalizationOp op) {
  if (op.getP() != 2 || op.getEpsilon().convertToFloat() > 1e-6f)
    return false;
  return normBack(layer, layer.gradient(),
                  alongAxis(layer.shapeOf(0), int64_t(op.getAxis())),
                  {false, true, 0});
}

bool batchNormBack(Layer &layer, nn::BatchNormalizationOp op) {
  for (unsigned i = 1; i < 5; ++i)
    if (!layer.isConstant(i))
      return false;
  Tensor scale = LayerValues::tensorOf(op->getOperand(1));
  Tensor variance = LayerValues::tensorOf(op->getOperand(4));
  Tensor factors(DType::F32, scale.shape());
  float epsilon = op.getEpsilon().convertToFloat();
  for (int64_t i = 0; i < factors.size(); ++i)
    factors.data<float>()[i] =
        scale.data<float>()[i] / std::sqrt(variance.data<float>()[i] + epsilon);
  layer.give(0, scaledByChannel(layer, factors));
  return true;
}

bool normalizeBack(Layer &layer, nn::NormalizeOp op) {
  Shape perEntry(layer.shapeOf(0).size(), 1);
  Tensor factors(DType::F32, {int64_t(op.getStd().size())});
  for (auto [i, deviation] : llvm::enumerate(op.getStd()))
    factors.data<float>()[i] = 1 / deviation;
  perEntry[axisOf(int64_t(op.getAxis()), perEntry.size())] = factors.size();
  layer.give(0, layer.product(layer.gradient(),
                              layer.values.constant(factors.reshaped(perEntry)),
                              layer.resultShape()));
  return true;
}

} // namespace

void addNormalizeAdjoints(AdjointTable &table) {
  table.add<nn::SoftmaxOp>([](Layer &layer, nn::SoftmaxOp op) {
    return softmaxBack(layer, int64_t(op.getAxis()), /*isLog=*/false);
  });
  table.add<nn::LogSoftmaxOp>([](Layer &layer, nn::LogSoftmaxOp op) {
    return softmaxBack(layer, int64_t(op.getAxis()), /*isLog=*/true);
  });
  table.add<nn::LayerNormalizationOp>(layerNormBack);
  table.add<nn::RMSNormalizationOp>(rmsNormBack);
  table.add<nn::InstanceNormalizationOp>(instanceNormBack);
  table.add<nn::GroupNormalizationOp>(groupNormBack);
  table.add<nn::MeanVarianceNormalizationOp>(meanVarianceBack);
  table.add<nn::LpNormalizationOp>(lpNormBack);
  table.add<nn::BatchNormalizationOp>(batchNormBack);
  table.add<nn::NormalizeOp>(normalizeBack);
}

} // namespace parallax::analyze
