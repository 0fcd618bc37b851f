//===- Rewrite.cpp - Proposals and their driver ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Builds the operations of a proposal, and runs the driver that checks and then
// commits or discards it.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Optimize/Rewrite.h"
#include "Commit.h"
#include "RewriteCheck.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace parallax {

//===----------------------------------------------------------------------===//
// Proposal
//===----------------------------------------------------------------------===//

Proposal::Proposal(Operation *root) : rootOp(root), builder(root) {}

Value Proposal::track(Operation *op, StringRef step) {
  created.push_back({op, step.str()});
  newOps.insert(op);
  return op->getResult(0);
}

static std::string cannotTake(OperationName name) {
  return "'" + name.getStringRef().str() +
         "' can't take the operands that it was given";
}

Value Proposal::insert(OperationState &state, bool isComplete, StringRef step) {
  if (isComplete)
    return track(builder.create(state), step);
  problemText = cannotTake(state.name);
  // Something to go on with: the proposal is lost already.
  return rootOp->getResult(0);
}

Value Proposal::createLike(Operation *op, ValueRange operands,
                           ArrayRef<NamedAttribute> changes, StringRef step) {
  Operation *copy = builder.insert(op->cloneWithoutRegions());
  copy->setOperands(operands);
  for (NamedAttribute change : changes)
    copy->setAttr(change.getName(), change.getValue());
  if (failed(nn::inferTypesAgain(copy)))
    problemText = cannotTake(op->getName());
  return track(copy, step);
}

static Value insertConstant(OpBuilder &builder, Tensor value,
                            const std::string &name) {
  MLIRContext *context = builder.getContext();
  // A view of a constant that this one may outlive.
  if (!value.isOwner())
    value = value.clone();
  return nn::ConstantOp::create(builder,
                                makeLayerLocation(context, name, {name}),
                                toAttribute(context, value, name));
}

Value Proposal::constant(Tensor value, StringRef name) {
  Value result = insertConstant(builder, std::move(value), name.str());
  track(result.getDefiningOp(), "");
  return result;
}

Value Proposal::constantLike(Value old, Tensor value) {
  return constant(std::move(value), getTensorName(old));
}

void Proposal::replace(Value from, Value to) { replaced.push_back({from, to}); }

void Proposal::replace(Value to) { replace(rootOp->getResult(0), to); }

void Proposal::discard() {
  for (const Step &step : llvm::reverse(created))
    eraseLayer(step.op);
  created.clear();
}

NamedAttribute Proposal::named(StringRef name, Attribute value) const {
  return {StringAttr::get(context(), name), value};
}
NamedAttribute Proposal::i64(StringRef name, int64_t value) const {
  return named(name, Builder(context()).getI64IntegerAttr(value));
}
NamedAttribute Proposal::i64s(StringRef name, ArrayRef<int64_t> values) const {
  return named(name, Builder(context()).getDenseI64ArrayAttr(values));
}
NamedAttribute Proposal::f32(StringRef name, double value) const {
  return named(name, Builder(context()).getF32FloatAttr(float(value)));
}
NamedAttribute Proposal::f64(StringRef name, double value) const {
  return named(name, Builder(context()).getF64FloatAttr(value));
}
NamedAttribute Proposal::word(StringRef name, StringRef value) const {
  return named(name, StringAttr::get(context(), value));
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

/// Why the proposal must not be carried out, or nothing.
static std::optional<std::string> findObjection(const Proposal &proposal,
                                                bool check, double tolerance) {
  if (!proposal.problem().empty())
    return proposal.problem();
  for (const Proposal::Replacement &replacement : proposal.replacements())
    if (replacement.from.getType() != replacement.to.getType())
      return "its result has another type";
  for (const Proposal::Step &step : proposal.steps())
    if (failed(verify(step.op)))
      return "it is not a valid operation";
  return check ? findDifference(proposal, tolerance) : std::nullopt;
}

/// Tries one rewrite on one operation.
static bool tryRewrite(const Rewrite &rewrite, Operation *op,
                       const RewriteOptions &options, OptimizeReport &report) {
  if (!rewrite.rootName.empty() &&
      rewrite.rootName != op->getName().getStringRef())
    return false;
  Proposal proposal(op);
  // What is wrong with a proposal is reported as a whole.
  ScopedDiagnosticHandler silence(op->getContext(),
                                  [](Diagnostic &) { return success(); });
  rewrite.propose(op, proposal);
  if (proposal.replacements().empty()) {
    proposal.discard();
    return false;
  }
  std::pair<std::string, std::string> key(rewrite.name,
                                          getTensorName(op->getResult(0)));
  if (report.refused.contains(key)) {
    proposal.discard();
    return false;
  }
  if (std::optional<std::string> objection =
          findObjection(proposal, options.check && !rewrite.isEvaluation,
                        options.tolerance)) {
    proposal.discard();
    report.undone.push_back(
        {rewrite.name, getLayerName(op).node, std::move(*objection)});
    report.refused.insert(std::move(key));
    return false;
  }
  commit(proposal);
  ++report.applied[rewrite.name];
  return true;
}

bool applyRewrites(func::FuncOp function, const Rewrites &rewrites,
                   const RewriteOptions &options, OptimizeReport &report) {
  if (function.isExternal())
    return false;
  // Rewrites are small: threads would mostly wait for each other.
  ThreadCountScope oneThread(1);
  Block &block = function.front();
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (Operation *op = &block.front(); op;) {
      // A rewrite inserts before its root and removes nothing after it.
      Operation *next = op->getNextNode();
      if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<nn::ConstantOp>(op))
        again |= llvm::any_of(rewrites, [&](const Rewrite &rewrite) {
          return tryRewrite(rewrite, op, options, report);
        });
      op = next;
    }
    changed |= again;
  }
  return changed;
}

} // namespace parallax
