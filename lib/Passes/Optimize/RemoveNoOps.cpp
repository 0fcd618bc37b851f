//===- RemoveNoOps.cpp - Operations that do nothing -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Exporters write them to keep their code simple, and other rewrites leave them
// behind. (The importer drops Identity, Dropout and the like by itself.)
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace parallax {
namespace {

bool areAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t v) { return v == value; });
}

/// True for a window that sees one element and stays on it.
template <typename OpTy> bool isUnitWindow(OpTy op) {
  return areAll(op.getKernel(), 1) && areAll(op.getStrides(), 1) &&
         areAll(op.getPads(), 0);
}

bool isWholeSpatial(Value x) { return areAll(shapeOf(x).drop_front(2), 1); }

/// Reduction of dimensions that have one entry each.
template <typename OpTy> bool reducesNothing(OpTy op) {
  return op.getKeepdims() && llvm::all_of(op.getAxes(), [&](int64_t axis) {
           return shapeOf(op.getX())[size_t(axis)] == 1;
         });
}

/// True if the first result is the first operand, given that they have the same
/// type.
bool copiesOperand(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<nn::ReshapeOp, nn::ExpandOp, nn::TileOp, nn::CastOp>(
          [](auto) { return true; })
      .Case([](nn::ConcatOp op) { return op.getInputs().size() == 1; })
      .Case([](nn::SplitOp op) { return op.getSizes().size() == 1; })
      .Case([](nn::TransposeOp op) { return llvm::is_sorted(op.getPerm()); })
      .Case([](nn::SliceOp op) { return areAll(op.getSteps(), 1); })
      .Case([](nn::PadOp op) { return areAll(op.getPads(), 0); })
      .Case([](nn::DepthToSpaceOp op) { return op.getBlocksize() == 1; })
      .Case([](nn::SpaceToDepthOp op) { return op.getBlocksize() == 1; })
      .Case([](nn::ChannelShuffleOp op) {
        return op.getGroups() == 1 ||
               int64_t(op.getGroups()) == shapeOf(op.getX())[1];
      })
      .Case([](nn::ResizeOp op) {
        return op.getCoordinateMode() != "tf_crop_and_resize" &&
               llvm::all_of(op.getScales(), [](float s) { return s == 1; });
      })
      .Case([](nn::ClipOp op) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return op.getMin().convertToDouble() == -infinity &&
               op.getMax().convertToDouble() == infinity;
      })
      .Case<nn::MaxPoolOp, nn::AveragePoolOp>(
          [](auto op) { return isUnitWindow(op); })
      .Case<nn::GlobalAveragePoolOp, nn::GlobalMaxPoolOp>(
          [](auto op) { return isWholeSpatial(op.getX()); })
      .Case<nn::ReduceMeanOp, nn::ReduceSumOp, nn::ReduceMaxOp,
            nn::ReduceMinOp>([](auto op) { return reducesNothing(op); })
      .Default(false);
}

void removeCopy(Operation *op, Proposal &proposal) {
  if (op->getNumOperands() > 0 && op->getNumResults() == 1 &&
      op->getOperand(0).getType() == op->getResult(0).getType() &&
      copiesOperand(op))
    proposal.replace(op->getOperand(0));
}

/// x + 0, x - 0, x * 1, x / 1 and x ** 1.
void removeNeutralNumber(Operation *op, Proposal &proposal) {
  bool isSum = isa<nn::AddOp, nn::SubOp>(op);
  if (!isSum && !isa<nn::MulOp, nn::DivOp, nn::PowOp>(op))
    return;
  std::optional<ConstantOperand> split = splitConstant(op);
  if (!split || split->other.getType() != op->getResult(0).getType())
    return;
  bool isCommutative = isa<nn::AddOp, nn::MulOp>(op);
  if (!isCommutative && split->constant != op->getOperand(1))
    return;
  std::optional<double> number = numberOf(split->constant);
  if (number && *number == (isSum ? 0.0 : 1.0))
    proposal.replace(split->other);
}

/// Of two changes of shape, one after the other, the last one counts.
void mergeReshapes(nn::ReshapeOp op, Proposal &proposal) {
  if (auto first = op.getX().getDefiningOp<nn::ReshapeOp>())
    proposal.replace(proposal.createLike(op, first.getX()));
}

/// Only dimensions of extent 1 change places: the elements stay in order.
void makeTransposeReshape(nn::TransposeOp op, Proposal &proposal) {
  int64_t last = -1;
  for (int64_t axis : op.getPerm()) {
    if (shapeOf(op.getX())[size_t(axis)] == 1)
      continue;
    if (axis < last)
      return;
    last = axis;
  }
  if (!llvm::is_sorted(op.getPerm()))
    proposal.replace(proposal.create<nn::ReshapeOp>(
        op.getX(), proposal.i64s("shape", shapeOf(op.getY()))));
}

/// A mean over dimensions of extent 1 that drops them.
template <typename OpTy>
void makeReductionReshape(OpTy op, Proposal &proposal) {
  if (!op.getKeepdims() && llvm::all_of(op.getAxes(), [&](int64_t axis) {
        return shapeOf(op.getX())[size_t(axis)] == 1;
      }))
    proposal.replace(proposal.create<nn::ReshapeOp>(
        op.getX(), proposal.i64s("shape", shapeOf(op.getY()))));
}

/// The parts of a split, put together again.
void removeSplitConcat(nn::ConcatOp op, Proposal &proposal) {
  auto split = op.getInputs()[0].getDefiningOp<nn::SplitOp>();
  if (split && split.getAxis() == op.getAxis() &&
      llvm::equal(op.getInputs(), split.getParts()))
    proposal.replace(split.getX());
}

/// Concatenation of concatenations along the same axis.
void mergeConcats(nn::ConcatOp op, Proposal &proposal) {
  // The last one of a chain takes all of them in at once.
  if (op->hasOneUse())
    if (auto outer = dyn_cast<nn::ConcatOp>(*op->user_begin());
        outer && outer.getAxis() == op.getAxis())
      return;
  SmallVector<Value> inputs, pending(llvm::reverse(op.getInputs()));
  while (!pending.empty()) {
    Value input = pending.pop_back_val();
    auto inner = soleProducer<nn::ConcatOp>(input);
    if (inner && inner.getAxis() == op.getAxis())
      llvm::append_range(pending, llvm::reverse(inner.getInputs()));
    else
      inputs.push_back(input);
  }
  if (inputs.size() > op.getInputs().size())
    proposal.replace(proposal.create<nn::ConcatOp>(
        inputs, proposal.i64("axis", op.getAxis())));
}

} // namespace

Rewrites removeNoOpsRewrites() {
  return {{"remove-copy", "", removeCopy},
          {"remove-neutral-number", "", removeNeutralNumber},
          rewrite("merge-reshapes", mergeReshapes),
          rewrite("transpose-to-reshape", makeTransposeReshape),
          rewrite("mean-to-reshape", makeReductionReshape<nn::ReduceMeanOp>),
          rewrite("sum-to-reshape", makeReductionReshape<nn::ReduceSumOp>),
          rewrite("max-to-reshape", makeReductionReshape<nn::ReduceMaxOp>),
          rewrite("remove-split-concat", removeSplitConcat),
          rewrite("merge-concats", mergeConcats)};
}

} // namespace parallax
