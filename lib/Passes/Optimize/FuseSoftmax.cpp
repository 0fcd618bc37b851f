//===- FuseSoftmax.cpp - Exponentials divided by their sum ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A softmax in separate operations loses its precision in the exponentials,
// whose range no quantization covers; as one operation it has an integer
// algorithm.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Formula.h"

using namespace mlir;

namespace parallax {
namespace {

/// A value that `OpTy` reduces along one axis.
struct Along {
  Value x;
  int64_t axis;
};

template <typename OpTy> std::optional<Along> reducedBy(Value value) {
  std::optional<Reduction> reduction = reductionOf(value);
  if (!reduction || !isa<OpTy>(reduction->op))
    return std::nullopt;
  std::optional<int64_t> axis = reduction->soleAxis();
  return axis ? std::optional<Along>({reduction->x, *axis}) : std::nullopt;
}

template <typename OpTy> void replaceBy(Along along, Proposal &proposal) {
  Operation *root = proposal.root();
  if (isFloat(along.x) && along.x.getType() == root->getResult(0).getType() &&
      isClosed(root, along.x))
    proposal.replace(
        proposal.create<OpTy>(along.x, proposal.i64("axis", along.axis)));
}

/// exp(x) / sum(exp(x)).
void fuseSoftmax(Operation *op, Proposal &proposal) {
  if (!isa<nn::MulOp, nn::DivOp>(op))
    return;
  Product product = productOf(op->getResult(0));
  if (product.coefficient != 1 || product.factors.size() != 2)
    return;
  for (size_t i : {0, 1}) {
    Factor above = product.factors[i], below = product.factors[1 - i];
    auto exp = above.base.getDefiningOp<nn::ExpOp>();
    if (!exp || above.exponent != 1 || below.exponent != -1)
      continue;
    std::optional<Along> sum = reducedBy<nn::ReduceSumOp>(below.base);
    if (sum && isSameValue(sum->x, exp.getY()))
      return replaceBy<nn::SoftmaxOp>({exp.getX(), sum->axis}, proposal);
  }
}

/// x - ln(sum(exp(x))).
void fuseLogSoftmax(nn::SubOp op, Proposal &proposal) {
  std::optional<Along> found = reducedBy<nn::ReduceLogSumExpOp>(op.getB());
  if (auto log = op.getB().getDefiningOp<nn::LogOp>()) {
    found = reducedBy<nn::ReduceSumOp>(log.getX());
    auto exp = found ? found->x.getDefiningOp<nn::ExpOp>() : nn::ExpOp();
    if (!exp)
      return;
    found->x = exp.getX();
  }
  if (found && isSameValue(found->x, op.getA()))
    replaceBy<nn::LogSoftmaxOp>({op.getA(), found->axis}, proposal);
}

/// ln(softmax(x)).
void mergeLog(nn::LogOp op, Proposal &proposal) {
  if (auto softmax = soleProducer<nn::SoftmaxOp>(op.getX()))
    replaceBy<nn::LogSoftmaxOp>({softmax.getX(), int64_t(softmax.getAxis())},
                                proposal);
}

/// softmax(x - max(x)): the operation subtracts the maximum itself.
template <typename OpTy> void dropMaximum(OpTy op, Proposal &proposal) {
  auto shifted = op.getX().template getDefiningOp<nn::SubOp>();
  std::optional<Along> maximum =
      shifted ? reducedBy<nn::ReduceMaxOp>(shifted.getB()) : std::nullopt;
  int64_t axis = op.getAxis();
  axis += axis < 0 ? rankOf(op.getX()) : 0;
  if (maximum && maximum->axis == axis &&
      isSameValue(maximum->x, shifted.getA()))
    replaceBy<OpTy>({shifted.getA(), axis}, proposal);
}

} // namespace

Rewrites fuseSoftmaxRewrites() {
  return {{"fuse-softmax", "", fuseSoftmax},
          rewrite("fuse-log-softmax", fuseLogSoftmax),
          rewrite("softmax-to-log-softmax", mergeLog),
          rewrite("drop-maximum", dropMaximum<nn::SoftmaxOp>),
          rewrite("drop-maximum-of-log", dropMaximum<nn::LogSoftmaxOp>)};
}

} // namespace parallax
