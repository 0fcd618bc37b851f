//===- CodeTypes.cpp - What codes stand for, as tensors -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The zero points have the type of the codes, which is how ONNX does it.
//===----------------------------------------------------------------------===//
#include "CodeTypes.h"

#include "Format.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <fmt/format.h>

namespace parallax::compiled {
namespace {

Tensor integers(DType dtype, Shape shape, ArrayRef<int64_t> values) {
  Tensor tensor(dtype, std::move(shape));
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      for (size_t i = 0; i < values.size(); ++i)
        tensor.data<T>()[i] = T(values[i]);
  });
  return tensor;
}

std::vector<int64_t> integersOf(const Tensor &tensor) {
  std::vector<int64_t> values;
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      values.assign(tensor.data<T>(), tensor.data<T>() + tensor.size());
  });
  return values;
}

bool isStorage(DType dtype) {
  return dtype == DType::U8 || dtype == DType::I8 || dtype == DType::U16 ||
         dtype == DType::I16 || dtype == DType::I32;
}

CodeLimits limitsOf(Type type) {
  auto quantized =
      cast<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(type));
  return {quantized.getStorageTypeMin(), quantized.getStorageTypeMax()};
}

/// The tensor under a key if it has that type and rank.
const Tensor *findTensor(const CodeTensors &tensors, const char *key) {
  auto it = tensors.find(key);
  return it == tensors.end() ? nullptr : &it->second;
}

[[noreturn]] void refuseKey(const char *key, const char *problem) {
  throw Error(fmt::format("its {} {}", key, problem));
}

CodeLimits readLimits(const CodeTensors &tensors, DType storage) {
  CodeLimits widest = codeLimitsOf(storage);
  const Tensor *limits = findTensor(tensors, limitsKey);
  if (!limits)
    return widest;
  if (limits->dtype() != DType::I64 || limits->shape() != Shape{2})
    refuseKey(limitsKey, "is not two int64");
  CodeLimits result{limits->data<int64_t>()[0], limits->data<int64_t>()[1]};
  if (result.low < widest.low || result.high > widest.high ||
      result.low >= result.high)
    refuseKey(limitsKey, "are not limits of its codes");
  return result;
}

} // namespace

CodeTensors splitCodeType(Type type) {
  DType storage = storageOf(type);
  ChannelParams params = channelParamsOf(type);
  CodeLimits limits = limitsOf(type), widest = codeLimitsOf(storage);
  Shape shape;
  CodeTensors tensors;
  if (isPerAxis(type)) {
    shape = {int64_t(params.scales.size())};
    tensors[axisKey] = integers(DType::I64, {}, params.axis);
  }
  tensors[scaleKey] = Tensor::fromValues<float>(shape, params.scales);
  tensors[zeroPointKey] = integers(storage, shape, params.zeroPoints);
  if (limits.low != widest.low || limits.high != widest.high)
    tensors[limitsKey] = integers(DType::I64, {2}, {limits.low, limits.high});
  return tensors;
}

Type joinCodeType(RankedTensorType type, const CodeTensors &tensors) {
  const Tensor *scales = findTensor(tensors, scaleKey);
  const Tensor *zeroPoints = findTensor(tensors, zeroPointKey);
  const Tensor *axis = findTensor(tensors, axisKey);
  std::optional<DType> storage = toDType(type.getElementType());
  if (!storage || !isStorage(*storage))
    throw Error("its elements are not codes");
  if (!scales || !zeroPoints)
    throw Error("it lacks a scale or a zero point");
  if (scales->dtype() != DType::F32)
    refuseKey(scaleKey, "is not float");
  if (zeroPoints->dtype() != *storage)
    refuseKey(zeroPointKey, "has another type than its codes");
  CodeLimits limits = readLimits(tensors, *storage);
  for (float scale : scales->values<float>())
    if (!std::isnormal(scale) || scale < 0)
      refuseKey(scaleKey, "violates C2: a scale is positive and normal");
  std::vector<int64_t> zeros = integersOf(*zeroPoints);
  for (int64_t zero : zeros)
    if (zero < limits.low || zero > limits.high)
      refuseKey(zeroPointKey, "violates C2: a zero point is a code");

  MLIRContext *context = type.getContext();
  if (!axis) {
    if (scales->rank() != 0 || zeroPoints->rank() != 0)
      refuseKey(scaleKey, "or its zero point has more than one entry");
    return quantizedType(
        context, *storage,
        {scales->data<float>()[0], zeros[0], limits.low, limits.high});
  }
  if (axis->dtype() != DType::I64 || axis->rank() != 0)
    refuseKey(axisKey, "is not one int64");
  int64_t dimension = axis->data<int64_t>()[0];
  if (dimension < 0 || dimension >= type.getRank())
    refuseKey(axisKey, "is not a dimension of it");
  Shape shape{type.getDimSize(unsigned(dimension))};
  if (scales->shape() != shape || zeroPoints->shape() != shape)
    refuseKey(scaleKey, "or its zero point has not one entry per channel");
  ChannelParams params;
  params.scales.assign(scales->data<float>(), scales->data<float>() + shape[0]);
  params.zeroPoints = std::move(zeros);
  params.axis = dimension;
  return quantizedType(context, *storage, params, limits);
}

} // namespace parallax::compiled
