//===- Quantize.cpp - Import of quantized storage -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Models that store weights or activations as integers say so with these
// operators. A scale is one number, one per entry of an axis, or one per block.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

namespace parallax::onnx_import {

/// A scale or zero point with one entry is a number, whatever its rank.
static Value asNumber(Node &node, StringRef step, Value value) {
  RankedTensorType type = nn::getTensorType(value);
  bool single =
      type.getRank() > 0 && type.hasStaticShape() && type.getNumElements() == 1;
  return single && node.intAttribute("block_size", 0) == 0
             ? reshapeStep(node, step, value, {})
             : value;
}

/// `scale` decides whether there is an axis at all.
static Attributes granularity(const Node &node, Value scale) {
  if (nn::getTensorType(scale).getRank() == 0)
    return {};
  return readParameters(node, {axis(1), integer("block_size")});
}

/// The type that `output_dtype` asks for, or null.
static Type requestedType(const Node &node) {
  int64_t type = node.intAttribute("output_dtype", 0);
  return type == 0 ? Type() : node.elementType(type);
}

static Value castStep(Node &node, StringRef step, Value value, Type type) {
  return node.create<nn::CastOp>(step, {value},
                                 {node.named("to", node.type(type))});
}

static void importQuantizeLinear(Node &node) {
  operandsOf(node, 2, 1);
  Value x = node.input(0), scale = asNumber(node, "scale", node.input(1));
  Value zeroPoint = node.optionalInput(2);
  Type requested = requestedType(node);
  if (zeroPoint) {
    if (Operation *stored = zeroPoint.getDefiningOp();
        stored && stored->hasAttr("nn.bits"))
      node.fail("quantizes to integers of 4 bits, which only stored weights "
                "may have");
    zeroPoint = asNumber(node, "zero_point", zeroPoint);
    if (requested && requested != nn::getTensorType(zeroPoint).getElementType())
      node.fail("attribute 'output_dtype' does not match the zero point");
  } else {
    DType dtype = requested ? storageType(node, requested) : DType::U8;
    if (nn::getTensorType(scale).getRank() > 0)
      zeroPoint = splat(node, dtype, staticShape(node, 1), 0);
    else
      zeroPoint = splat(node, dtype, {}, 0);
  }
  // Integers are divided by the scale as floats.
  Type computed = nn::getTensorType(scale).getElementType();
  if (node.inputType(0).getElementType() != computed)
    x = castStep(node, "x", x, computed);
  node.emit<nn::QuantizeLinearOp>({x, scale, zeroPoint},
                                  granularity(node, scale));
}

static void importDequantizeLinear(Node &node) {
  SmallVector<Value> operands = operandsOf(node, 2, 1);
  operands[1] = asNumber(node, "scale", operands[1]);
  if (operands.size() > 2)
    operands[2] = asNumber(node, "zero_point", operands[2]);
  Attributes attributes = granularity(node, operands[1]);
  Type requested = requestedType(node);
  if (!requested ||
      requested == nn::getTensorType(operands[1]).getElementType())
    return node.emit<nn::DequantizeLinearOp>(operands, attributes);
  Value y = node.create<nn::DequantizeLinearOp>("float", operands, attributes);
  node.emit<nn::CastOp>({y}, {node.named("to", node.type(requested))});
}

/// Quantizes to uint8 with the range of the operand itself, widened to 0.
static void importDynamicQuantizeLinear(Node &node) {
  Value x = node.input(0);
  Type element = node.inputType(0).getElementType();
  if (!isa<mlir::FloatType>(element))
    node.fail("takes float numbers, and quantizes them");
  DType dtype = storageType(node, element);
  auto number = [&](double value) { return splat(node, dtype, {}, value); };
  Attributes all = {
      node.named("axes", node.i64s(firstAxes(size_t(node.inputRank(0))))),
      node.named("keepdims", node.boolean(false))};
  Value zero = number(0);
  Value low = node.create<nn::MinOp>(
      "low", {node.create<nn::ReduceMinOp>("min", {x}, all), zero});
  Value high = node.create<nn::MaxOp>(
      "high", {node.create<nn::ReduceMaxOp>("max", {x}, all), zero});
  Value range = node.create<nn::SubOp>("range", {high, low});
  // All zeros: any scale will do, except 0.
  Value scale = node.create<nn::WhereOp>(
      "scale", {node.create<nn::EqualOp>("empty", {range, zero}), number(1),
                node.create<nn::DivOp>("step", {range, number(255)})});
  Value offset = node.create<nn::DivOp>(
      "offset", {node.create<nn::SubOp>("below_zero", {zero, low}), scale});
  Value clipped = node.create<nn::ClipOp>(
      "clipped", {node.create<nn::RoundOp>("rounded", {offset})},
      {node.named("min", node.f64(0)), node.named("max", node.f64(255))});
  Type codes =
      mlir::IntegerType::get(node.context(), 8, mlir::IntegerType::Unsigned);
  Value zeroPoint = castStep(node, "zero_point", clipped, codes);
  node.setOutput(0,
                 node.create<nn::QuantizeLinearOp>("", {x, scale, zeroPoint}));
  if (node.hasOutput(1))
    node.setOutput(1, scale);
  if (node.hasOutput(2))
    node.setOutput(2, zeroPoint);
}

void addQuantizeImports(ImportTable &table) {
  table.onOp("DequantizeLinear", 10, importDequantizeLinear);
  table.onOp("DynamicQuantizeLinear", 11, importDynamicQuantizeLinear);
  table.onOp("QuantizeLinear", 10, importQuantizeLinear);
}

} // namespace parallax::onnx_import
