//===- OptimizeTest.cpp - All rewrites together ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What holds for the whole of the optimization: a second time it changes
// nothing, names stay unique, and memory of old weights is given back.
//===----------------------------------------------------------------------===//
#include "OptimizeTestSupport.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Support/LayerName.h"

#include <set>

using namespace parallax;

namespace {

constexpr const char *unoptimizedNetwork = R"(
func.func @main(%x: tensor<1x3x16x16xf32> {nn.name = "x"}) -> (tensor<1x5xf32> {nn.name = "out"}, tensor<1x5xf32> {nn.name = "copy"}) {
  %w = nn.constant dense<0.5> : tensor<8x3x3x3xf32> loc("w"("w"))
  %s = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> loc("s"("s"))
  %fw = nn.constant dense<0.25> : tensor<8x5xf32> loc("fw"("fw"))
  %fb = nn.constant dense<0.25> : tensor<5xf32> loc("fb"("fb"))
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<1x3x16x16xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x16x16xf32> loc("conv"("t"))
  %1 = nn.batch_normalization %0, %s, %s, %s, %s : (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x16x16xf32> loc("bn"("t"))
  %2 = nn.sigmoid %1 : (tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> loc("act"("t2"))
  %3 = nn.mul %1, %2 : (tensor<1x8x16x16xf32>, tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> loc("act"("t3"))
  %4 = nn.average_pool %3 {kernel = array<i64: 16, 16>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<1x8x16x16xf32>) -> tensor<1x8x1x1xf32> loc("pool"("t4"))
  %5 = nn.reshape %4 {shape = array<i64: 1, 8>} : (tensor<1x8x1x1xf32>) -> tensor<1x8xf32> loc("flatten"("t5"))
  %6 = nn.matmul %5, %fw : (tensor<1x8xf32>, tensor<8x5xf32>) -> tensor<1x5xf32> loc("fc"("t6"))
  %7 = nn.add %6, %fb : (tensor<1x5xf32>, tensor<5xf32>) -> tensor<1x5xf32> loc("bias"("t7"))
  return %7, %7 : tensor<1x5xf32>, tensor<1x5xf32>
}
)";

class WholeOptimizationTest : public OptimizeTest {};

TEST_F(WholeOptimizationTest, FindsEverything) {
  parse(unoptimizedNetwork);
  OptimizeReport report = optimize(function());
  EXPECT_TRUE(report.undone.empty());
  std::vector<std::string> kinds;
  for (Operation &op : function().front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      kinds.push_back(op.getName().stripDialect().str());
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"conv", "silu", "global_average_pool",
                                      "reshape", "fully_connected"}));
}

TEST_F(WholeOptimizationTest, ChangesNothingTheSecondTime) {
  parse(unoptimizedNetwork);
  optimize(function());
  std::string once = print();
  OptimizeReport report = optimize(function());
  EXPECT_TRUE(report.applied.empty());
  EXPECT_EQ(print(), once);
}

TEST_F(WholeOptimizationTest, NamesAreUniqueAndThoseOfOutputs) {
  parse(unoptimizedNetwork);
  optimize(function());
  std::set<std::string> nodes, tensors;
  for (Operation &op : function().front().without_terminator()) {
    LayerName name = getLayerName(&op);
    EXPECT_TRUE(isa<nn::ConstantOp>(op) || nodes.insert(name.node).second)
        << name.node;
    EXPECT_TRUE(tensors.insert(name.tensors[0]).second) << name.tensors[0];
  }
  EXPECT_TRUE(tensors.contains("out"));
  EXPECT_FALSE(tensors.contains("copy"));
  // A fused layer has the last tensor's name.
  EXPECT_TRUE(tensors.contains("t3"));
}

TEST_F(WholeOptimizationTest, EveryNodeHasAFate) {
  parse(unoptimizedNetwork);
  optimize(function());
  std::map<std::string, std::string> fates;
  for (const NodeFate &fate : mapNodes(
           function(), {"conv", "bn", "act", "pool", "flatten", "fc", "bias"}))
    fates[fate.node] = fate.layer;
  EXPECT_EQ(fates["bn"], "conv");
  EXPECT_EQ(fates["bias"], "fc");
  EXPECT_EQ(fates["pool"], "pool");
  EXPECT_EQ(fates["flatten"], "flatten");
}

} // namespace
