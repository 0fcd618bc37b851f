//===- AttributionTest.cpp - Which layers cause the loss ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The parts of all layers have to sum up to the loss that was measured, which
// they only do if every reference layer and every secant on the way is right.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Lower/Lower.h"

#include <cmath>

namespace parallax {
namespace {

class AttributionTest : public QuantizeTest {
protected:
  /// A network of which the text is the body of a function of %x (and %z).
  void load(const std::string &text) {
    parse(withRandomWeights(text));
    samples.clear();
    for (int i = 0; i < 2; ++i) {
      std::vector<Tensor> &sample = samples.emplace_back();
      for (Type type : function().getArgumentTypes())
        sample.push_back(random(type));
    }
  }

  void build(bool onMachine = true) {
    calibration = calibrate(function(), samples);
    quantize();
    machine = onMachine ? lowerView(view) : FuncOp();
  }

  std::optional<Attribution> attribute(int threads = 1) {
    auto load = [&](size_t i) {
      std::vector<Tensor> copies;
      for (const Tensor &tensor : samples[i])
        copies.push_back(tensor.clone());
      return copies;
    };
    AnalysisOptions options{threads};
    options.attributes = true;
    return analyzePrecision(
               {function(), view, machine},
               {{AnalysisMethod::EndToEnd,
                 machine ? AnalysisMode::NPUBackend : AnalysisMode::Reference}},
               {samples.size(), load, ""}, options)
        .attribution;
  }

  /// Builds and attributes on both engines; all parts are the whole loss.
  void expectClosure(const std::string &text, bool isApproximated = false) {
    for (bool onMachine : {false, true}) {
      SCOPED_TRACE(onMachine ? "NPUBackend" : "Reference");
      calibration = {};
      load(text);
      build(onMachine);
      std::optional<Attribution> found = attribute();
      ASSERT_TRUE(found);
      EXPECT_EQ(found->samples, 2);
      EXPECT_GT(found->measured, 1e-7);
      EXPECT_LT(found->gap(), 1e-4)
          << found->attributed() << " of " << found->measured;
      EXPECT_EQ(!found->approximated.empty(), isApproximated);
    }
  }

