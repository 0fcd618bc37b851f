//===- LowerOperatorsTest.cpp - Operators of their own in integers --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers, contractions, norms, logarithms and running sums behind a
// table: both engines execute the quantized network, and their results may
// differ by what docs/numerics.md allows.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"

#include <cmath>

using namespace parallax;

namespace {

class LowerOperatorsTest : public QuantizeTest {
protected:
  /// A difference to the float engine, and the scale of the codes.
  struct Difference {
    double value, scale;
  };

  /// One for each result that is codes.
  std::vector<Difference> lower(const std::string &text, bool wide) {
    parse(withRandomWeights(text));
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 4; ++i)
      samples.push_back({random(function().getArgumentTypes()[0], -2, 2)});
    calibration = calibrate(function(), samples);
    LayerConfig rule;
    rule.layerNameRegex = ".*";
    rule.dataType = wide ? DataType::U16 : DataType::U8;
    rule.outputDataType = rule.dataType;
    if (StringRef(text).contains("RANDOM"))
      rule.weightDataType = wide ? DataType::S16 : DataType::S8;
    config.layerConfigs = {rule};
    quantize();
    lowerReport = {};
    FuncOp machine = lowerView(view, Target(), &lowerReport);
    machine.walk([&](Operation *op) { ++ops[op->getName().getStringRef()]; });
    Executable executable = prepare(machine, npuKernels());
    ExecutionState state(executable);
    std::vector<Tensor> expected = run(view, samples[0]);
    std::span<const Tensor> found = state.run(samples[0]);
    std::vector<Difference> worst;
    for (auto [i, value] : llvm::enumerate(expected)) {
      Value output = view.front().getTerminator()->getOperand(unsigned(i));
      auto source = output.getDefiningOp<nn::RequantizeOp>();
      if (!source || !isQuantized(source.getX().getType()))
        continue;
      double scale = double(affineParamsOf(source.getX().getType()).scale);
      double difference = 0;
      for (int64_t j = 0; j < value.size(); ++j)
        difference =
            std::max(difference, std::abs(double(value.data<float>()[j]) -
                                          double(found[i].data<float>()[j])));
      worst.push_back({difference, scale});
    }
    return worst;
  }

  /// Expects integers only, and results within so many codes, or in 16 bits
  /// within `unit` and one code if that is more.
  void expectIntegers(const std::string &text, double codes8, double codes16,
                      double unit = 0) {
    for (bool wide : {false, true}) {
      std::vector<Difference> worst = lower(text, wide);
      for (const LowerReport::Island &island : lowerReport.islands)
        ADD_FAILURE() << island.op << ": " << island.why;
      EXPECT_FALSE(worst.empty());
      for (auto [value, scale] : worst)
        EXPECT_LE(value, 1.001 * (wide ? std::max(codes16 * scale, unit + scale)
                                       : codes8 * scale))
            << (wide ? "16 bits" : "8 bits") << " of scale " << scale;
      for (const LowerReport::Margin &margin : lowerReport.margins)
        EXPECT_GE(margin.bits, 0);
    }
  }

  /// A network of a sigmoid, which makes codes, and one layer.
  static std::string behindSigmoid(const std::string &type,
                                   const std::string &layer,
                                   const std::string &result) {
    return "func.func @main(%x: " + type + " {nn.name = \"x\"}) -> (" + result +
           " {nn.name = \"out\"}) {\n  %0 = nn.sigmoid %x : (" + type +
           ") -> " + type + " loc(\"sigmoid\"(\"s\"))\n  " + layer +
           "\n  return %1 : " + result + "\n}\n";
  }

  LowerReport lowerReport;
  std::map<StringRef, int64_t> ops;
};

/// What C108 says of a step, for |C| < 1; these layers don't let errors grow.
constexpr double stepError = 0x1p-13;

