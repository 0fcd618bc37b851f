//===- Annotate.cpp - Ranges as types of a network ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// To and from the table of ranges that calibration makes, in which tensors have
// names.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace parallax {
namespace {

using quant::CalibratedQuantizedType;

constexpr StringLiteral calibrationAttr = "nn.calibration";

/// All tensors that may have a range.
void forEachActivation(func::FuncOp network,
                       llvm::function_ref<void(Value)> visit) {
  llvm::for_each(network.getArguments(), visit);
  for (Operation &op : network.front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      llvm::for_each(op.getResults(), visit);
}

Type elementTypeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getElementType() : Type();
}

void setElementType(Value value, Type element) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(element));
}

void updateSignature(func::FuncOp network) {
  Block &body = network.front();
  network.setFunctionType(
      FunctionType::get(network.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
}

//===----------------------------------------------------------------------===//
// One range
//===----------------------------------------------------------------------===//

/// What a type can hold: a tensor that is zero on all samples has no range that
/// is one, and gets a substitute.
Interval typeRange(Interval range) {
  bool isRange = range.high > range.low;
  return {range.low, isRange ? range.high
                             : range.low + std::max(std::abs(range.low), 1.0)};
}

DenseElementsAttr denseNumbers(Builder &builder,
                               const std::vector<float> &values) {
  auto type =
      RankedTensorType::get({int64_t(values.size())}, builder.getF32Type());
  return DenseElementsAttr::get(type, ArrayRef(values));
}

std::vector<float> numbersIn(DictionaryAttr attributes, StringRef name) {
  auto values = attributes.getAs<DenseElementsAttr>(name);
  if (!values || !values.getElementType().isF32())
    return {};
  auto range = values.getValues<float>();
  return {range.begin(), range.end()};
}

DictionaryAttr toAttribute(Builder &builder, const TensorRange &range) {
  NamedAttrList list;
  auto add = [&](StringRef name, Interval interval, Interval implied) {
    if (interval != implied)
      list.set(name,
               builder.getDenseF64ArrayAttr({interval.low, interval.high}));
  };
  add("u8", range.u8, typeRange(range.u8));
  add("u16", range.u16, range.u8);
  add("values", range.values, range.u8);
  auto count = [&](StringRef name, int64_t number) {
    if (number != 0)
      list.set(name, builder.getI64IntegerAttr(number));
  };
  count("nan", range.nans);
  count("inf", range.infs);
  if (!range.channelMin.empty()) {
    list.set("channel_axis", builder.getI64IntegerAttr(range.channelAxis));
    list.set("channel_min", denseNumbers(builder, range.channelMin));
    list.set("channel_max", denseNumbers(builder, range.channelMax));
  }
  return list.getDictionary(builder.getContext());
}

TensorRange fromAttribute(CalibratedQuantizedType type,
                          DictionaryAttr attributes) {
  TensorRange range;
  auto interval = [&](StringRef name, Interval implied) {
    auto pair = attributes.getAs<DenseF64ArrayAttr>(name);
    return pair && pair.size() == 2 ? Interval{pair[0], pair[1]} : implied;
  };
  auto count = [&](StringRef name) {
    auto number = attributes.getAs<IntegerAttr>(name);
    return number ? number.getInt() : 0;
  };
  range.u8 = interval("u8", {type.getMin(), type.getMax()});
  range.u16 = interval("u16", range.u8);
  range.values = interval("values", range.u8);
  range.nans = count("nan");
  range.infs = count("inf");
  range.channelAxis = count("channel_axis");
  range.channelMin = numbersIn(attributes, "channel_min");
  range.channelMax = numbersIn(attributes, "channel_max");
  return range;
}

//===----------------------------------------------------------------------===//
// The attribute of a tensor
//===----------------------------------------------------------------------===//

DictionaryAttr attributeOf(Value value) {
  DictionaryAttr found;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    found = function.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(),
                                                      calibrationAttr);
  } else {
    auto result = cast<OpResult>(value);
    auto list = result.getOwner()->getAttrOfType<ArrayAttr>(calibrationAttr);
    if (list && result.getResultNumber() < list.size())
      found = dyn_cast<DictionaryAttr>(list[result.getResultNumber()]);
  }
  return found ? found : DictionaryAttr::get(value.getContext());
}

