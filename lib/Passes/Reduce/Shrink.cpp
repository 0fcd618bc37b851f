//===- Shrink.cpp - Smaller tensors and simpler weights -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Dimensions that belong together have the same extent, so all dimensions of
// one extent are cut at once, and the shape rules of operators say whether that
// fits. It needs no knowledge of single operators, and what it misses is only a
// network that could have been smaller.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Reduce/Reduce.h"

#include "parallax/Dialect/NN/CreateOp.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Sort.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace parallax {
namespace {

/// Attributes that hold extents or counts of channels.
constexpr const char *extentAttrs[] = {"group", "groups", "num_groups", "shape",
                                       "sizes"};

bool isFloatConstant(Operation *op) {
  return isa<nn::ConstantOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

Tensor valueOf(nn::ConstantOp constant) {
  return toTensor(constant.getValue());
}

void setValue(nn::ConstantOp constant, const Tensor &tensor) {
  std::string name = getTensorName(constant.getResult());
  constant.setValueAttr(toAttribute(constant.getContext(), tensor, name));
  constant.getResult().setType(toTensorType(constant.getContext(), tensor));
}

/// Keeps the first or the last elements of a dimension.
Tensor cutAxis(const Tensor &tensor, int64_t axis, const Shrink &shrink) {
  Shape shape = tensor.shape();
  std::span<const int64_t> dims(shape);
  int64_t outer = elementCount(dims.first(size_t(axis)));
  size_t inner = size_t(elementCount(dims.subspan(size_t(axis) + 1))) *
                 sizeOf(tensor.dtype());
  shape[size_t(axis)] = shrink.to;
  Tensor result(tensor.dtype(), shape);
  const auto *from = static_cast<const std::byte *>(tensor.rawData());
  auto *to = static_cast<std::byte *>(result.rawData());
  int64_t first = shrink.keepsLast ? shrink.from - shrink.to : 0;
  for (int64_t i = 0; i < outer; ++i)
    std::memcpy(to + size_t(i * shrink.to) * inner,
                from + size_t(i * shrink.from + first) * inner,
                size_t(shrink.to) * inner);
  return result;
}

Tensor cutTensor(Tensor tensor, const Shrink &shrink) {
  for (int64_t axis = 0; axis < tensor.rank(); ++axis)
    if (tensor.dim(axis) == shrink.from)
      tensor = cutAxis(tensor, axis, shrink);
  return tensor;
}

/// Numbers of channels, and shapes, that are written down.
void cutAttributes(Operation *op, const Shrink &shrink) {
  Builder builder(op->getContext());
  for (const char *name : extentAttrs) {
    Attribute attribute = op->getAttr(name);
    if (auto number = dyn_cast_or_null<IntegerAttr>(attribute)) {
      if (number.getInt() == shrink.from)
        op->setAttr(name, builder.getIntegerAttr(number.getType(), shrink.to));
    } else if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute)) {
      SmallVector<int64_t> values(list.asArrayRef());
      llvm::replace(values, shrink.from, shrink.to);
      op->setAttr(name, builder.getDenseI64ArrayAttr(values));
    }
  }
}

bool isVaried(const Tensor &tensor) {
  std::span<const float> values = tensor.values<float>();
  return std::ranges::any_of(values,
                             [&](float value) { return value != values[0]; });
}

int64_t bytesOf(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  std::optional<DType> dtype = toDType(shaped.getElementType());
  return dtype ? shaped.getNumElements() * int64_t(sizeOf(*dtype)) : 0;
}

} // namespace

std::vector<int64_t> extentsOf(func::FuncOp network) {
  std::map<int64_t, int64_t> bytes;
  auto add = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    for (int64_t extent : type.getShape())
      if (extent > 1)
        bytes[extent] += bytesOf(type);
  };
  for (Value input : network.getArguments())
    add(input);
  for (Operation &op : network.front().without_terminator())
    if (isFloatConstant(&op))
      add(op.getResult(0));
  std::vector<int64_t> extents;
  for (auto [extent, sum] : bytes)
    extents.push_back(extent);
  sortByKey(extents, [&](int64_t extent) { return -bytes[extent]; });
  return extents;
}

LogicalResult shrinkNetwork(func::FuncOp network, std::span<Sample> samples,
                            const Shrink &shrink) {
  // What does not fit is an answer, not an error of the user.
  ScopedDiagnosticHandler silence(network.getContext(),
                                  [](Diagnostic &) { return success(); });
  for (Sample &sample : samples)
    for (Tensor &tensor : sample)
      tensor = cutTensor(tensor, shrink);
  for (Value argument : network.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape(type.getShape());
    llvm::replace(shape, shrink.from, shrink.to);
    argument.setType(RankedTensorType::get(shape, type.getElementType()));
  }
  for (Operation &op : network.front().without_terminator()) {
    if (isFloatConstant(&op)) {
      auto constant = cast<nn::ConstantOp>(op);
      setValue(constant, cutTensor(valueOf(constant), shrink));
    } else if (op.getNumOperands() > 0) {
      cutAttributes(&op, shrink);
      if (failed(nn::inferTypesAgain(&op)))
        return failure();
    }
  }
  network.setFunctionType(FunctionType::get(
      network.getContext(), network.front().getArgumentTypes(),
      network.front().getTerminator()->getOperandTypes()));
  for (Type type : network.getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return failure();
  return mlir::verify(network);
}

std::vector<std::string> variedConstants(func::FuncOp network) {
  std::vector<std::string> names;
  for (Operation &op : network.front().without_terminator())
    if (isFloatConstant(&op)) {
      Tensor tensor = valueOf(cast<nn::ConstantOp>(op));
      if (tensor.size() > 1 && isVaried(tensor))
        names.push_back(getTensorName(op.getResult(0)));
    }
  return names;
}

void fillConstant(func::FuncOp network, StringRef tensor, Fill fill) {
  for (Operation &op : network.front().without_terminator()) {
    if (!isFloatConstant(&op) || getTensorName(op.getResult(0)) != tensor)
      continue;
    auto constant = cast<nn::ConstantOp>(op);
    Tensor values = valueOf(constant).clone();
    float largest = 0;
    for (float value : values.values<float>())
      largest = std::max(largest, std::abs(value));
    std::fill_n(values.data<float>(), values.size(),
                fill == Fill::Zero ? 0.0f : largest);
    setValue(constant, values);
  }
}

int64_t tensorBytes(func::FuncOp network) {
  int64_t bytes = 0;
  for (Value input : network.getArguments())
    bytes += bytesOf(input.getType());
  for (Operation &op : network.front().without_terminator())
    for (Value result : op.getResults())
      bytes += bytesOf(result.getType());
  return bytes;
}

} // namespace parallax
