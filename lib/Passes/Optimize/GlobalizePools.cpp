//===- GlobalizePools.cpp - Global pools ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A pool whose window covers its whole operand becomes a global pool, for which
// the NPU has an instruction.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"

using namespace mlir;

namespace parallax {
namespace {

/// True if the window stops once and sees every element.
template <typename OpTy> bool seesEverything(OpTy op) {
  if (!isFilledWith(shapeOf(op.getY()).drop_front(2), 1))
    return false;
  for (auto [i, extent] : llvm::enumerate(shapeOf(op.getX()).drop_front(2)))
    if (op.getKernel()[i] - op.getPads()[i] < extent ||
        (op.getDilations()[i] != 1 && extent > 1))
      return false;
  return true;
}

/// Padding doesn't count, except in an average that includes it.
template <typename OpTy, typename GlobalOpTy>
void globalizePool(OpTy op, Proposal &proposal) {
  if (!isFloat(op.getX()) || !seesEverything(op))
    return;
  SmallVector<NamedAttribute> attributes;
  if constexpr (std::is_same_v<OpTy, nn::AveragePoolOp>)
    if (op.getCountIncludePad() && !isFilledWith(op.getPads(), 0))
      return;
  if constexpr (std::is_same_v<OpTy, nn::LpPoolOp>)
    attributes.push_back(proposal.i64("p", int64_t(op.getP())));
  proposal.replace(proposal.create<GlobalOpTy>(op.getX(), attributes));
}

/// A mean over exactly the spatial dimensions of an image or a volume.
void globalizeMean(nn::ReduceMeanOp op, Proposal &proposal) {
  Value x = op.getX();
  if (!isFloat(x) || (rankOf(x) != 4 && rankOf(x) != 5) ||
      !llvm::equal(op.getAxes(), llvm::seq<int64_t>(2, rankOf(x))))
    return;
  Value y = proposal.create<nn::GlobalAveragePoolOp>(x);
  if (!op.getKeepdims())
    y = proposal.create<nn::ReshapeOp>(
        y, proposal.i64s("shape", shapeOf(op.getY())));
  proposal.replace(y);
}

} // namespace

Rewrites globalizePoolsRewrites() {
  return {
      rewrite("globalize-average-pool",
              globalizePool<nn::AveragePoolOp, nn::GlobalAveragePoolOp>),
      rewrite("globalize-lp-pool",
              globalizePool<nn::LpPoolOp, nn::GlobalLpPoolOp>),
      rewrite("globalize-max-pool",
              globalizePool<nn::MaxPoolOp, nn::GlobalMaxPoolOp>),
      rewrite("globalize-mean", globalizeMean),
  };
}

} // namespace parallax
