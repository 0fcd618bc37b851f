//===- FoldPads.cpp - Explicit padding becomes that of a layer ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers pad for free, while a Pad operation copies a whole tensor. It can be
// folded if it pads with the value that the layer itself assumes: 0 for sums,
// and for a maximum any value that is not above all elements.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cfloat>

using namespace mlir;

namespace parallax {
namespace {

bool padsWithConstant(nn::PadOp op) {
  return op.getMode() == "constant" &&
         llvm::all_of(op.getPads(), [](int64_t pad) { return pad >= 0; });
}

/// A padding of spatial dimensions whose only consumer is a layer.
struct SpatialPad {
  nn::PadOp op;
  double value;
  SmallVector<int64_t> pads; ///< Begin of every spatial dimension, then end.
};

std::optional<SpatialPad> spatialPadAt(Value x) {
  auto op = soleProducer<nn::PadOp>(x);
  if (!op || !isFloat(x) || rankOf(x) < 3 || !padsWithConstant(op))
    return std::nullopt;
  ArrayRef<int64_t> begin = op.getPads().take_front(size_t(rankOf(x)));
  ArrayRef<int64_t> end = op.getPads().drop_front(size_t(rankOf(x)));
  for (ArrayRef<int64_t> side : {begin, end})
    if (!isFilledWith(side.take_front(2), 0))
      return std::nullopt;
  SmallVector<int64_t> pads(begin.drop_front(2));
  llvm::append_range(pads, end.drop_front(2));
  return SpatialPad{op, op.getValue().convertToDouble(), std::move(pads)};
}

SmallVector<int64_t> sumOf(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> sums;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sums.push_back(x + y);
  return sums;
}

/// Proposes a layer like the root on `x`, unless it refuses the padding or
/// stops at other places.
void proposeOn(Value x, ArrayRef<NamedAttribute> changes, Proposal &proposal) {
  Operation *op = proposal.root();
  SmallVector<Value> operands(op->getOperands());
  operands[0] = x;
  Value y = proposal.createLike(op, operands, changes);
  if (proposal.problem().empty() && y.getType() == op->getResult(0).getType())
    proposal.replace(y);
}

void foldPadIntoConv(nn::ConvOp op, Proposal &proposal) {
  std::optional<SpatialPad> pad = spatialPadAt(op.getX());
  if (pad && pad->value == 0)
    proposeOn(pad->op.getX(),
              proposal.i64s("pads", sumOf(op.getPads(), pad->pads)), proposal);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// The padding of both, if it is smaller than the window: engines refuse any
/// other.
template <typename OpTy>
std::optional<SmallVector<int64_t>> poolPads(OpTy op, const SpatialPad &pad) {
  SmallVector<int64_t> pads = sumOf(op.getPads(), pad.pads);
  ArrayRef<int64_t> kernel = op.getKernel();
  for (auto [i, extent] : llvm::enumerate(pads))
    if (extent >= kernel[i % kernel.size()])
      return std::nullopt;
  return pads;
}

/// Explicit padding counts as elements of the window. Padding of the pool's own
/// counts alike if it says so, or if there is none. How engines count a partial
/// window is another matter.
void foldPadIntoAveragePool(nn::AveragePoolOp op, Proposal &proposal) {
  std::optional<SpatialPad> pad = spatialPadAt(op.getX());
  if (!pad || pad->value != 0 || op.getCeilMode() ||
      (!op.getCountIncludePad() && !isFilledWith(op.getPads(), 0)))
    return;
  if (auto pads = poolPads(op, *pad))
    proposeOn(pad->op.getX(),
              {proposal.i64s("pads", *pads),
               proposal.named("count_include_pad",
                              BoolAttr::get(proposal.context(), true))},
              proposal);
}

void foldPadIntoLpPool(nn::LpPoolOp op, Proposal &proposal) {
  std::optional<SpatialPad> pad = spatialPadAt(op.getX());
  if (!pad || pad->value != 0)
    return;
  if (auto pads = poolPads(op, *pad))
    proposeOn(pad->op.getX(), proposal.i64s("pads", *pads), proposal);
}

/// A number that no element of the result is less than.
std::optional<double> lowerBoundOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<nn::ReluOp, nn::SigmoidOp, nn::HardSigmoidOp>(
          [](auto) { return 0.0; })
      .Case([](nn::ClipOp op) { return op.getMin().convertToDouble(); })
      .Default(std::nullopt);
}

/// Padding that is no greater than any element never is the maximum of a window
/// that sees an element too. Every window does: without dilation it has no
/// gaps, and it is wider than the padding on either side.
void foldPadIntoMaxPool(nn::MaxPoolOp op, Proposal &proposal) {
  std::optional<SpatialPad> pad = spatialPadAt(op.getX());
  if (!pad || !isFilledWith(op.getDilations(), 1))
    return;
  std::optional<SmallVector<int64_t>> pads = poolPads(op, *pad);
  if (!pads)
    return;
  NamedAttribute change = proposal.i64s("pads", *pads);
  Value x = pad->op.getX();
  if (pad->value <= -FLT_MAX)
    return proposeOn(x, change, proposal);
  // What bounds the elements has to be part of the proposal, or else the check
  // would pool unbounded ones.
  Operation *producer = x.hasOneUse() ? x.getDefiningOp() : nullptr;
  std::optional<double> bound;
  if (producer)
    bound = lowerBoundOf(producer);
  if (!bound || pad->value > *bound)
    return;
  Value bounded = proposal.createLike(producer, producer->getOperands());
  proposeOn(bounded, change, proposal);
  if (!proposal.replacements().empty())
    proposal.replace(x, bounded);
}

//===----------------------------------------------------------------------===//
// Paddings
//===----------------------------------------------------------------------===//

void mergePads(nn::PadOp op, Proposal &proposal) {
  auto inner = soleProducer<nn::PadOp>(op.getX());
  if (inner && padsWithConstant(op) && padsWithConstant(inner) &&
      op.getValue() == inner.getValue())
    proposal.replace(proposal.createLike(
        op, inner.getX(),
        proposal.i64s("pads", sumOf(op.getPads(), inner.getPads()))));
}

} // namespace

Rewrites foldPadsRewrites() {
  return {rewrite("merge-pads", mergePads),
          rewrite("fold-pad-into-conv", foldPadIntoConv),
          rewrite("fold-pad-into-average-pool", foldPadIntoAveragePool),
          rewrite("fold-pad-into-lp-pool", foldPadIntoLpPool),
          rewrite("fold-pad-into-max-pool", foldPadIntoMaxPool)};
}

} // namespace parallax