constexpr const char *lstm = R"(
func.func @main(%x: tensor<9x2x6xf32> {nn.name = "x"}) -> (tensor<9xDIRx2x8xf32> {nn.name = "y"}, tensor<DIRx2x8xf32> {nn.name = "h"}, tensor<DIRx2x8xf32> {nn.name = "c"}) {
  %w = nn.constant RANDOM : tensor<DIRx32x6xf32> loc("w"("w"))
  %r = nn.constant RANDOM : tensor<DIRx32x8xf32> loc("r"("r"))
  %b = nn.constant RANDOM : tensor<DIRx64xf32> loc("b"("b"))
  %l = nn.constant dense<[9, 6]> : tensor<2xi32> loc("l"("l"))
  %h = nn.constant RANDOM : tensor<DIRx2x8xf32> loc("h0"("h0"))
  %c = nn.constant RANDOM : tensor<DIRx2x8xf32> loc("c0"("c0"))
  %p = nn.constant RANDOM : tensor<DIRx24xf32> loc("p"("p"))
  %0 = nn.sigmoid %x : (tensor<9x2x6xf32>) -> tensor<9x2x6xf32> loc("sigmoid"("s"))
  %1:3 = nn.lstm %0, %w, %r, %b, %l, %h, %c, %p {OPTIONS}
    : (tensor<9x2x6xf32>, tensor<DIRx32x6xf32>, tensor<DIRx32x8xf32>, tensor<DIRx64xf32>, tensor<2xi32>, tensor<DIRx2x8xf32>, tensor<DIRx2x8xf32>, tensor<DIRx24xf32>)
    -> (tensor<9xDIRx2x8xf32>, tensor<DIRx2x8xf32>, tensor<DIRx2x8xf32>) loc("lstm"(fused["ly", "lh", "lc"]))
  return %1#0, %1#1, %1#2 : tensor<9xDIRx2x8xf32>, tensor<DIRx2x8xf32>, tensor<DIRx2x8xf32>
}
)";

constexpr const char *gru = R"(
func.func @main(%x: tensor<2x9x6xf32> {nn.name = "x"}) -> (tensor<2x9xDIRx8xf32> {nn.name = "y"}) {
  %w = nn.constant RANDOM : tensor<DIRx24x6xf32> loc("w"("w"))
  %r = nn.constant RANDOM : tensor<DIRx24x8xf32> loc("r"("r"))
  %b = nn.constant RANDOM : tensor<DIRx48xf32> loc("b"("b"))
  %l = nn.constant dense<[9, 6]> : tensor<2xi32> loc("l"("l"))
  %h = nn.constant RANDOM : tensor<2xDIRx8xf32> loc("h0"("h0"))
  %0 = nn.sigmoid %x : (tensor<2x9x6xf32>) -> tensor<2x9x6xf32> loc("sigmoid"("s"))
  %1:2 = nn.gru %0, %w, %r, %b, %l, %h {OPTIONS}
    : (tensor<2x9x6xf32>, tensor<DIRx24x6xf32>, tensor<DIRx24x8xf32>, tensor<DIRx48xf32>, tensor<2xi32>, tensor<2xDIRx8xf32>)
    -> (tensor<2x9xDIRx8xf32>, tensor<2xDIRx8xf32>) loc("gru"(fused["gy", "gh"]))
  return %1#0 : tensor<2x9xDIRx8xf32>
}
)";

std::string filled(std::string text, const std::string &options,
                   bool bidirectional) {
  for (auto [marker, value] :
       {std::pair<std::string, std::string>("OPTIONS", options),
        {"DIR", bidirectional ? "2" : "1"}})
    for (size_t at; (at = text.find(marker)) != std::string::npos;)
      text.replace(at, marker.size(), value);
  return text;
}

std::string layerOptions(const std::string &functions, bool bidirectional,
                         const std::string &more) {
  return "activation_alpha = array<f32>, activation_beta = array<f32>, "
         "activations = [" +
         functions + (bidirectional ? ", " + functions : "") +
         "], hidden_size = 8 : i64, direction = \"" +
         (bidirectional ? "bidirectional" : "forward") + "\"" + more;
}

TEST_F(LowerOperatorsTest, LstmIsIntegers) {
  const std::string functions = R"("Sigmoid", "Tanh", "Tanh")";
  for (bool both : {false, true})
    for (const char *more : {"", ", input_forget = true", ", clip = 0.9 : f32"})
      expectIntegers(filled(lstm, layerOptions(functions, both, more), both), 1,
                     2, stepError);
  EXPECT_EQ(ops["npu.lstm"], 12);
}

