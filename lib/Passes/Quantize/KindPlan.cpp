//===- KindPlan.cpp - The quantized type of every tensor -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer computes in the type that it is assigned, so a tensor takes the type
// that its readers want. Where they disagree it takes the widest codes, and the
// others get it requantized. What nobody reads as codes need not be rounded to
// them: products give float, and arithmetic on single numbers computes in it.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NN/PortAttrs.h"
#include "parallax/Support/LayerName.h"

using namespace mlir;

namespace parallax::quantize {

namespace {

/// Of two wishes, the one that loses nothing of the other: wide codes, narrow
/// codes, float, none. Float comes late because codes become float for free.
DataType stronger(DataType a, DataType b) {
  auto rank = [](DataType kind) {
    if (isCodeType(kind))
      return bitsOf(kind);
    return kind == DataType::FP32 ? 1 : 0;
  };
  return rank(b) > rank(a) ? b : a;
}

/// What an output of the network must be; Default if any type will do.
DataType wantedByOutput(OpOperand &use) {
  return leavesAsCodes(use) ? DataType::U8 : DataType::Default;
}

} // namespace

bool leavesAsCodes(OpOperand &use) {
  auto function = use.getOwner()->getParentOfType<func::FuncOp>();
  return bool(function.getResultAttr(use.getOperandNumber(), outputTypeAttr));
}

bool isArithmetic(Operation *op) {
  return isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::NegOp>(op);
}

KindPlan::KindPlan(func::FuncOp function, const Precisions &precisions,
                   const Ranges &ranges, bool shareParameters)
    : precisions(precisions), ranges(ranges), shareParameters(shareParameters) {
  Block &body = function.front();
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (op.getNumOperands() == 0)
      continue;
    for (Value result : op.getResults())
      if (isFloat(result))
        kinds[result] = resultKind(&op, result);
    reads[&op] = readKind(&op);
  }

  for (BlockArgument argument : function.getArguments())
    if (isFloat(argument))
      kinds[argument] = DataType::FP32;
  // What moves elements to nobody but outputs takes what it gets, and all
  // results of an operator that moves elements have the same kind.
  for (Operation &op : body.without_terminator()) {
    if (!followsReaders(&op) || op.getNumOperands() == 0)
      continue;
    DataType kind = reads.lookup(&op);
    if (kind == DataType::Default)
      kind = leavingKind(&op);
    reads[&op] = kind;
    for (Value result : op.getResults())
      if (isFloat(result))
        kinds[result] = kind;
  }
}

/// True for operators that leave the codes of their operand as they are, or
/// clamp them: they have the kind that their readers want. A clamp is only such
/// an operator if no other type was asked for, and if what it clamps is not
/// read by others.
bool KindPlan::followsReaders(Operation *op) const {
  if (nn::sharesScale(op))
    return true;
  return shareParameters && nn::isSingleClamp(op) &&
         precisions.lookup(op) == LayerPrecision();
}

/// What the readers of a value want; Default if only outputs are behind it.
DataType KindPlan::wantedOf(Value value) const {
  DataType wanted = DataType::Default;
  for (OpOperand &use : value.getUses())
    wanted = stronger(wanted, use.getOwner()->hasTrait<OpTrait::IsTerminator>()
                                  ? wantedByOutput(use)
                                  : reads.lookup(use.getOwner()));
  return wanted;
}

/// Arithmetic that nobody has given a type, and whose result nobody reads as
/// codes. Integers would have to be rounded to codes before and after it.
bool KindPlan::computesInFloat(Operation *op) const {
  return isArithmetic(op) && !precisions.asksForData(op) &&
         precisions.lookup(op).output == DataType::Default &&
         llvm::none_of(op->getResults(), [&](Value result) {
           return result.use_empty() || isCodeType(wantedOf(result));
         });
}

DataType KindPlan::readKind(Operation *op) const {
  if (followsReaders(op)) {
    DataType wanted = DataType::Default;
    for (Value result : op->getResults())
      wanted = stronger(wanted, kinds.lookup(result));
    return wanted;
  }
  bool isInFloat = nn::ruleOf(op) == nn::QuantRule::Cpu || computesInFloat(op);
  return isInFloat ? DataType::FP32 : precisions.lookup(op).data;
}

DataType KindPlan::resultKind(Operation *op, Value result) const {
  DataType wanted = wantedOf(result);
  if (followsReaders(op))
    return wanted;

  LayerPrecision precision = precisions.lookup(op);
  if (precision.output != DataType::Default)
    return precision.output;
  nn::QuantRule rule = nn::ruleOf(op);
  if (rule == nn::QuantRule::Cpu || precision.data == DataType::FP32 ||
      result.use_empty())
    return DataType::FP32;
  if (isCodeType(wanted))
    return wanted;
  bool givesFloat =
      rule == nn::QuantRule::Mac || computesInFloat(op) ||
      (wanted == DataType::FP32 && nn::traitsOf(rule).hasAccumulator);
  return givesFloat ? DataType::FP32 : precision.data;
}

//===----------------------------------------------------------------------===//
// Movement towards outputs
//===----------------------------------------------------------------------===//

/// The kind of what is moved to nobody but outputs. Parts that meet there keep
/// codes if one scale serves all of them. Else each has its own up to its own
/// dequantization, and floats meet.
DataType KindPlan::leavingKind(Operation *op) {
  SmallVector<Value> parts;
  llvm::copy_if(op->getOperands(), std::back_inserter(parts), isFloat);
  DataType kind = DataType::Default;
  bool hasFloat = false;
  for (Value part : parts) {
    kind = stronger(kind, kinds.lookup(part));
    hasFloat |= kinds.lookup(part) == DataType::FP32;
  }
  if (!isCodeType(kind) || parts.size() < 2)
    return isCodeType(kind) ? kind : DataType::FP32;
  // Half of the steps is one bit.
  float common = scaleOf(op->getResult(0), kind);
  bool isServed = llvm::all_of(
      parts, [&](Value part) { return common <= 2 * scaleOf(part, kind); });
  if (isServed && !hasFloat)
    return kind;
  for (Value part : parts)
    floats.push_back({getLayerName(op).node, getTensorName(part),
                      Alignment::Float, scaleOf(part, kind), common,
                      "only outputs come after it"});
  return DataType::FP32;
}

/// The scale of a value by itself.
float KindPlan::scaleOf(Value value, DataType kind) const {
  return affineParams(ranges.known(value, kind), kind).scale;
}

} // namespace parallax::quantize
