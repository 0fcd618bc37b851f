//===- ReduceTest.cpp - Smaller networks ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A part of a network computes what it did inside of the whole, a smaller one
// computes what the elements that are left make, and what replaces weights and
// samples has their ranges.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Reduce/Reduce.h"
#include "QuantizeTestSupport.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/LayerName.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>

namespace parallax {
namespace {

constexpr const char *depthwiseNetwork = R"(
func.func @main(%in: tensor<1x4x6x6xf32> {nn.name = "in"}) -> (tensor<1x8x6x6xf32> {nn.name = "out"}) {
  %w = nn.constant RANDOM : tensor<8x4x3x3xf32> loc("w"("w"))
  %b = nn.constant RANDOM : tensor<8xf32> loc("b"("b"))
  %x = nn.conv %in, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<1x8x6x6xf32> loc("conv"("x"))
  %d = nn.constant RANDOM : tensor<8x1x3x3xf32> loc("d"("d"))
  %y = nn.conv %x, %d {group = 8 : i64, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x8x6x6xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x6x6xf32> loc("depthwise"("y"))
  %s = nn.sigmoid %y : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("sigmoid"("s"))
  %z = nn.mul %y, %s : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("mul"("out"))
  return %z : tensor<1x8x6x6xf32>
}
)";

class ReduceTest : public QuantizeTest {
protected:
  void SetUp() override {
    parse(withRandomWeights(depthwiseNetwork));
    sample = {random(function().getArgumentTypes()[0])};
  }

  llvm::DenseSet<Operation *> layers(std::set<std::string> nodes) {
    llvm::DenseSet<Operation *> found;
    for (Operation *op : layersOf(function()))
      if (nodes.contains(getLayerName(op).node))
        found.insert(op);
    EXPECT_EQ(found.size(), nodes.size());
    return found;
  }

  static Sample allValues(FuncOp network, const std::vector<std::string> &names,
                          const Sample &sample) {
    return orThrow(network.getContext(),
                   [&] { return valuesOf(network, names, sample); });
  }

  static Tensor valueOf(FuncOp network, const std::string &tensor,
                        const Sample &sample) {
    std::vector<std::string> names = {tensor};
    return allValues(network, names, sample)[0];
  }