TEST_F(LowerOperatorsTest, GruIsIntegers) {
  const std::string functions = R"("Sigmoid", "Tanh")";
  for (bool both : {false, true})
    for (const char *more : {", layout = 1 : i64",
                             ", layout = 1 : i64, linear_before_reset = true"})
      expectIntegers(filled(gru, layerOptions(functions, both, more), both), 1,
                     2, stepError);
  EXPECT_EQ(ops["npu.gru"], 8);
}

TEST_F(LowerOperatorsTest, FunctionsBeyondTablesStayFloat) {
  lower(
      filled(gru,
             layerOptions(R"("Sigmoid", "Relu")", false, ", layout = 1 : i64"),
             false),
      false);
  ASSERT_EQ(lowerReport.islands.size(), 1u);
  EXPECT_NE(lowerReport.islands[0].why.find("beyond +-16"), std::string::npos);
  lower(filled(gru,
               layerOptions(R"("Sigmoid", "Relu")", false,
                            ", layout = 1 : i64, clip = 2.0 : f32"),
               false),
        false);
  EXPECT_TRUE(lowerReport.islands.empty());
}

TEST_F(LowerOperatorsTest, ContractionsAreProducts) {
  struct Case {
    const char *equation, *right, *result;
  };
  for (const Case &c :
       {Case{"bij,bjk->bik", "tensor<3x5x4xf32>", "tensor<3x6x4xf32>"},
        Case{"bij,jk->bik", "tensor<5x4xf32>", "tensor<3x6x4xf32>"},
        Case{"bij,kj->kbi", "tensor<4x5xf32>", "tensor<4x3x6xf32>"},
        Case{"bij,jb->ib", "tensor<5x3xf32>", "tensor<6x3xf32>"},
        Case{"bij,bij->jib", "tensor<3x6x5xf32>", "tensor<5x6x3xf32>"},
        Case{"bij,kij", "tensor<2x6x5xf32>", "tensor<3x2xf32>"},
        Case{"bij,bij->", "tensor<3x6x5xf32>", "tensor<f32>"}}) {
    SCOPED_TRACE(c.equation);
    std::string text = behindSigmoid(
        "tensor<3x6x5xf32>",
        std::string("%w = nn.constant RANDOM : ") + c.right +
            " loc(\"w\"(\"w\"))\n  %1 = nn.einsum %0, %w {equation = \"" +
            c.equation + "\"} : (tensor<3x6x5xf32>, " + c.right + ") -> " +
            c.result + " loc(\"einsum\"(\"e\"))",
        c.result);
    expectIntegers(text, 1, 1);
  }
  EXPECT_EQ(ops["npu.matmul"], 14);
  EXPECT_EQ(ops["nn.einsum"], 0);
}

TEST_F(LowerOperatorsTest, ProductsOfOtherKindsStayFloat) {
  struct Case {
    const char *equation, *result, *why;
  };
  for (const Case &c : {Case{"...ij,...jk->...ik", "tensor<3x4x4xf32>",
                             "its equation has an ellipsis"},
                        Case{"bij,bkl->bil", "tensor<3x4x4xf32>",
                             "its equation sums one operand by itself"},
                        Case{"bii,bij->bj", "tensor<3x4xf32>",
                             "its equation takes a diagonal or broadcasts"}}) {
    lower(
        behindSigmoid("tensor<3x4x4xf32>",
                      std::string("%w = nn.constant RANDOM : tensor<3x4x4xf32> "
                                  "loc(\"w\"(\"w\"))\n  %1 = nn.einsum %0, %w "
                                  "{equation = \"") +
                          c.equation +
                          "\"} : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> " +
                          c.result + " loc(\"einsum\"(\"e\"))",
                      c.result),
        false);
    ASSERT_EQ(lowerReport.islands.size(), 1u) << c.equation;
    EXPECT_EQ(lowerReport.islands[0].why, c.why);
  }
}

