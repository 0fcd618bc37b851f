//===- Elementwise.cpp - What single elements are worth -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A function of one number has one secant, whatever the function is. One of two
// numbers is taken along a path from one point to the other.
//===----------------------------------------------------------------------===//
#include "Adjoint.h"

#include "parallax/Backend/Reference/Parameters.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

bool unaryBack(Layer &layer) {
  Shape shape = layer.resultShape();
  Value slope = layer.slope(layer.quantized(0), layer.floats(0),
                            layer.recomputed(), layer.result(), shape);
  layer.give(0, layer.product(layer.gradient(), slope, shape));
  return true;
}

bool addBack(Layer &layer, nn::AddOp) {
  for (unsigned i = 0; i < 2; ++i)
    if (layer.wants(i))
      layer.give(i, layer.gradient());
  return true;
}

bool subBack(Layer &layer, nn::SubOp) {
  if (layer.wants(0))
    layer.give(0, layer.gradient());
  if (layer.wants(1))
    layer.give(
        1, layer.makeBack<nn::NegOp>(layer.resultShape(), layer.gradient()));
  return true;
}

bool mulBack(Layer &layer, nn::MulOp) {
  for (unsigned i = 0; i < 2; ++i)
    if (layer.wants(i))
      layer.give(i, layer.product(layer.gradient(), layer.middle(1 - i),
                                  layer.resultShape()));
  return true;
}

/// A value of the combined function, broadcast to the result.
Value expanded(Layer &layer, Value value, const Shape &from) {
  Shape to = layer.resultShape();
  return from == to ? value : layer.once([&] {
    return layer.make<nn::ExpandOp>(layer.beside, to, value, to);
  });
}

/// Along the path (q, q) to (f, q) to (f, f).
bool pathBack(Layer &layer) {
  unsigned count = layer.op->getNumOperands(), a = count - 2, b = count - 1;
  Shape shape = layer.resultShape();
  Value corner = layer.result();
  bool both = !layer.isConstant(a) && !layer.isConstant(b);
  if (both) {
    corner = layer.once([&]() -> Value {
      IRMapping mapping;
      mapping.map(layer.op->getOperand(a), layer.floats(a));
      mapping.map(layer.op->getOperand(b), layer.quantized(b));
      return layer.beside.clone(*layer.op, mapping)->getResult(0);
    });
  } else if (!layer.isConstant(b)) {
    corner = layer.recomputed();
  }
  auto give = [&](unsigned operand, Value y2, Value y1) {
    if (!layer.wants(operand))
      return;
    Shape from = layer.shapeOf(operand);
    Value slope = layer.slope(expanded(layer, layer.quantized(operand), from),
                              expanded(layer, layer.floats(operand), from), y2,
                              y1, shape);
    layer.give(operand, layer.product(layer.gradient(), slope, shape));
  };
  give(a, layer.recomputed(), corner);
  give(b, corner, layer.result());
  return true;
}

bool binaryBack(Layer &layer) {
  // One tensor with itself has no corner.
  return layer.op->getOperand(0) != layer.op->getOperand(1) && pathBack(layer);
}

bool divBack(Layer &layer, nn::DivOp) {
  if (!layer.isConstant(1))
    return binaryBack(layer);
  layer.give(0, layer.makeBack<nn::DivOp>(layer.resultShape(), layer.gradient(),
                                          layer.floats(1)));
  return true;
}

/// The choice itself is not a number, so that it has to be the same on both
/// sides.
bool whereBack(Layer &layer, nn::WhereOp op) {
  Shape shape = layer.resultShape();
  Tensor zero(DType::F32, {});
  Value nothing = layer.values.constant(zero);
  Value condition = layer.floats(0), g = layer.gradient();
  if (layer.wants(1))
    layer.give(1, layer.makeBack<nn::WhereOp>(shape, condition, g, nothing));
  if (layer.wants(2))
    layer.give(2, layer.makeBack<nn::WhereOp>(shape, condition, nothing, g));
  return true;
}

} // namespace

void addElementwiseAdjoints(AdjointTable &table) {
  for (const auto &entry : reference::unaryFunctions())
    table.add(entry.getKey(), unaryBack);
  table.add(nn::ClipOp::getOperationName(), unaryBack);
  table.add<nn::AddOp>(addBack);
  table.add<nn::SubOp>(subBack);
  table.add<nn::MulOp>(mulBack);
  table.add<nn::DivOp>(divBack);
  for (StringRef name :
       {nn::MaxOp::getOperationName(), nn::MinOp::getOperationName(),
        nn::PowOp::getOperationName(), nn::PReluOp::getOperationName(),
        nn::ModOp::getOperationName()})
    table.add(name, binaryBack);
  table.add<nn::WhereOp>(whereBack);
}

} // namespace parallax::analyze
