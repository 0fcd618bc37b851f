//===- Quantize.cpp - What only a quantized network has -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shape rules infer the float type that codes stand for; the quantized type is
// the author's choice and is checked here.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace parallax::nn {

using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

LogicalResult inferRequantize(RequantizeOp::Adaptor op, ResultTypes &results) {
  Operand x{op.getX(), "x"};
  if (failed(checkElements(x, Elements::Float, results)))
    return failure();
  return results.add(getShape(x.value),
                     getExpressedElementType(x.value.getType()));
}

LogicalResult inferQuantizedConstant(QuantizedConstantOp::Adaptor op,
                                     ResultTypes &results) {
  auto type = cast<mlir::ShapedType>(op.getCodes().getType());
  return results.add(type.getShape(),
                     mlir::Float32Type::get(type.getContext()));
}

LogicalResult QuantizedConstantOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  auto quantized = dyn_cast<QuantizedType>(type.getElementType());
  if (!quantized || !isa<UniformQuantizedType, UniformQuantizedPerAxisType>(
                        type.getElementType()))
    return emitOpError("needs a result of a !quant.uniform type, not ")
           << type.getElementType();
  auto codes = cast<mlir::ShapedType>(getCodes().getType());
  auto storage = dyn_cast<mlir::IntegerType>(codes.getElementType());
  if (!storage || storage.getWidth() != quantized.getStorageTypeIntegralWidth())
    return emitOpError("has codes of ")
           << codes.getElementType() << " for a storage type of "
           << quantized.getStorageTypeIntegralWidth() << " bits";
  if (storage.isUnsigned() == quantized.isSigned())
    return emitOpError("has codes whose sign differs from that of the storage "
                       "type");
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(quantized);
  if (!perAxis)
    return success();
  int64_t axis = perAxis.getQuantizedDimension();
  if (axis < 0 || axis >= type.getRank() ||
      int64_t(perAxis.getScales().size()) != type.getDimSize(unsigned(axis)))
    return emitOpError("has ")
           << perAxis.getScales().size() << " scales for dimension " << axis
           << " of " << type;
  return success();
}

} // namespace parallax::nn
