//===- QuantizedType.cpp - Parameters of MLIR's quantized types -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Converts between scales, zero points and limits as plain numbers and
// upstream's uniform types, per tensor and per axis.
//===----------------------------------------------------------------------===//
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

namespace parallax {
namespace {

bool isSigned(DType storage) {
  return storage >= DType::I8 && storage <= DType::I64;
}

unsigned flagsOf(DType storage) {
  return isSigned(storage) ? unsigned(quant::QuantizationFlags::Signed) : 0;
}

Type storageType(MLIRContext *context, DType storage) {
  return IntegerType::get(context, unsigned(sizeOf(storage)) * 8);
}

} // namespace

CodeLimits codeLimitsOf(DType storage) {
  int64_t levels = int64_t(1) << (sizeOf(storage) * 8);
  int64_t low = isSigned(storage) ? -levels / 2 : 0;
  return {low, low + levels - 1};
}

bool isQuantized(Type type) {
  return isa<UniformQuantizedType, UniformQuantizedPerAxisType>(
      getElementTypeOrSelf(type));
}

Type withoutRange(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto calibrated =
      dyn_cast<quant::CalibratedQuantizedType>(getElementTypeOrSelf(type));
  return tensor && calibrated ? tensor.clone(calibrated.getExpressedType())
                              : type;
}

Type quantizedType(MLIRContext *context, DType storage,
                   const AffineParams &params) {
  return UniformQuantizedType::get(
      flagsOf(storage), storageType(context, storage),
      Float32Type::get(context), double(params.scale), params.zeroPoint,
      params.low, params.high);
}

Type quantizedType(MLIRContext *context, DType storage,
                   const ChannelParams &params, CodeLimits limits) {
  std::vector<double> scales(params.scales.begin(), params.scales.end());
  return UniformQuantizedPerAxisType::get(
      flagsOf(storage), storageType(context, storage),
      Float32Type::get(context), scales, params.zeroPoints,
      int32_t(params.axis), limits.low, limits.high);
}

Type quantizedType(MLIRContext *context, DType storage,
                   const std::vector<float> &scales, int64_t axis) {
  int64_t limit = codeLimitsOf(storage).high;
  return quantizedType(
      context, storage,
      ChannelParams{scales, std::vector<int64_t>(scales.size(), 0), axis},
      {-limit, limit});
}

AffineParams affineParamsOf(Type type) {
  auto quantized = dyn_cast<UniformQuantizedType>(getElementTypeOrSelf(type));
  if (!quantized)
    throw Error("a tensor with one scale was expected");
  return {float(quantized.getScale()), quantized.getZeroPoint(),
          quantized.getStorageTypeMin(), quantized.getStorageTypeMax()};
}

bool isPerAxis(Type type) {
  return isa<UniformQuantizedPerAxisType>(getElementTypeOrSelf(type));
}

ChannelParams channelParamsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element)) {
    ChannelParams params;
    params.scales.assign(perAxis.getScales().begin(),
                         perAxis.getScales().end());
    params.zeroPoints = perAxis.getZeroPoints().vec();
    params.axis = perAxis.getQuantizedDimension();
    return params;
  }
  AffineParams params = affineParamsOf(element);
  return {{params.scale}, {params.zeroPoint}, 0};
}

DType storageOf(Type type) {
  auto quantized = cast<quant::QuantizedType>(getElementTypeOrSelf(type));
  bool isSigned = quantized.isSigned();
  switch (quantized.getStorageTypeIntegralWidth()) {
  case 8:
    return isSigned ? DType::I8 : DType::U8;
  case 16:
    return isSigned ? DType::I16 : DType::U16;
  default:
    return isSigned ? DType::I32 : DType::U32;
  }
}

static constexpr llvm::StringLiteral codeTypesName = "npu.codes";

void setCodeTypes(Operation *op, ArrayRef<Type> types) {
  Builder builder(op->getContext());
  SmallVector<Attribute> list;
  for (Type type : types)
    list.push_back(type ? Attribute(TypeAttr::get(getElementTypeOrSelf(type)))
                        : Attribute(builder.getUnitAttr()));
  op->setAttr(codeTypesName, builder.getArrayAttr(list));
}

Type codeTypeOf(OpResult result) {
  if (isQuantized(result.getType()))
    return getElementTypeOrSelf(result.getType());
  // A file may say anything there.
  auto list = result.getOwner()->getAttrOfType<ArrayAttr>(codeTypesName);
  if (!list || list.size() <= result.getResultNumber())
    return {};
  auto type = dyn_cast<TypeAttr>(list[result.getResultNumber()]);
  return type && isQuantized(type.getValue()) ? type.getValue() : Type();
}

} // namespace parallax