  static void expectEqual(const Tensor &a, const Tensor &b) {
    ASSERT_EQ(a.shape(), b.shape());
    for (int64_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(a.data<float>()[i], b.data<float>()[i]) << i;
  }

  Sample sample;
};

TEST_F(ReduceTest, APartComputesWhatItDidInTheWhole) {
  FuncOp part =
      cutNetwork(function(), layers({"depthwise", "mul"}), {}, "part");
  ASSERT_TRUE(succeeded(mlir::verify(part)));
  EXPECT_EQ(layersOf(part).size(), 2u);
  // What layers outside of it have made becomes an input.
  std::vector<std::string> inputs = inputNames(part);
  EXPECT_EQ(inputs, (std::vector<std::string>{"x", "s"}));
  Sample borders = allValues(function(), inputs, sample);
  expectEqual(valueOf(part, "out", borders),
              valueOf(function(), "out", sample));
}

TEST_F(ReduceTest, ATensorThatIsAskedForBecomesAnOutput) {
  FuncOp part =
      cutNetwork(function(), layers({"depthwise", "sigmoid"}), {"y"}, "part");
  EXPECT_EQ(part.getNumResults(), 2u);
  EXPECT_EQ(part.getResultAttrOfType<mlir::StringAttr>(0, "nn.name"), "y");
}

TEST_F(ReduceTest, ShrinksAllThatHasOneExtent) {
  std::vector<int64_t> extents = extentsOf(function());
  EXPECT_TRUE(
      std::ranges::is_permutation(extents, std::vector<int64_t>{3, 4, 6, 8}));
  int64_t before = tensorBytes(function());
  Tensor expected = valueOf(function(), "out", sample);
  // Channels of a depthwise convolution are also groups.
  ASSERT_TRUE(
      succeeded(shrinkNetwork(function(), {&sample, 1}, {8, 2, false})));
  EXPECT_LT(tensorBytes(function()), before);
  Tensor found = valueOf(function(), "out", sample);
  EXPECT_EQ(found.shape(), (Shape{1, 2, 6, 6}));
  for (int64_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found.data<float>()[i], expected.data<float>()[i], 1e-5);
}

TEST_F(ReduceTest, KeepsTheLastElements) {
  Tensor expected = valueOf(function(), "out", sample);
  ASSERT_TRUE(succeeded(shrinkNetwork(function(), {&sample, 1}, {8, 3, true})));
  Tensor found = valueOf(function(), "out", sample);
  ASSERT_EQ(found.shape(), (Shape{1, 3, 6, 6}));
  for (int64_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found.data<float>()[i],
                expected.data<float>()[expected.size() - found.size() + i],
                1e-5);
}

TEST_F(ReduceTest, SaysIfLayersDoNotFit) {
  parse(withRandomWeights(R"(
func.func @main(%in: tensor<1x2x3xf32> {nn.name = "in"}) -> (tensor<1x6xf32> {nn.name = "out"}) {
  %y = nn.reshape %in {shape = array<i64: 1, 6>} : (tensor<1x2x3xf32>) -> tensor<1x6xf32> loc("reshape"("out"))
  return %y : tensor<1x6xf32>
}
)"));
  sample = {random(function().getArgumentTypes()[0])};
  EXPECT_TRUE(failed(shrinkNetwork(function(), {&sample, 1}, {3, 1, false})));
}

TEST_F(ReduceTest, FillsConstants) {
  EXPECT_EQ(variedConstants(function()),
            (std::vector<std::string>{"w", "b", "d"}));
  fillConstant(function(), "d", Fill::Zero);
  EXPECT_EQ(variedConstants(function()), (std::vector<std::string>{"w", "b"}));
  Tensor found = valueOf(function(), "y", sample);
  for (float value : found.values<float>())
    ASSERT_EQ(value, 0);
}

TEST_F(ReduceTest, NamesBecomeNumbers) {
  Tensor expected = valueOf(function(), "out", sample);
  NewNames names = stripNames(function());
  EXPECT_EQ(names.layers.at("conv").substr(0, 6), "layer_");
  for (Operation &op : function().front().without_terminator())
    EXPECT_FALSE(names.layers.contains(getLayerName(&op).node));
  EXPECT_NE(inputNames(function()), std::vector<std::string>{"in"});
  expectEqual(valueOf(function(), names.tensors.at("out"), sample), expected);
}

TEST_F(ReduceTest, OtherWeightsHaveTheSameRangesByChannel) {
  std::vector<std::string> weight = {"w"};
  Tensor before = allValues(function(), weight, sample)[0];
  EXPECT_TRUE(replaceWeights(function(), 1));
  Tensor after = allValues(function(), weight, sample)[0];
  ASSERT_EQ(after.shape(), before.shape());
  int64_t inner = before.size() / before.dim(0), same = 0;
  for (int64_t channel = 0; channel < before.dim(0); ++channel) {
    std::span<const float> a =
        before.values<float>().subspan(size_t(channel * inner), size_t(inner));
    std::span<const float> b =
        after.values<float>().subspan(size_t(channel * inner), size_t(inner));
    EXPECT_EQ(*std::ranges::min_element(a), *std::ranges::min_element(b));
    EXPECT_EQ(*std::ranges::max_element(a), *std::ranges::max_element(b));
    for (int64_t i = 0; i < inner; ++i)
      same += a[size_t(i)] == b[size_t(i)];
  }
  EXPECT_LT(same, before.dim(0)) << "nearly all are new";
}

TEST(RandomLike, KeepsTypeShapeAndRange) {
  Tensor ids(DType::I64, {5});
  for (int64_t i = 0; i < 5; ++i)
    ids.data<int64_t>()[i] = 100 + 7 * i;
  Tensor other = randomLike(ids, 3);
  auto [low, high] = std::ranges::minmax(other.values<int64_t>());
  EXPECT_EQ(low, 100);
  EXPECT_EQ(high, 128);
  EXPECT_EQ(randomLike(ids, 3).values<int64_t>()[1], other.values<int64_t>()[1])
      << "the same seed gives the same values";
}

} // namespace
} // namespace parallax
