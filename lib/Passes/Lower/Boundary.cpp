//===- Boundary.cpp - Codes at inputs and outputs -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A deployed network may take and give integers: pixels of a camera, codes of
// another quantized model, outputs as codes. They are converted to the codes of
// the network directly, without floats in between.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax::lower {
namespace {

/// Integers that a float layer turned into values, and what they stand for.
struct Arriving {
  Value integers;
  AffineParams params;
};

std::optional<double> scalarOf(Value value) {
  ElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)) ||
      attribute.getNumElements() != 1)
    return {};
  Tensor tensor = toTensor(attribute);
  return dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return double(static_cast<float>(tensor.data<T>()[0]));
  });
}

std::optional<Arriving> arrivingAt(Value value) {
  Arriving result;
  result.params.scale = 1;
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_if_present<nn::CastOp>(op)) {
    result.integers = cast.getX();
  } else if (auto dequantize =
                 dyn_cast_if_present<nn::DequantizeLinearOp>(op)) {
    result.integers = dequantize.getX();
    std::optional<double> scale = scalarOf(dequantize.getScale()), zero = 0.0;
    if (Value zeroPoint = dequantize.getZeroPoint())
      zero = scalarOf(zeroPoint);
    if (!scale || !zero)
      return {};
    result.params.scale = float(*scale);
    result.params.zeroPoint = int64_t(*zero);
  } else {
    return {};
  }
  std::optional<DType> type =
      toDType(getElementTypeOrSelf(result.integers.getType()));
  if (!type || !npu::isCode(*type))
    return {};
  CodeLimits limits = codeLimitsOf(*type);
  result.params.low = limits.low;
  result.params.high = limits.high;
  return result;
}

} // namespace

bool Lowering::lowerArriving(nn::RequantizeOp op) {
  std::optional<Arriving> arriving = arrivingAt(op.getX());
  if (!arriving)
    return false;
  Value integers = lowered(arriving->integers);
  AffineParams to = affineParamsOf(op.getType());
  bool areTheCodes = integers.getType() == loweredType(op.getType());
  if (areTheCodes && arriving->params == to)
    mapping.map(op.getResult(), integers);
  else
    emit<npu::LinearOp>(op, integers, linear(arriving->params, 1, to));
  return true;
}

FailureOr<Value> Lowering::leavingAs8Bits(Value value, StringRef output) {
  if (auto requantize = value.getDefiningOp<nn::RequantizeOp>())
    value = requantize.getX();
  if (isQuantized(value.getType()) && storageOf(value.getType()) == DType::U8)
    return lowered(value);
  return emitError(
      view.getLoc(),
      fmt::format(
          "output '{}' can't leave as U8 because it {}; ask for U8 codes in "
          "quant.layer_configs, or leave output_dtype out",
          output.str(),
          isQuantized(value.getType())
              ? fmt::format("has {} codes", nameOf(storageOf(value.getType())))
              : "is computed in float"));
}

} // namespace parallax::lower
