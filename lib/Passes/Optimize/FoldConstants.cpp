//===- FoldConstants.cpp - What is known is computed once -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The importer folds as it goes; this finds what other rewrites leave behind.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/Folding.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"

namespace parallax {

static void foldConstants(Operation *op, Proposal &proposal) {
  bool isKnown = llvm::all_of(op->getResultTypes(), [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  });
  if (op->getNumOperands() == 0 || !isKnown || !nn::isWorthFolding(op))
    return;
  std::vector<Tensor> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(constantOf(operand));
    if (operands.back().isNull())
      return;
  }
  std::vector<Tensor> results;
  try {
    results = evaluate(op, operands, referenceKernels());
  } catch (const Error &) {
    return; // An index out of range, say: found again when it is executed.
  }
  for (auto [result, tensor] : llvm::zip(op->getResults(), results))
    proposal.replace(result, proposal.constant(std::move(tensor),
                                               getTensorName(Value(result))));
}

Rewrites foldConstantsRewrites() {
  return {{"fold-constants", "", foldConstants, /*isEvaluation=*/true}};
}

} // namespace parallax