  std::vector<std::vector<Tensor>> samples;
  FuncOp machine;
};

/// A convolution in front of what is tested, so that its operand has errors
/// that come from others.
std::string afterConv(const std::string &body, const std::string &result) {
  return R"(
func.func @main(%in: tensor<1x4x6x6xf32> {nn.name = "in"}) -> ()" +
         result + R"( {nn.name = "out"}) {
  %w = nn.constant RANDOM : tensor<8x4x3x3xf32> loc("w"("w"))
  %x = nn.conv %in, %w {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32> loc("front"("x"))
)" + body +
         "\n  return %y : " + result + "\n}\n";
}

struct Case {
  std::string name, body, result;
  bool isApproximated = false;
};

void PrintTo(const Case &operation, std::ostream *stream) {
  *stream << operation.name;
}

class AttributionOperatorTest : public AttributionTest,
                                public ::testing::WithParamInterface<Case> {};

TEST_P(AttributionOperatorTest, PartsAreTheLoss) {
  expectClosure(afterConv(GetParam().body, GetParam().result),
                GetParam().isApproximated);
}

constexpr const char *picture = "tensor<1x8x6x6xf32>";

Case unary(const std::string &name, const std::string &attributes = "") {
  return {name,
          "  %y = nn." + name + " %x " + attributes +
              " : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> "
              "loc(\"tested\"(\"out\"))",
          picture};
}

Case binary(const std::string &name) {
  return {
      name,
      R"(  %v = nn.constant RANDOM : tensor<8x4x1x1xf32> loc("v"("v"))
  %z = nn.conv %in, %v {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
    : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x1x1xf32> loc("side"("z"))
  %a = nn.sigmoid %x : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("positive"("a"))
  %b = nn.softplus %z : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> loc("other"("b"))
  %y = nn.)" +
          name +
          R"( %a, %b : (tensor<1x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x6xf32> loc("tested"("out")))",
      picture};
}

/// An operator from a picture to `shape`.
Case from(const std::string &name, const std::string &attributes,
          const std::string &shape, bool isApproximated = false) {
  return {name,
          "  %y = nn." + name + " %x {" + attributes +
              "} : (tensor<1x8x6x6xf32>) -> tensor<" + shape +
              "xf32> loc(\"tested\"(\"out\"))",
          "tensor<" + shape + "xf32>", isApproximated};
}

/// An operator with random constants `c0`, `c1`, … behind its operand.
Case withConstants(const std::string &name,
                   const std::vector<std::string> &shapes,
                   const std::string &attributes, const std::string &result) {
  std::string body, operands = "%x", types = picture;
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::string type = "tensor<" + shapes[i] + "xf32>";
    body +=
        fmt::format("  %c{} = nn.constant RANDOM : {} loc(\"c{}\"(\"c{}\"))\n",
                    i, type, i, i);
    operands += fmt::format(", %c{}", i);
    types += ", " + type;
  }
  std::string type = "tensor<" + result + "xf32>";
  body += fmt::format("  %y = nn.{} {} {{{}}} : ({}) -> {} "
                      "loc(\"tested\"(\"out\"))",
                      name, operands, attributes, types, type);
  return {name, body, type};
}

constexpr const char *window2 =
    "kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = "
    "array<i64: 1, 0, 0, 1>, dilations = array<i64: 1, 1>";

INSTANTIATE_TEST_SUITE_P(
    Elementwise, AttributionOperatorTest,
    ::testing::Values(unary("relu"), unary("sigmoid"), unary("silu"),
                      unary("gelu"), unary("tanh"), unary("hard_swish"),
                      unary("leaky_relu", "{alpha = 0.1 : f32}"),
                      unary("clip", "{min = -0.5, max = 0.75}"), unary("exp"),
                      unary("abs"), unary("neg"), binary("add"), binary("sub"),
                      binary("mul"), binary("div"), binary("min"),
                      binary("max"), binary("pow"),
                      withConstants("prelu", {"8x1x1"}, "", "1x8x6x6"),
                      withConstants("mul", {"1x8x1x1"}, "", "1x8x6x6"),
                      withConstants("add", {"6"}, "", "1x8x6x6")));

INSTANTIATE_TEST_SUITE_P(
    Mac, AttributionOperatorTest,
    ::testing::Values(
        withConstants("conv", {"6x4x3x2", "6"},
                      "group = 2 : i64, dilations = array<i64: 1, 2>, pads = "
                      "array<i64: 1, 0, 0, 1>, strides = array<i64: 2, 3>",
                      "1x6x3x2"),
        withConstants("conv", {"8x1x3x3", "8"},
                      "group = 8 : i64, dilations = array<i64: 1, 1>, pads = "
                      "array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>",
                      "1x8x3x3"),
        withConstants("conv_transpose", {"8x3x2x3", "6"},
                      "group = 2 : i64, dilations = array<i64: 1, 1>, pads = "
                      "array<i64: 0, 1, 1, 0>, strides = array<i64: 2, 2>, "
                      "output_padding = array<i64: 1, 0>",
                      "1x6x12x12"),
        withConstants("fully_connected", {"5x6", "5"}, "", "1x8x6x5"),
        withConstants("matmul", {"6x5"}, "", "1x8x6x5"),
        withConstants("matmul", {"8x6x5"}, "", "1x8x6x5"),
        withConstants("matmul", {"6"}, "", "1x8x6"),
        withConstants("einsum", {"8x6x5"}, "equation = \"bchw,chk->bkw\"",
                      "1x5x6")));

INSTANTIATE_TEST_SUITE_P(
    Movement, AttributionOperatorTest,
    ::testing::Values(
        from("reshape", "shape = array<i64: 4, 72>", "4x72"),
        from("transpose", "perm = array<i64: 0, 2, 3, 1>", "1x6x6x8"),
        from("slice",
             "starts = array<i64: 0, 1, 2, 0>, sizes = array<i64: 1, 4, 3, 6>, "
             "steps = array<i64: 1, 1, 1, 1>",
             "1x4x3x6"),
        from("slice",
             "starts = array<i64: 0, 7, 0, 1>, sizes = array<i64: 1, 3, 6, 2>, "
             "steps = array<i64: 1, -2, 1, 3>",
             "1x3x6x2"),
        from("pad",
             "pads = array<i64: 0, 0, 1, 2, 0, 0, 0, 1>, value = 0.5 : f64",
             "1x8x7x9"),
        from("pad",
             "pads = array<i64: 0, 0, 1, 2, 0, 0, 0, 1>, mode = \"reflect\"",
             "1x8x7x9"),
        from("depth_to_space", "blocksize = 2 : i64", "1x2x12x12"),
        from("space_to_depth", "blocksize = 2 : i64", "1x32x3x3"),
        from("channel_shuffle", "groups = 2 : i64", "1x8x6x6"),
        from("tile", "repeats = array<i64: 1, 2, 1, 1>", "1x16x6x6"),
        from("trilu", "", "1x8x6x6"),
        from("resize",
             "sizes = array<i64: 1, 8, 12, 9>, scales = array<f32: 1.0, 1.0, "
             "2.0, 1.5>",
             "1x8x12x9"),
        from("resize",
             "sizes = array<i64: 1, 8, 12, 9>, scales = array<f32: 1.0, 1.0, "
             "2.0, 1.5>, mode = \"linear\"",
             "1x8x12x9"),
        from("resize",
             "sizes = array<i64: 1, 8, 4, 9>, scales = array<f32: 1.0, 1.0, "
             "0.6666667, 1.5>, mode = \"cubic\"",
             "1x8x4x9")));

INSTANTIATE_TEST_SUITE_P(
    Reduce, AttributionOperatorTest,
    ::testing::Values(
        from("max_pool", window2, "1x8x3x3"),
        from("average_pool", window2, "1x8x3x3"),
        from("average_pool",
             std::string(window2) + ", count_include_pad = true", "1x8x3x3"),
        from("global_average_pool", "", "1x8x1x1"),
        from("global_max_pool", "", "1x8x1x1"),
        from("reduce_mean", "axes = array<i64: 1, 3>", "1x1x6x1"),
        from("reduce_sum", "axes = array<i64: 2>, keepdims = false", "1x8x6"),
        from("reduce_max", "axes = array<i64: 3>", "1x8x6x1"),
        from("reduce_min", "axes = array<i64: 1>", "1x1x6x6"),
        from("reduce_l2", "axes = array<i64: 1>", "1x1x6x6"),
        from("reduce_sum_square", "axes = array<i64: 1>", "1x1x6x6"),
        from("cum_sum", "axis = 2 : i64", "1x8x6x6"),
        from("cum_sum", "axis = 1 : i64, exclusive = true, reverse = true",
             "1x8x6x6")));

INSTANTIATE_TEST_SUITE_P(
    Normalize, AttributionOperatorTest,
    ::testing::Values(
        from("softmax", "axis = -1 : i64", "1x8x6x6"),
        from("softmax", "axis = 1 : i64", "1x8x6x6"),
        from("log_softmax", "axis = -1 : i64", "1x8x6x6"),
        from("lp_normalization", "axis = 1 : i64, p = 2 : i64", "1x8x6x6"),
        from("mean_variance_normalization", "axes = array<i64: 2, 3>",
             "1x8x6x6"),
        withConstants("layer_normalization", {"6", "6"}, "", "1x8x6x6"),
        withConstants("rms_normalization", {"6"}, "", "1x8x6x6"),
        withConstants("instance_normalization", {"8", "8"}, "", "1x8x6x6"),
        withConstants("group_normalization", {"8", "8"}, "num_groups = 2 : i64",
                      "1x8x6x6")));

/// Logits that jump by thousands, more than a path is cut into pieces for.
Case softmaxOfLargeLogits() {
  return {"softmax of large logits",
          R"(  %s = nn.constant dense<1.0e6> : tensor<f32> loc("s"("s"))
  %l = nn.mul %x, %s : (tensor<1x8x6x6xf32>, tensor<f32>) -> tensor<1x8x6x6xf32> loc("large"("l"))
  %y = nn.softmax %l {axis = -1 : i64} : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("tested"("out")))",
          picture, /*isApproximated=*/true};
}

INSTANTIATE_TEST_SUITE_P(
    Others, AttributionOperatorTest,
    ::testing::Values(
        softmaxOfLargeLogits(),
        from("lrn", "size = 3 : i64", "1x8x6x6", /*isApproximated=*/true),
        from("reduce_log_sum_exp", "axes = array<i64: 1>", "1x1x6x6",
             /*isApproximated=*/true),
        from("lp_pool", window2, "1x8x3x3", /*isApproximated=*/true)));

} // namespace
} // namespace parallax