void setAttributeOf(Value value, DictionaryAttr attribute) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!attribute.empty())
      function.setArgAttr(argument.getArgNumber(), calibrationAttr, attribute);
    return;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  SmallVector<Attribute> list(op->getNumResults(),
                              DictionaryAttr::get(op->getContext()));
  if (auto old = op->getAttrOfType<ArrayAttr>(calibrationAttr))
    llvm::copy(old, list.begin());
  list[result.getResultNumber()] = attribute;
  bool isEmpty = llvm::all_of(list, [](Attribute entry) {
    return cast<DictionaryAttr>(entry).empty();
  });
  if (!isEmpty)
    op->setAttr(calibrationAttr, ArrayAttr::get(op->getContext(), list));
}

} // namespace

//===----------------------------------------------------------------------===//
// All ranges
//===----------------------------------------------------------------------===//

void setCalibration(func::FuncOp network, const Calibration &calibration) {
  removeCalibration(network);
  llvm::StringMap<const TensorRange *> ranges;
  for (const TensorRange &range : calibration.tensors)
    ranges[range.tensor] = &range;
  Builder builder(network.getContext());
  forEachActivation(network, [&](Value value) {
    Type element = elementTypeOf(value);
    const TensorRange *range = ranges.lookup(getTensorName(value));
    if (!element || !element.isF32() || !range)
      return;
    auto [low, high] = typeRange(range->u8);
    setElementType(value, CalibratedQuantizedType::get(element, low, high));
    setAttributeOf(value, toAttribute(builder, *range));
  });
  updateSignature(network);
}

Calibration getCalibration(func::FuncOp network) {
  Calibration calibration;
  forEachActivation(network, [&](Value value) {
    auto type = dyn_cast_or_null<CalibratedQuantizedType>(elementTypeOf(value));
    if (!type)
      return;
    TensorRange range = fromAttribute(type, attributeOf(value));
    range.tensor = getTensorName(value);
    Operation *op = value.getDefiningOp();
    range.node = op ? getLayerName(op).node : range.tensor;
    calibration.tensors.push_back(std::move(range));
  });
  return calibration;
}

void removeCalibration(func::FuncOp network) {
  forEachActivation(network, [&](Value value) {
    if (auto type =
            dyn_cast_or_null<CalibratedQuantizedType>(elementTypeOf(value)))
      setElementType(value, type.getExpressedType());
  });
  for (unsigned i = 0; i < network.getNumArguments(); ++i)
    network.removeArgAttr(i, calibrationAttr);
  for (Operation &op : network.front())
    op.removeAttr(calibrationAttr);
  updateSignature(network);
}

RangesAside::RangesAside(func::FuncOp network)
    : network(network), calibration(getCalibration(network)) {
  removeCalibration(network);
}

RangesAside::~RangesAside() { setCalibration(network, calibration); }

LogicalResult requireCalibrated(func::FuncOp network) {
  std::vector<std::string> missing;
  forEachActivation(network, [&](Value value) {
    if (Type element = elementTypeOf(value); element && element.isF32())
      missing.push_back(getTensorName(value));
  });
  return missing.empty()
             ? success()
             : emitError(network.getLoc(), describeMissingRanges(missing));
}

//===----------------------------------------------------------------------===//
// Clamps
//===----------------------------------------------------------------------===//

void addClampedRanges(func::FuncOp network, Calibration &calibration) {
  llvm::StringMap<const TensorRange *> known;
  for (const TensorRange &range : calibration.tensors)
    known[range.tensor] = &range;
  std::vector<TensorRange> all;
  auto add = [&](Operation *op, Value result) {
    // Of several clamps in a row, the last one has been observed.
    Value observed = result;
    while (!known.contains(getTensorName(observed)) && observed.hasOneUse() &&
           nn::isSingleClamp(*observed.user_begin()))
      observed = observed.user_begin()->getResult(0);
    const TensorRange *range = known.lookup(getTensorName(observed));
    if (!range)
      return;
    all.push_back(*range);
    all.back().tensor = getTensorName(result);
    all.back().node = op ? getLayerName(op).node : range->node;
  };
  for (BlockArgument argument : network.getArguments())
    add(nullptr, argument);
  for (Operation &op : network.front().without_terminator())
    for (Value result : op.getResults())
      add(&op, result);
  calibration.tensors = std::move(all);
}

} // namespace parallax
