//===- RewriteTest.cpp - Rewrites and their check -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites that are wrong on purpose: the check has to find each of them, undo
// it, and name it. Correct ones carry names over.
//===----------------------------------------------------------------------===//
#include "OptimizeTestSupport.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Support/LayerName.h"

using namespace parallax;

namespace {

constexpr const char *unfusedSiluNetwork = R"(
func.func @main(%x: tensor<1x4x40x40xf32> {nn.name = "x"}) -> (tensor<1x4x40x40xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<4x4x3x3xf32> loc("w"("w"))
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<1x4x40x40xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x40x40xf32> loc("conv"("t0"))
  %1 = nn.sigmoid %0 : (tensor<1x4x40x40xf32>) -> tensor<1x4x40x40xf32> loc("sigmoid"("t1"))
  %2 = nn.mul %0, %1 : (tensor<1x4x40x40xf32>, tensor<1x4x40x40xf32>) -> tensor<1x4x40x40xf32> loc("op_2:onnx.Mul"("y"))
  return %2 : tensor<1x4x40x40xf32>
}
)";

class RewriteTest : public OptimizeTest {
protected:
  /// Applies one rewrite to the network and returns the report.
  OptimizeReport apply(const Rewrite &rewrite, bool check = true) {
    parse(unfusedSiluNetwork);
    before = print();
    RewriteOptions options;
    options.check = check;
    OptimizeReport report;
    applyRewrites(function(), {rewrite}, options, report);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    return report;
  }

  /// Expects that the check finds the rewrite out.
  void expectUndone(const Rewrite &rewrite, StringRef layer) {
    OptimizeReport report = apply(rewrite);
    ASSERT_EQ(report.undone.size(), 1u);
    EXPECT_EQ(report.undone[0].rewrite, rewrite.name);
    EXPECT_EQ(report.undone[0].layer, layer);
    EXPECT_FALSE(report.undone[0].reason.empty());
    EXPECT_TRUE(report.applied.empty());
    EXPECT_EQ(print(), before);
  }

  std::string before;
};

TEST_F(RewriteTest, AnotherFunctionIsUndone) {
  expectUndone(rewrite<nn::SigmoidOp>(
                   "sigmoid-to-tanh",
                   [](nn::SigmoidOp op, Proposal &proposal) {
                     proposal.replace(proposal.create<nn::TanhOp>(op.getX()));
                   }),
               "sigmoid");
}

TEST_F(RewriteTest, AnOperandThatIsForgottenIsNoticed) {
  expectUndone(rewrite<nn::MulOp>("drop-gate",
                                  [](nn::MulOp op, Proposal &proposal) {
                                    proposal.replace(op.getA());
                                  }),
               "op_2:onnx.Mul");
}

TEST_F(RewriteTest, SwappedPaddingIsNoticedAtTheBorder) {
  expectUndone(rewrite<nn::ConvOp>("shift-padding",
                                   [](nn::ConvOp op, Proposal &proposal) {
                                     proposal.replace(proposal.createLike(
                                         op, op->getOperands(),
                                         proposal.i64s("pads", {0, 1, 2, 1})));
                                   }),
               "conv");
}

TEST_F(RewriteTest, ASmallErrorInWeightsIsNoticed) {
  expectUndone(rewrite<nn::ConvOp>(
                   "scale-weights",
                   [](nn::ConvOp op, Proposal &proposal) {
                     Tensor weight(DType::F32, {4, 4, 3, 3});
                     std::fill_n(weight.data<float>(), weight.size(), 0.5001f);
                     proposal.replace(proposal.createLike(
                         op, {op.getX(),
                              proposal.constantLike(op.getWeight(), weight)}));
                   }),
               "conv");
}

TEST_F(RewriteTest, AnotherTypeIsUndone) {
  expectUndone(
      rewrite<nn::MulOp>("flatten",
                         [](nn::MulOp op, Proposal &proposal) {
                           proposal.replace(proposal.create<nn::ReshapeOp>(
                               op.getA(), proposal.i64s("shape", {4, 1600})));
                         }),
      "op_2:onnx.Mul");
}

TEST_F(RewriteTest, AnOperationThatCannotBeIsUndone) {
  expectUndone(rewrite<nn::ConvOp>("break-conv",
                                   [](nn::ConvOp op, Proposal &proposal) {
                                     proposal.replace(proposal.createLike(
                                         op, {op.getWeight(), op.getX()}));
                                   }),
               "conv");
}

TEST_F(RewriteTest, WithoutTheCheckItWouldHaveHappened) {
  OptimizeReport report =
      apply(rewrite<nn::SigmoidOp>(
                "sigmoid-to-tanh",
                [](nn::SigmoidOp op, Proposal &proposal) {
                  proposal.replace(proposal.create<nn::TanhOp>(op.getX()));
                }),
            /*check=*/false);
  EXPECT_EQ(report.applied["sigmoid-to-tanh"], 1);
  EXPECT_NE(print(), before);
}

TEST_F(RewriteTest, ARightOneTakesOverNames) {
  OptimizeReport report = apply(
      rewrite<nn::MulOp>("fuse-silu", [](nn::MulOp op, Proposal &proposal) {
        if (auto gate = op.getB().getDefiningOp<nn::SigmoidOp>())
          proposal.replace(proposal.create<nn::SiluOp>(gate.getX()));
      }));
  EXPECT_TRUE(report.undone.empty());
  EXPECT_EQ(report.applied["fuse-silu"], 1);
  auto silu = *function().getOps<nn::SiluOp>().begin();
  EXPECT_EQ(getLayerName(silu).node, "op_2:onnx.Silu");
  EXPECT_EQ(getTensorName(silu), "y");
  std::vector<NodeFate> fates =
      mapNodes(function(), {"conv", "sigmoid", "op_2:onnx.Mul", "elsewhere"});
  EXPECT_EQ(fates[0].layer, "conv");
  EXPECT_EQ(fates[1].layer, "op_2:onnx.Silu");
  EXPECT_EQ(fates[2].layer, "op_2:onnx.Silu");
  EXPECT_EQ(fates[3].layer, "");
}

} // namespace
