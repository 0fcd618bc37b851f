//===- ComputeAgain.cpp - Time for memory ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// As many parts as let the least be in memory: what is kept between all of
// them, and the largest one of them. No operation runs more than twice.
//===----------------------------------------------------------------------===//
#include "ComputeAgain.h"
#include "../Sweep/Combine.h"
#include "MoveToReaders.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;

namespace parallax::analyze {
namespace {

constexpr int64_t mostParts = 12;
/// Of what would be kept otherwise; more is not worth the time.
constexpr double worthwhile = 0.7;

class Parts {
public:
  Parts(Block &block, Operation *firstBack);

  void choose();
  void computeAgain();

private:
  struct Layer {
    Operation *op = nullptr;
    /// Up to and with it: what the way back reads.
    int64_t readBefore = 0;
  };

  int64_t partOf(Operation *op, int64_t parts) const {
    // Parts hold about as much each.
    int64_t read = layers[places.lookup(op)].readBefore;
    return std::min(parts - 1, read * parts / std::max<int64_t>(total, 1));
  }
  bool isBack(Operation *op) const { return !places.contains(op); }
  bool isReadBack(Value value) const {
    return llvm::any_of(value.getUsers(),
                        [&](Operation *user) { return isBack(user); });
  }
  bool isReadByLaterPart(Value value, int64_t parts) const {
    int64_t own = partOf(value.getDefiningOp(), parts);
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !isBack(user) && partOf(user, parts) > own;
    });
  }
  int64_t memoryOf(int64_t parts) const;
  void computeAgain(int64_t part);

  std::vector<Layer> layers;
  DenseMap<Operation *, size_t> places;
  int64_t total = 0, parts = 1;
};

Parts::Parts(Block &block, Operation *firstBack) {
  for (Operation &op : block) {
    if (&op == firstBack)
      return;
    if (op.getNumOperands() == 0)
      continue;
    places[&op] = layers.size();
    layers.push_back({&op, 0});
  }
}

int64_t Parts::memoryOf(int64_t parts) const {
  int64_t kept = 0;
  std::vector<int64_t> own(size_t(parts), 0);
  for (const Layer &layer : layers)
    for (Value value : layer.op->getResults())
      if (isReadByLaterPart(value, parts))
        kept += bytesOf(value);
      else if (isReadBack(value))
        own[size_t(partOf(layer.op, parts))] += bytesOf(value);
  return kept + *llvm::max_element(own);
}

void Parts::choose() {
  for (Layer &layer : layers) {
    for (Value value : layer.op->getResults())
      if (isReadBack(value))
        total += bytesOf(value);
    layer.readBefore = total;
  }
  auto least = int64_t(worthwhile * double(total));
  for (int64_t count = 2; count <= mostParts; ++count)
    if (int64_t memory = memoryOf(count); memory < least) {
      least = memory;
      parts = count;
    }
}

/// The last part is at hand when the way back begins.
void Parts::computeAgain() {
  for (int64_t part = 0; part + 1 < parts; ++part)
    computeAgain(part);
}

void Parts::computeAgain(int64_t part) {
  llvm::SetVector<Value> wanted;
  Operation *first = nullptr;
  for (const Layer &layer : layers)
    if (partOf(layer.op, parts) == part)
      for (Value value : layer.op->getResults())
        if (isReadBack(value) && !isReadByLaterPart(value, parts)) {
          wanted.insert(value);
          for (Operation *user : value.getUsers())
            if (isBack(user) && (!first || user->isBeforeInBlock(first)))
              first = user;
        }
  if (!first)
    return;
  // What they are computed from, as far as nobody keeps it.
  llvm::DenseSet<Operation *> again;
  SmallVector<Value> open(wanted.begin(), wanted.end());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !places.contains(op) || partOf(op, parts) != part ||
        isReadByLaterPart(value, parts) || !again.insert(op).second)
      continue;
    llvm::append_range(open, op->getOperands());
  }
  OpBuilder builder(first);
  IRMapping mapping;
  for (const Layer &layer : layers) {
    if (!again.contains(layer.op))
      continue;
    // Of several results, one may be kept.
    IRMapping own = mapping;
    Operation *made = builder.clone(*layer.op, own);
    for (auto [from, to] :
         llvm::zip(layer.op->getResults(), made->getResults()))
      if (!isReadByLaterPart(from, parts))
        mapping.map(from, to);
  }
  for (Value value : wanted)
    value.replaceUsesWithIf(mapping.lookup(value), [&](OpOperand &use) {
      return isBack(use.getOwner());
    });
}

} // namespace

void computeAgain(Block &block, Operation *firstBack) {
  Parts parts(block, firstBack);
  parts.choose();
  parts.computeAgain();
}

} // namespace parallax::analyze
