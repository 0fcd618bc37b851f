//===- Passes.cpp - Families of rewrites as passes ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One pass per family, so that each can be run and tested by itself.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Optimize/Passes.h"
#include "Families.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Passes/Optimize/Optimize.h"

namespace parallax {

#define GEN_PASS_DEF_FOLDAFFINE
#define GEN_PASS_DEF_FOLDCONSTANTS
#define GEN_PASS_DEF_FOLDPADS
#define GEN_PASS_DEF_FORMFULLYCONNECTED
#define GEN_PASS_DEF_FUSEACTIVATIONS
#define GEN_PASS_DEF_FUSELAYOUT
#define GEN_PASS_DEF_FUSENORMALIZATIONS
#define GEN_PASS_DEF_FUSESOFTMAX
#define GEN_PASS_DEF_GLOBALIZEPOOLS
#define GEN_PASS_DEF_MERGECOMMONLAYERS
#define GEN_PASS_DEF_MERGETRANSPOSES
#define GEN_PASS_DEF_NAMELAYERS
#define GEN_PASS_DEF_OPTIMIZE
#define GEN_PASS_DEF_REMOVEDEADLAYERS
#define GEN_PASS_DEF_REMOVENOOPS
#define GEN_PASS_DEF_WIDENTO2D
#include "parallax/Passes/Optimize/Passes.h.inc"

namespace {

void reportUndone(mlir::func::FuncOp function, const OptimizeReport &report) {
  for (const UndoneRewrite &undone : report.undone)
    function.emitWarning("rewrite '")
        << undone.rewrite << "' on layer '" << undone.layer
        << "' was undone: " << undone.reason;
}

template <typename Base, Rewrites (*rewrites)()> struct RewritePass : Base {
  using Base::Base;
  void runOnOperation() override {
    OptimizeReport report;
    RewriteOptions options;
    options.check = this->check;
    applyRewrites(this->getOperation(), rewrites(), options, report);
    reportUndone(this->getOperation(), report);
  }
};

template <typename Base, bool (*clean)(mlir::func::FuncOp, OptimizeReport &)>
struct CleanupPass : Base {
  void runOnOperation() override {
    OptimizeReport report;
    clean(this->getOperation(), report);
  }
};

struct FoldAffine
    : RewritePass<impl::FoldAffineBase<FoldAffine>, foldAffineRewrites> {
  using RewritePass::RewritePass;
};
struct FoldConstants : RewritePass<impl::FoldConstantsBase<FoldConstants>,
                                   foldConstantsRewrites> {
  using RewritePass::RewritePass;
};
struct FoldPads : RewritePass<impl::FoldPadsBase<FoldPads>, foldPadsRewrites> {
  using RewritePass::RewritePass;
};
struct FormFullyConnected
    : RewritePass<impl::FormFullyConnectedBase<FormFullyConnected>,
                  formFullyConnectedRewrites> {
  using RewritePass::RewritePass;
};
struct FuseActivations : RewritePass<impl::FuseActivationsBase<FuseActivations>,
                                     fuseActivationsRewrites> {
  using RewritePass::RewritePass;
};
struct FuseLayout
    : RewritePass<impl::FuseLayoutBase<FuseLayout>, fuseLayoutRewrites> {
  using RewritePass::RewritePass;
};
struct FuseNormalizations
    : RewritePass<impl::FuseNormalizationsBase<FuseNormalizations>,
                  fuseNormalizationsRewrites> {
  using RewritePass::RewritePass;
};
struct FuseSoftmax
    : RewritePass<impl::FuseSoftmaxBase<FuseSoftmax>, fuseSoftmaxRewrites> {
  using RewritePass::RewritePass;
};
struct GlobalizePools : RewritePass<impl::GlobalizePoolsBase<GlobalizePools>,
                                    globalizePoolsRewrites> {
  using RewritePass::RewritePass;
};
struct MergeTransposes : RewritePass<impl::MergeTransposesBase<MergeTransposes>,
                                     mergeTransposesRewrites> {
  using RewritePass::RewritePass;
};
struct RemoveNoOps
    : RewritePass<impl::RemoveNoOpsBase<RemoveNoOps>, removeNoOpsRewrites> {
  using RewritePass::RewritePass;
};
struct WidenTo2D
    : RewritePass<impl::WidenTo2DBase<WidenTo2D>, widenTo2DRewrites> {
  using RewritePass::RewritePass;
};

struct MergeCommonLayers
    : CleanupPass<impl::MergeCommonLayersBase<MergeCommonLayers>,
                  mergeCommonLayers> {};
struct RemoveDeadLayers
    : CleanupPass<impl::RemoveDeadLayersBase<RemoveDeadLayers>,
                  removeDeadLayers> {};

struct NameLayers : impl::NameLayersBase<NameLayers> {
  void runOnOperation() override { nameLayers(getOperation()); }
};

struct Optimize : impl::OptimizeBase<Optimize> {
  using OptimizeBase::OptimizeBase;
  void runOnOperation() override {
    RewriteOptions options;
    options.check = check;
    reportUndone(getOperation(), optimize(getOperation(), options));
  }
};

} // namespace
} // namespace parallax