TEST_F(LowerOperatorsTest, SumsNormsAndLogarithmsAreIntegers) {
  struct Case {
    const char *layer, *result, *op;
  };
  const std::string in = "tensor<2x5x6x7xf32>";
  for (const Case &c : {
           Case{"nn.cum_sum %0 {axis = 2 : i64, exclusive = true}",
                "tensor<2x5x6x7xf32>", "npu.cum_sum"},
           Case{"nn.cum_sum %0 {axis = 1 : i64, reverse = true}",
                "tensor<2x5x6x7xf32>", "npu.cum_sum"},
           Case{"nn.reduce_l2 %0 {axes = array<i64: 1, 3>}",
                "tensor<2x1x6x1xf32>", "npu.reduce"},
           Case{"nn.reduce_log_sum %0 {axes = array<i64: 2>}",
                "tensor<2x5x1x7xf32>", "npu.reduce_log"},
           Case{"nn.reduce_log_sum_exp %0 {axes = array<i64: 1, 2>}",
                "tensor<2x1x1x7xf32>", "npu.reduce_log"},
           Case{"nn.global_lp_pool %0", "tensor<2x5x1x1xf32>", "npu.reduce"},
           Case{"nn.global_lp_pool %0 {p = 1 : i64}", "tensor<2x5x1x1xf32>",
                "npu.reduce"},
           Case{"nn.lp_pool %0 {kernel = array<i64: 3, 2>, strides = "
                "array<i64: 1, 2>, pads = array<i64: 1, 0, 1, 1>, dilations = "
                "array<i64: 1, 1>}",
                "tensor<2x5x6x4xf32>", "npu.lp_pool"},
           Case{"nn.lp_pool %0 {kernel = array<i64: 3, 2>, strides = "
                "array<i64: 1, 2>, pads = array<i64: 1, 0, 1, 1>, dilations = "
                "array<i64: 1, 1>, p = 1 : i64}",
                "tensor<2x5x6x4xf32>", "npu.lp_pool"},
           Case{"nn.lp_normalization %0 {axis = 1 : i64}",
                "tensor<2x5x6x7xf32>", "npu.normalize"},
           Case{"nn.mean_variance_normalization %0 {axes = array<i64: 0, 2, "
                "3>}",
                "tensor<2x5x6x7xf32>", "npu.normalize"},
       }) {
    SCOPED_TRACE(c.layer);
    ops.clear();
    // The range of a 16-bit operand is that of a sigmoid, whose logarithms are
    // taken with 2^-18 (C67).
    expectIntegers(behindSigmoid(in,
                                 std::string("%1 = ") + c.layer + " : (" + in +
                                     ") -> " + c.result +
                                     " loc(\"layer\"(\"l\"))",
                                 c.result),
                   1, 2);
    EXPECT_EQ(ops[c.op], 2);
  }
}

/// 2^16 squares of 8 bits need 33 bits.
TEST_F(LowerOperatorsTest, SumsBeyondTheAccumulatorStayFloat) {
  std::string text = behindSigmoid(
      "tensor<1x70000xf32>",
      "%1 = nn.reduce_l2 %0 {axes = array<i64: 1>} : (tensor<1x70000xf32>) -> "
      "tensor<1x1xf32> loc(\"norm\"(\"l\"))",
      "tensor<1x1xf32>");
  lower(text, false);
  ASSERT_EQ(lowerReport.islands.size(), 1u);
  EXPECT_NE(lowerReport.islands[0].why.find("C27"), std::string::npos);
}

TEST_F(LowerOperatorsTest, SaysWhyAnOperatorIsFloat) {
  lower(behindSigmoid("tensor<2x5x6x7xf32>",
                      "%1 = nn.lrn %0 {size = 3 : i64} : "
                      "(tensor<2x5x6x7xf32>) -> tensor<2x5x6x7xf32> "
                      "loc(\"lrn\"(\"l\"))",
                      "tensor<2x5x6x7xf32>"),
        false);
  ASSERT_EQ(lowerReport.islands.size(), 1u);
  EXPECT_NE(lowerReport.islands[0].why.find("sum of squares"),
            std::string::npos);
}

} // namespace
