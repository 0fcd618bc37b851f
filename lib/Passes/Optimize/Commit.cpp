//===- Commit.cpp - A proposal becomes part of the network ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A value keeps its tensor name, whichever operation computes it. A new
// operation takes the node name of an operation of its own kind that it
// replaces, because that is the layer which its author knows; otherwise the
// last one gets the name of the root, and the others are steps of it.
//===----------------------------------------------------------------------===//
#include "Commit.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace parallax {

static StringAttr nodeName(Operation *op) {
  return StringAttr::get(op->getContext(), getLayerName(op).node);
}

ArrayRef<Attribute> getReplacedNodes(Operation *op) {
  auto list = op->getAttrOfType<ArrayAttr>(replacesAttribute);
  return list ? list.getValue() : ArrayRef<Attribute>();
}

void addReplacedNodes(Operation *op, ArrayRef<Attribute> nodes) {
  // Lists grow long where hundreds of layers become one.
  llvm::SetVector<Attribute> all;
  all.insert_range(getReplacedNodes(op));
  all.insert_range(nodes);
  all.remove(nodeName(op));
  all.remove(StringAttr::get(op->getContext(), ""));
  if (!all.empty())
    op->setAttr(replacesAttribute,
                ArrayAttr::get(op->getContext(), all.getArrayRef()));
}

void addReplacedNode(Operation *op, Operation *replaced) {
  SmallVector<Attribute> nodes{nodeName(replaced)};
  llvm::append_range(nodes, getReplacedNodes(replaced));
  addReplacedNodes(op, nodes);
}

/// True if no other constant of the module has the same attribute, and with it
/// the same memory.
static bool ownsValue(nn::ConstantOp constant) {
  auto sharesValue = [&](nn::ConstantOp other) {
    return other != constant && other.getValue() == constant.getValue();
  };
  auto module = constant->getParentOfType<ModuleOp>();
  return !module ||
         llvm::none_of(module.getOps<func::FuncOp>(), [&](func::FuncOp view) {
           return !view.isExternal() &&
                  llvm::any_of(view.front().getOps<nn::ConstantOp>(),
                               sharesValue);
         });
}

void eraseLayer(Operation *op) {
  auto constant = dyn_cast<nn::ConstantOp>(op);
  if (constant && isa<DenseResourceElementsAttr>(constant.getValue()) &&
      ownsValue(constant))
    takeTensor(constant.getValue());
  op->erase();
}

namespace {

/// What is remembered of an operation that is about to go.
struct OldLayer {
  Operation *op;
  LayerName name;
  bool isClaimed = false;
};

class Committer {
public:
  explicit Committer(const Proposal &proposal)
      : proposal(proposal), rootName(getLayerName(proposal.root())) {
    rootName.tensors.resize(std::max<size_t>(rootName.tensors.size(), 1));
    for (const Proposal::Replacement &replacement : proposal.replacements())
      tensorNames[replacement.to] = getTensorName(replacement.from);
  }

  void run() {
    for (const Proposal::Replacement &replacement : proposal.replacements()) {
      Value from = replacement.from;
      from.replaceAllUsesWith(replacement.to);
    }
    collectDead();
    nameSteps();
    for (Operation *op : dead)
      eraseLayer(op);
  }

private:
  /// The operations that only the replaced values needed, users first.
  void collectDead() {
    SmallVector<Operation *> pending{proposal.root()};
    for (const Proposal::Replacement &replacement : proposal.replacements())
      if (Operation *op = replacement.from.getDefiningOp())
        pending.push_back(op);
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val();
      bool isDead = llvm::all_of(
          op->getUsers(), [&](Operation *user) { return seen.contains(user); });
      if (!isDead || proposal.isNew(op) || !seen.insert(op).second)
        continue;
      dead.push_back(op);
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          pending.push_back(producer);
    }
    // In the order of the network, which is that of their names.
    llvm::sort(
        dead, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *op : llvm::reverse(dead))
      if (!isa<nn::ConstantOp>(op))
        old.push_back({op, getLayerName(op)});
  }

  /// The old operation that a new one continues, if there is one.
  OldLayer *claimFor(Operation *op) {
    for (OldLayer &layer : old)
      if (!layer.isClaimed && layer.op->getName() == op->getName()) {
        layer.isClaimed = true;
        return &layer;
      }
    return nullptr;
  }

  /// Names the operation of a step. A value that is not one of the network so
  /// far is called after `likeness`, which it resembles.
  void setName(const Proposal::Step &step, StringRef node,
               const std::vector<std::string> &likeness) {
    std::vector<std::string> tensors;
    for (auto [i, result] : llvm::enumerate(step.op->getResults())) {
      auto it = tensorNames.find(result);
      tensors.push_back(
          it != tensorNames.end()
              ? it->second
              : (i < likeness.size() ? likeness[i] : rootName.tensors[0]) +
                    "/" + stepName(step));
    }
    step.op->removeAttr(replacesAttribute);
    step.op->setLoc(makeLayerLocation(proposal.context(), node, tensors));
  }

  /// The tensors that a step on the way resembles: what it reads, if that is
  /// part of the network already, or else what all of it is for.
  std::vector<std::string> likenessOf(const Proposal::Step &step) const {
    Value operand = step.op->getOperand(0);
    Operation *producer = operand.getDefiningOp();
    std::string name = getTensorName(operand);
    if (name.empty() || (producer && proposal.isNew(producer)))
      return rootName.tensors;
    return {name};
  }

  void nameSteps() {
    Operation *primary = nullptr;
    SmallVector<Proposal::Step> unnamed;
    for (const Proposal::Step &step : proposal.steps()) {
      if (isa<nn::ConstantOp>(step.op))
        continue;
      OldLayer *layer = claimFor(step.op);
      if (!layer) {
        unnamed.push_back(step);
        continue;
      }
      setName(step, layer->name.node, layer->name.tensors);
      addReplacedNodes(step.op, getReplacedNodes(layer->op));
      primary = step.op;
    }
    for (const Proposal::Step &step : llvm::reverse(unnamed)) {
      if (primary) {
        setName(step, rootName.node + "/" + stepName(step), likenessOf(step));
        continue;
      }
      setName(step, withType(rootName.node, step.op), rootName.tensors);
      primary = step.op;
    }
    if (!primary)
      return;
    for (const OldLayer &layer : old)
      if (!layer.isClaimed)
        addReplacedNode(primary, layer.op);
  }

  static std::string stepName(const Proposal::Step &step) {
    return step.name.empty() ? step.op->getName().stripDialect().str()
                             : step.name;
  }

  const Proposal &proposal;
  LayerName rootName;
  /// What the values are called that the network has already.
  DenseMap<Value, std::string> tensorNames;
  SmallVector<Operation *> dead;
  std::vector<OldLayer> old;
};

} // namespace

void commit(const Proposal &proposal) { Committer(proposal).run(); }

} // namespace parallax
