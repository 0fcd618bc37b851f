//===- Meetings.cpp - 16 bits where parts of different size meet ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A concatenation inside of the network gives its parts one scale. A part that
// is far smaller than another has a handful of 8-bit codes then. With 16 bits
// it keeps 256 times as many, and only those who read it take longer: they get
// them if they are a small part of the network.
//===----------------------------------------------------------------------===//
#include "TypePlan.h"

#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"

#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace parallax::quantize {
namespace {

/// A layer that reads 16 bits takes about four times as long: these parts of
/// all products, and of all elements, are about 1 % of the time.
constexpr double mostProducts = 1.0 / 300, mostElements = 1.0 / 100;

int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

bool isActivation(Value value) {
  return isFloat(value) && !value.getDefiningOp<nn::ConstantOp>();
}

/// What reads the result of a meeting, directly or moved.
struct Readers {
  llvm::SetVector<Operation *> layers;
  /// All that would have wider codes.
  llvm::SetVector<Value> tensors;
  /// Whether the codes leave the network.
  bool leaves = false;

  void add(const Readers &others) {
    layers.insert_range(others.layers);
    tensors.insert_range(others.tensors);
  }
  int64_t products() const {
    int64_t sum = 0;
    for (Operation *layer : layers)
      sum += nn::countMacs(layer);
    return sum;
  }
  int64_t elements() const {
    int64_t sum = 0;
    for (Value tensor : tensors)
      sum += elementsOf(tensor);
    return sum;
  }
};

class MeetingPlan {
public:
  MeetingPlan(func::FuncOp view, Precisions &precisions, const Ranges &ranges,
              const KindPlan &kinds)
      : precisions(precisions), ranges(ranges), kinds(kinds) {
    // The same with and without processors, which have no products.
    for (Operation &op : view.front().without_terminator())
      if (int64_t own = nn::countMacs(&op)) {
        products += own;
        elements += elementsOf(op.getResult(0));
      }
  }

  void visit(Operation *op) {
    double least = leastSteps(op);
    if (least >= fewestSteps)
      return;
    std::string &note = notes[getLayerName(op).node];
    if (least * 256 < fewestSteps) {
      note = fmt::format("not even 16 bits would leave {} steps", fewestSteps);
      return;
    }
    Readers readers;
    addReaders(op, readers);
    std::string refusal = refusalOf(readers);
    if (!refusal.empty()) {
      note = "16 bits would help, but " + refusal;
      return;
    }
    for (Operation *layer : readers.layers) {
      LayerPrecision precision = precisions.lookup(layer);
      precision.data = DataType::U16;
      precisions.set(layer, precision, /*asksForData=*/true);
    }
    wide.add(readers);
    note = fmt::format("16 bits, because 8 would leave {:.2g} of 255 steps",
                       least);
  }

  std::map<std::string, std::string> takeNotes() { return std::move(notes); }

private:
  float scaleOf(Value value) const {
    return affineParams(withoutMask(value, DataType::U8,
                                    ranges.known(value, DataType::U8), ranges),
                        DataType::U8)
        .scale;
  }

  /// Of 255 steps, how many the common scale leaves to the smallest part.
  double leastSteps(Operation *op) const {
    double least = 255;
    SmallVector<Value> parts;
    llvm::copy_if(op->getOperands(), std::back_inserter(parts), isActivation);
    if (!nn::sharesScale(op) || parts.size() < 2 ||
        kinds.readBy(op) != DataType::U8 || !ranges.find(op->getResult(0)))
      return least;
    double common = scaleOf(op->getResult(0));
    for (Value part : parts) {
      Interval range = ranges.known(part, DataType::U8);
      if (ranges.find(part) && range.low < range.high)
        least = std::min(least, 255 * double(scaleOf(part)) / common);
    }
    return least;
  }

  void addReaders(Operation *op, Readers &readers) const {
    for (Value operand : op->getOperands())
      if (isActivation(operand))
        readers.tensors.insert(operand);
    for (Value result : op->getResults()) {
      if (!isFloat(result))
        continue;
      readers.tensors.insert(result);
      for (OpOperand &use : result.getUses()) {
        Operation *user = use.getOwner();
        if (user->hasTrait<OpTrait::IsTerminator>())
          readers.leaves |= leavesAsCodes(use);
        else if (nn::sharesScale(user))
          addReaders(user, readers);
        else if (kinds.readBy(user) != DataType::FP32)
          readers.layers.insert(user);
      }
    }
  }

  /// Empty if they may read 16 bits.
  std::string refusalOf(const Readers &readers) const {
    if (readers.leaves)
      return "its codes leave the network";
    for (Operation *layer : readers.layers)
      if (!wide.layers.contains(layer) && (precisions.asksForData(layer) ||
                                           kinds.readBy(layer) != DataType::U8))
        return fmt::format("a rule gives '{}' its type",
                           getLayerName(layer).node);
    Readers all = wide;
    all.add(readers);
    if (double(all.products()) > mostProducts * double(products))
      return fmt::format("{:.2g} % of all products would read them",
                         100.0 * double(all.products()) / double(products));
    if (double(all.elements()) > mostElements * double(elements))
      return fmt::format(
          "they would have {:.2g} % of the elements of all products",
          100.0 * double(all.elements()) / double(elements));
    return "";
  }

  Precisions &precisions;
  const Ranges &ranges;
  const KindPlan &kinds;
  int64_t products = 0, elements = 0;
  /// Of all meetings so far.
  Readers wide;
  std::map<std::string, std::string> notes;
};

} // namespace

std::map<std::string, std::string> widenMeetings(func::FuncOp view,
                                                 Precisions &precisions,
                                                 const Ranges &ranges,
                                                 bool shareParameters) {
  KindPlan kinds(view, precisions, ranges, shareParameters);
  MeetingPlan plan(view, precisions, ranges, kinds);
  for (Operation &op : view.front().without_terminator())
    if (op.getNumOperands() > 0)
      plan.visit(&op);
  return plan.takeNotes();
}

} // namespace parallax::quantize
