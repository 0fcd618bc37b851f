//===- KindPlan.cpp - The quantized type of every tensor -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer computes in the type that it is assigned, so a tensor takes the type
// that its readers want. Where they disagree it takes the widest codes, and the
// others get it requantized.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"

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

} // namespace

KindPlan::KindPlan(func::FuncOp function, const Precisions &precisions,
                   bool shareParameters)
    : precisions(precisions), shareParameters(shareParameters) {
  Block &body = function.front();
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (op.getNumOperands() == 0)
      continue;
    for (Value result : op.getResults())
      if (isFloat(result))
        kinds[result] = resultKind(&op, result);
    if (!followsReaders(&op)) {
      reads[&op] = nn::ruleOf(&op) == nn::QuantRule::Cpu
                       ? DataType::FP32
                       : precisions.lookup(&op).data;
      continue;
    }
    DataType wanted = DataType::Default;
    for (Value result : op.getResults())
      wanted = stronger(wanted, kinds.lookup(result));
    reads[&op] = wanted;
  }

  for (BlockArgument argument : function.getArguments())
    if (isFloat(argument))
      kinds[argument] = DataType::FP32;
  // What moves elements to nobody but an output takes what it gets, and all
  // results of an operator that moves elements have the same kind.
  for (Operation &op : body.without_terminator()) {
    if (!followsReaders(&op) || op.getNumOperands() == 0)
      continue;
    DataType kind = reads.lookup(&op);
    if (kind == DataType::Default)
      for (Value operand : op.getOperands())
        kind = stronger(kind, kinds.lookup(operand));
    if (kind == DataType::Default)
      kind = DataType::FP32;
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

DataType KindPlan::resultKind(Operation *op, Value result) const {
  DataType wanted = DataType::Default;
  for (Operation *user : result.getUsers())
    wanted = stronger(wanted, reads.lookup(user));
  if (followsReaders(op))
    return wanted;

  LayerPrecision precision = precisions.lookup(op);
  if (precision.output != DataType::Default)
    return precision.output;
  nn::QuantRule rule = nn::ruleOf(op);
  if (rule == nn::QuantRule::Cpu || precision.data == DataType::FP32 ||
      result.use_empty())
    return DataType::FP32;
  if (isCodeType(wanted) ||
      (wanted == DataType::FP32 && nn::traitsOf(rule).hasAccumulator))
    return wanted;
  return precision.data;
}

} // namespace parallax::quantize
