//===- PrecisionReaders.cpp - Whose type a tensor has ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Follows a tensor through operators that only move it, for the sentences of
// the audit.
//===----------------------------------------------------------------------===//
#include "PrecisionReaders.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Quantize/Precision.h"
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax {

static std::string outputName(func::ReturnOp ret, unsigned index) {
  auto function = ret->getParentOfType<func::FuncOp>();
  auto name = function.getResultAttrOfType<StringAttr>(index, "nn.name");
  return name ? name.str() : getTensorName(ret.getOperand(index));
}

namespace quantize {

Reader findReader(Value value, bool behindRequantization) {
  Operation *first = nullptr;
  std::string output;
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i)
    for (OpOperand &use : seen[i].getUses()) {
      Operation *user = use.getOwner();
      bool passesOn = nn::sharesScale(user) ||
                      (behindRequantization && isa<nn::RequantizeOp>(user));
      if (passesOn)
        seen.insert_range(user->getResults());
      else if (auto ret = dyn_cast<func::ReturnOp>(user))
        output = outputName(ret, use.getOperandNumber());
      else if (!isa<nn::RequantizeOp>(user) &&
               (!first || user->isBeforeInBlock(first)))
        first = user;
    }
  return {first ? getLayerName(first).node : "", output};
}

/// Conditions and indices are not what an operator moves.
static Value movedBy(Operation *op) {
  for (Value operand : op->getOperands())
    if (!isa<IntegerType>(getElementTypeOrSelf(operand.getType())))
      return operand;
  return op->getOperand(0);
}

std::string describeFollowed(Operation *op) {
  for (Value result : op->getResults())
    if (Reader reader = findReader(result, true); !reader.layer.empty())
      return fmt::format("follows its consumer '{}'", reader.layer);
  // Towards the inputs, along what is moved.
  for (Value value = movedBy(op);;) {
    Operation *maker = value.getDefiningOp();
    if (!maker)
      return fmt::format("follows the input '{}'", getTensorName(value));
    if (!nn::sharesScale(maker) && !isa<nn::RequantizeOp>(maker))
      return fmt::format("follows '{}', since only outputs come after it",
                         getLayerName(maker).node);
    value = movedBy(maker);
  }
}

} // namespace quantize
} // namespace parallax
