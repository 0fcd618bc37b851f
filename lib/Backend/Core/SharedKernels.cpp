//===- SharedKernels.cpp - One kernel for equal operations ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Two operations are equal if they have the same attributes, types and
// constants. The kernel of the first is then used for both.
//===----------------------------------------------------------------------===//
#include "SharedKernels.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace parallax {
namespace {

bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() == 0;
}

bool areEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(
      a, b,
      [](Value a, Value b) {
        return success(a == b || (!isConstant(a) && !isConstant(b)));
      },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Without constants, all convolutions of a deep network would have one hash.
size_t hashOf(Operation *op) {
  auto hashOfConstant = [](Value value) {
    return isConstant(value) ? mlir::hash_value(value) : llvm::hash_code(0);
  };
  return OperationEquivalence::computeHash(
      op, hashOfConstant, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
}

/// Takes over what a kernel told the executor.
void answer(BindContext &context, const BindContext &known) {
  for (auto [input, other] : llvm::zip(context.inputs, known.inputs)) {
    input.wanted = other.wanted;
    input.released = other.released;
  }
  context.outputs = known.outputs;
  context.aliasInput = known.aliasInput;
}

} // namespace

Kernel SharedKernels::get(Operation *op, BindContext &context,
                          llvm::function_ref<Kernel()> bind) {
  bool isKnownInPart = llvm::any_of(context.inputs, [](const auto &input) {
    return !input.constant.isNull();
  });
  if (!isKnownInPart || !context.absorbed.empty())
    return bind();

  std::vector<ValueInfo> offered;
  for (const KernelBuilder::Input &input : context.inputs)
    offered.push_back(input.info);
  size_t hash = hashOf(op);
  auto [first, last] = entries.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (const Entry &entry = it->second;
        entry.offered == offered && areEqual(entry.op, op)) {
      answer(context, entry.answer);
      return entry.kernel;
    }

  Kernel kernel = bind();
  // Others cost nothing to make.
  if (llvm::any_of(context.inputs,
                   [](const auto &input) { return input.released; })) {
    Entry entry{op, std::move(offered), context, kernel};
    for (KernelBuilder::Input &input : entry.answer.inputs)
      input.constant = {};
    entries.emplace(hash, std::move(entry));
  }
  return kernel;
}

} // namespace parallax
