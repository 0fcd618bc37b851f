//===- Ranges.cpp - Ranges around the network -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration runs the network on what it takes itself, so the tensors before
// it have no statistics. Their ranges follow: from the codes that can arrive
// where these have 8 bits, otherwise backwards from the network's own input.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NN/PortAttrs.h"
#include "parallax/Passes/Processors/Processors.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <optional>

using namespace mlir;

namespace parallax {
namespace {

bool isFloat32(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType().isF32();
}

TensorRange *find(Calibration &calibration, StringRef tensor) {
  for (TensorRange &range : calibration.tensors)
    if (range.tensor == tensor)
      return &range;
  return nullptr;
}

void setName(TensorRange &range, Value value) {
  range.tensor = getTensorName(value);
  Operation *op = value.getDefiningOp();
  range.node = op ? getLayerName(op).node : range.tensor;
}

double numberOf(Value constant) {
  ElementsAttr attribute;
  if (!constant || !matchPattern(constant, m_Constant(&attribute)))
    return 0;
  Tensor tensor = toTensor(attribute);
  return dispatch(tensor.dtype(), [&]<typename T>(TypeTag<T>) -> double {
    if constexpr (std::is_arithmetic_v<T>)
      return double(*tensor.data<T>());
    return 0;
  });
}

/// What a float made of 8-bit codes can be; quantized like that, it has the
/// very codes that arrive.
std::optional<Interval> rangeOfCodes(Operation *op) {
  if (!op || !isa<nn::CastOp, nn::DequantizeLinearOp>(op))
    return std::nullopt;
  Type elements =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  if (!elements.isInteger(8))
    return std::nullopt;
  bool isSigned = !elements.isUnsignedInteger();
  double low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
  if (auto dequantize = dyn_cast<nn::DequantizeLinearOp>(op)) {
    double scale = numberOf(dequantize.getScale());
    double zero = numberOf(dequantize.getZeroPoint());
    low = (low - zero) * scale;
    high = (high - zero) * scale;
  }
  return Interval{low, high};
}

/// What `(x - mean) / std` was made of.
void undoNormalize(TensorRange &range, nn::NormalizeOp op) {
  auto undo = [&](size_t channel, double value) {
    return value * double(op.getStd()[channel]) + double(op.getMean()[channel]);
  };
  auto undoAll = [&](Interval interval) {
    auto [low, high] = interval;
    Interval all{undo(0, low), undo(0, high)};
    for (size_t c = 1; c < op.getStd().size(); ++c) {
      all.low = std::min(all.low, undo(c, low));
      all.high = std::max(all.high, undo(c, high));
    }
    return all;
  };
  range.values = undoAll(range.values);
  range.u8 = undoAll(range.u8);
  range.u16 = undoAll(range.u16);
  bool hasChannels = range.channelMin.size() == op.getStd().size() &&
                     range.channelAxis == int64_t(op.getAxis());
  for (size_t c = 0; c < range.channelMin.size() && hasChannels; ++c) {
    range.channelMin[c] = float(undo(c, range.channelMin[c]));
    range.channelMax[c] = float(undo(c, range.channelMax[c]));
  }
  if (!hasChannels) {
    range.channelMin.clear();
    range.channelMax.clear();
  }
}

/// The range of the operand of a layer from that of its result. What slices
/// cut off is taken for the like of what stays.
void undo(TensorRange &range, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](nn::NormalizeOp op) { undoNormalize(range, op); })
      .Case([&](nn::TransposeOp op) {
        if (range.channelAxis < int64_t(op.getPerm().size()))
          range.channelAxis = op.getPerm()[range.channelAxis];
      })
      .Default([&](Operation *) {
        range.channelMin.clear();
        range.channelMax.clear();
      });
}

void addInputRanges(Value tensor, Calibration &calibration) {
  TensorRange range = *find(calibration, getTensorName(tensor));
  for (Operation *op = tensor.getDefiningOp(); op;) {
    Value operand = op->getOperand(0);
    if (!isFloat32(operand))
      return;
    undo(range, op);
    op = operand.getDefiningOp();
    if (std::optional<Interval> codes = rangeOfCodes(op))
      range.values = range.u8 = range.u16 = *codes;
    setName(range, operand);
    calibration.tensors.push_back(range);
  }
}

Value findTensor(func::FuncOp function, StringRef name) {
  for (BlockArgument argument : function.getArguments())
    if (getTensorName(argument) == name)
      return argument;
  for (Operation &op : function.front().without_terminator())
    for (Value result : op.getResults())
      if (getTensorName(result) == name)
        return result;
  return {};
}

} // namespace

void addProcessorRanges(func::FuncOp network, Calibration &calibration) {
  for (BlockArgument argument : network.getArguments()) {
    auto name = network.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     networkTensorAttr);
    Value tensor = name ? findTensor(network, name) : Value();
    if (!tensor || find(calibration, name))
      continue;
    TensorRange *range = find(calibration, getTensorName(argument));
    if (!range)
      continue;
    setName(*range, tensor);
    addInputRanges(tensor, calibration);
  }
  Operation *terminator = network.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto name =
        network.getResultAttrOfType<StringAttr>(unsigned(i), networkTensorAttr);
    auto transpose = value.getDefiningOp<nn::TransposeOp>();
    if (!name || !transpose)
      continue;
    std::string output = getTensorName(value);
    if (!find(calibration, name))
      if (TensorRange *range = find(calibration, output))
        setName(*range, transpose.getX());
    TensorRange *own = find(calibration, name);
    if (!own || find(calibration, output))
      continue;
    TensorRange range = *own;
    range.channelAxis = llvm::find(transpose.getPerm(), own->channelAxis) -
                        transpose.getPerm().begin();
    setName(range, value);
    calibration.tensors.push_back(std::move(range));
  }
}

} // namespace parallax
