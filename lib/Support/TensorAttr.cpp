//===- TensorAttr.cpp - Tensors as MLIR attributes ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Small constants become dense attributes. Large ones become resource blobs
// whose deleter holds the tensor, so that no bytes are copied.
//===----------------------------------------------------------------------===//
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace parallax {

Type toElementType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::Bool:
    return IntegerType::get(context, 1);
  default:
    break;
  }
  bool isSigned = dtype >= DType::I8 && dtype <= DType::I64;
  return IntegerType::get(context, unsigned(sizeOf(dtype)) * 8,
                          isSigned ? IntegerType::Signless
                                   : IntegerType::Unsigned);
}

std::optional<DType> toDType(Type elementType) {
  // A range changes nothing of how a tensor is stored.
  if (auto calibrated = dyn_cast<quant::CalibratedQuantizedType>(elementType))
    elementType = calibrated.getExpressedType();
  for (int i = 0; i <= int(DType::Bool); ++i)
    if (toElementType(elementType.getContext(), DType(i)) == elementType)
      return DType(i);
  return std::nullopt;
}

RankedTensorType toTensorType(MLIRContext *context, const Tensor &tensor) {
  return RankedTensorType::get(tensor.shape(),
                               toElementType(context, tensor.dtype()));
}

static ArrayRef<char> bytesOf(const Tensor &tensor) {
  return {static_cast<const char *>(tensor.rawData()), tensor.byteSize()};
}

ElementsAttr toAttribute(MLIRContext *context, const Tensor &tensor,
                         StringRef name) {
  constexpr size_t inlineBytes = 256;
  RankedTensorType type = toTensorType(context, tensor);
  if (tensor.dtype() == DType::Bool &&
      (tensor.byteSize() <= inlineBytes || tensor.size() == 0))
    return DenseElementsAttr::get(
        type, ArrayRef<bool>(tensor.data<bool>(), size_t(tensor.size())));
  if (tensor.byteSize() <= inlineBytes)
    return DenseElementsAttr::getFromRawBuffer(type, bytesOf(tensor));

  // The deleter's only work is to hold the tensor.
  AsmResourceBlob blob(
      bytesOf(tensor), alignof(std::max_align_t),
      [tensor](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

static Tensor fromDense(DenseElementsAttr dense, DType dtype, Shape shape) {
  if (dtype == DType::Bool) {
    Tensor tensor(dtype, std::move(shape));
    llvm::copy(dense.getValues<bool>(), tensor.data<bool>());
    return tensor;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return Tensor(dtype, std::move(shape), const_cast<char *>(raw.data()));
  Tensor tensor(dtype, std::move(shape));
  size_t elementBytes = sizeOf(dtype);
  for (size_t at = 0; at < tensor.byteSize(); at += elementBytes)
    std::memcpy(static_cast<char *>(tensor.rawData()) + at, raw.data(),
                elementBytes);
  return tensor;
}

static Tensor convert(ElementsAttr attribute, bool take) {
  auto type = cast<ShapedType>(attribute.getType());
  std::optional<DType> dtype = toDType(type.getElementType());
  if (!dtype)
    throw Error("a constant has an element type that no tensor has");
  Shape shape = type.getShape().vec();
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    // Inline values belong to the context, which may go away.
    Tensor tensor = fromDense(dense, *dtype, std::move(shape));
    return take ? tensor.clone() : tensor;
  }

  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getResource()->getBlob() : nullptr;
  size_t bytes = size_t(elementCount(shape)) * sizeOf(*dtype);
  if (!blob || blob->getData().size() != bytes)
    throw Error("a constant's resource is missing or has the wrong size");
  void *data = const_cast<char *>(blob->getData().data());
  if (!take)
    return Tensor(*dtype, std::move(shape), data);
  return Tensor(*dtype, std::move(shape), data,
                std::make_shared<AsmResourceBlob>(std::move(*blob)));
}

Tensor toTensor(ElementsAttr attribute) { return convert(attribute, false); }

Tensor takeTensor(ElementsAttr attribute) { return convert(attribute, true); }

} // namespace parallax
