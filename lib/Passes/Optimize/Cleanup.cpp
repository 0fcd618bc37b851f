//===- Cleanup.cpp - Duplicate and unused layers --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// MLIR has passes for both, but those do not keep layer names or free the
// memory of constants.
//===----------------------------------------------------------------------===//
#include "Commit.h"
#include "Families.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>

using namespace mlir;

namespace parallax {
namespace {

/// Equal constants have equal bytes, wherever these are stored.
bool haveEqualValues(nn::ConstantOp a, nn::ConstantOp b) {
  if (a.getValue() == b.getValue())
    return true;
  Tensor x = toTensor(a.getValue()), y = toTensor(b.getValue());
  return std::memcmp(x.rawData(), y.rawData(), x.byteSize()) == 0;
}

bool computeTheSame(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getOperands() != b->getOperands() ||
      a->getResultTypes() != b->getResultTypes())
    return false;
  if (auto constant = dyn_cast<nn::ConstantOp>(a))
    return haveEqualValues(constant, cast<nn::ConstantOp>(b));
  return a->getName().compareOpProperties(a->getPropertiesStorage(),
                                          b->getPropertiesStorage());
}

llvm::hash_code hashOf(Operation *op) {
  llvm::hash_code hash = llvm::hash_combine(
      op->getName(),
      llvm::hash_combine_range(op->operand_begin(), op->operand_end()),
      llvm::hash_combine_range(op->result_type_begin(), op->result_type_end()));
  if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
    // A few bytes tell most constants apart without reading all of them.
    Tensor tensor = toTensor(constant.getValue());
    StringRef bytes(static_cast<const char *>(tensor.rawData()),
                    std::min<size_t>(tensor.byteSize(), 64));
    return llvm::hash_combine(hash, bytes);
  }
  return llvm::hash_combine(hash, op->hashProperties());
}

} // namespace

bool mergeCommonLayers(func::FuncOp function, OptimizeReport &report) {
  if (function.isExternal())
    return false;
  DenseMap<size_t, SmallVector<Operation *, 1>> seen;
  int64_t merged = 0;
  for (Operation &op :
       llvm::make_early_inc_range(function.front().without_terminator())) {
    SmallVector<Operation *, 1> &candidates = seen[size_t(hashOf(&op))];
    auto same = llvm::find_if(candidates, [&](Operation *candidate) {
      return computeTheSame(candidate, &op);
    });
    if (same == candidates.end()) {
      candidates.push_back(&op);
      continue;
    }
    op.replaceAllUsesWith(*same);
    if (!isa<nn::ConstantOp>(op)) {
      addReplacedNode(*same, &op);
      ++merged;
      op.erase();
      continue;
    }
    eraseLayer(&op);
  }
  if (merged > 0)
    report.applied["merge-common-layers"] += merged;
  return merged > 0;
}

bool removeDeadLayers(func::FuncOp function, OptimizeReport &report) {
  if (function.isExternal())
    return false;
  int64_t removed = 0;
  // From the end, so that readers go before what they read.
  for (Operation *op = function.front().getTerminator()->getPrevNode(); op;) {
    Operation *previous = op->getPrevNode();
    if (op->use_empty()) {
      removed += !isa<nn::ConstantOp>(op);
      eraseLayer(op);
    }
    op = previous;
  }
  if (removed > 0)
    report.applied["remove-dead-layers"] += removed;
  return removed > 0;
}

} // namespace parallax
