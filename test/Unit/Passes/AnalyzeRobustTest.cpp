//===- AnalyzeRobustTest.cpp - Networks that are hard to analyze ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a network computes, and whatever its parts are called, the analysis
// gives a table that tells the truth.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Report/Precision.h"

namespace parallax {
namespace {

class AnalyzeRobustTest : public QuantizeTest {
protected:
  /// All methods and modes on four samples of random numbers.
  PrecisionReport analyze(const std::string &text) {
    parse(text);
    FuncOp network = function();
    std::vector<std::vector<Tensor>> samples(4);
    for (std::vector<Tensor> &sample : samples)
      for (Type type : network.getArgumentTypes())
        sample.push_back(random(type));
    calibration = calibrate(network, samples);
    quantize();
    FuncOp machine = lowerView(view);
    std::vector<Comparison> comparisons;
    for (auto method : {AnalysisMethod::PerLayer, AnalysisMethod::EndToEnd})
      for (auto mode : {AnalysisMode::Reference, AnalysisMode::NPUBackend})
        comparisons.push_back({method, mode});
    PrecisionReport report =
        analyzePrecision({network, view, machine, network}, comparisons,
                         samplesInMemory(samples));
    EXPECT_EQ(report.tables.size(), comparisons.size());
    // Writers must cope with whatever comes.
    EXPECT_FALSE(precisionTableText(report, true).empty());
    EXPECT_FALSE(precisionJson(report).empty());
    EXPECT_FALSE(precisionTableCsv(report).empty());
    return report;
  }

  /// The rows of one tensor in all tables.
  std::vector<PrecisionRow> rowsOf(const PrecisionReport &report,
                                   const std::string &tensor) {
    std::vector<PrecisionRow> rows;
    for (const PrecisionTable &table : report.tables)
      for (const PrecisionRow &row : table.rows)
        if (row.tensor == tensor)
          rows.push_back(row);
    EXPECT_EQ(rows.size(), report.tables.size()) << tensor;
    return rows;
  }

  static std::string network(const std::string &inputs,
                             const std::string &results,
                             const std::string &body) {
    return fmt::format("func.func @main({}) -> ({}) {{\n{}\n}}", inputs,
                       results, body);
  }
};

constexpr const char *eight = R"(%x: tensor<1x8xf32> {nn.name = "x"})";

TEST_F(AnalyzeRobustTest, ValuesThatAreNoNumbersAreCounted) {
  PrecisionReport report =
      analyze(network(eight, "tensor<1x8xf32>, tensor<1x8xf32>", R"(
  %0 = nn.sqrt %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("sqrt"("root"))
  %1 = nn.relu %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("relu"("positive"))
  %2 = nn.log %1 : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("log"("logarithm"))
  return %0, %2 : tensor<1x8xf32>, tensor<1x8xf32>)"));
  for (const PrecisionRow &row : rowsOf(report, "root")) {
    EXPECT_GT(row.metrics.nanB, 0);
    EXPECT_EQ(row.metrics.unequal, row.metrics.nanB - row.metrics.nanA);
    EXPECT_EQ(row.metrics.similarity(), 0);
    EXPECT_GT(row.metrics.cosine, 0.999) << "of the numbers";
  }
  for (const PrecisionRow &row : rowsOf(report, "logarithm")) {
    EXPECT_GT(row.metrics.infB, 0);
    EXPECT_EQ(row.metrics.similarity(), 0);
  }
  for (const PrecisionRow &row : rowsOf(report, "positive"))
    EXPECT_GT(row.metrics.similarity(), 0.999);
  EXPECT_FALSE(passes(report, 0.5));
  ASSERT_EQ(report.waterfall.size(), 2u);
  for (const WaterfallRow &row : report.waterfall) {
    EXPECT_EQ(row.weights, 0) << "NaNs are the same there";
    EXPECT_EQ(row.activations, 1);
    EXPECT_EQ(row.machine, 1);
  }
}

TEST_F(AnalyzeRobustTest, ZerosAreEqual) {
  PrecisionReport report = analyze(network(eight, "tensor<1x8xf32>", R"(
  %c = nn.constant dense<0.0> : tensor<f32> loc("c"("c"))
  %0 = nn.mul %x, %c : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32> loc("mul"("y"))
  return %0 : tensor<1x8xf32>)"));
  for (const PrecisionRow &row : rowsOf(report, "y")) {
    EXPECT_EQ(row.metrics.cosine, 1);
    EXPECT_EQ(row.metrics.sparseChannels, 8);
    EXPECT_EQ(row.metrics.deadChannels, 0);
  }
  EXPECT_FALSE(passes(report, 0)) << "zeros say nothing about a network";
}

TEST_F(AnalyzeRobustTest, OneGoodOutputDoesNotExcuseAnother) {
  PrecisionReport report =
      analyze(network(eight, "tensor<1x8xf32>, tensor<1x8xf32>", R"(
  %c = nn.constant dense<0.0> : tensor<f32> loc("c"("c"))
  %0 = nn.sigmoid %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("sigmoid"("good"))
  %1 = nn.mul %x, %c : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32> loc("mul"("zeros"))
  return %0, %1 : tensor<1x8xf32>, tensor<1x8xf32>)"));
  EXPECT_FALSE(passes(report, 0));
  EXPECT_EQ(whyNotJudged(report), "of output 'zeros', it is one and the same "
                                  "number in the float network");
  for (PrecisionTable &table : report.tables)
    std::erase_if(table.rows, [](const PrecisionRow &row) {
      return row.tensor == "zeros";
    });
  EXPECT_TRUE(passes(report, 0.99));
}

TEST_F(AnalyzeRobustTest, ScoresBehindAProductAreNotHiddenByBoxes) {
  // 4 boxes and 12 scores of 32 places; a product's channels come last.
  std::string scales;
  for (int i = 0; i < 16; ++i)
    scales += fmt::format("{}[{}]", i > 0 ? ", " : "", i < 4 ? "640.0" : "0.9");
  PrecisionReport report = analyze(withRandomWeights(network(
      R"(%x: tensor<1x16x8xf32> {nn.name = "x"})", "tensor<1x16x32xf32>",
      fmt::format(R"(
  %s = nn.constant dense<[[{}]]> : tensor<1x16x1xf32> loc("s"("s"))
  %w = nn.constant RANDOM : tensor<8x32xf32> loc("w"("w"))
  %0 = nn.mul %x, %s : (tensor<1x16x8xf32>, tensor<1x16x1xf32>) -> tensor<1x16x8xf32> loc("mul"("scaled"))
  %1 = nn.matmul %0, %w : (tensor<1x16x8xf32>, tensor<8x32xf32>) -> tensor<1x16x32xf32> loc("product"("y"))
  return %1 : tensor<1x16x32xf32>)",
                  scales))));
  for (const JudgedOutput &output : judgeOutputs(report)) {
    EXPECT_EQ(output.verdict.quality, OutputQuality::Bad);
    EXPECT_TRUE(output.verdict.reason.starts_with("channels 4–15 ("))
        << output.verdict.reason;
  }
}

TEST_F(AnalyzeRobustTest, TensorsOfNoAndOfOneElement) {
  PrecisionReport report =
      analyze(network(eight, "tensor<1x0xf32>, tensor<f32>", R"(
  %0 = nn.slice %x {sizes = array<i64: 1, 0>, starts = array<i64: 0, 3>, steps = array<i64: 1, 1>} : (tensor<1x8xf32>) -> tensor<1x0xf32> loc("slice"("nothing"))
  %1 = nn.sigmoid %0 : (tensor<1x0xf32>) -> tensor<1x0xf32> loc("sigmoid"("still"))
  %2 = nn.reduce_mean %x {axes = array<i64: 0, 1>, keepdims = false} : (tensor<1x8xf32>) -> tensor<f32> loc("mean"("m"))
  return %1, %2 : tensor<1x0xf32>, tensor<f32>)"));
  for (const PrecisionRow &row : rowsOf(report, "still")) {
    EXPECT_EQ(row.metrics.samples, 4);
    EXPECT_EQ(row.metrics.count, 0);
    EXPECT_EQ(row.metrics.similarity(), 1);
    EXPECT_EQ(row.shape, (Shape{1, 0}));
  }
  for (const PrecisionRow &row : rowsOf(report, "m")) {
    EXPECT_EQ(row.metrics.count, 4);
    EXPECT_GT(row.metrics.cosine, 0.99);
    EXPECT_EQ(row.shape, Shape{});
  }
  ASSERT_EQ(report.waterfall.size(), 2u);
  EXPECT_EQ(report.waterfall[0].machine, 0);
}

TEST_F(AnalyzeRobustTest, NamesAreBytes) {
  // Quotes and backslashes are MLIR's own, and are written as bytes too.
  const std::vector<std::string> names = {"层/1",
                                          "\\FF\\FEbroken",
                                          std::string(3000, 'n'),
                                          "a \\22quote\\22",
                                          "two\\0Alines",
                                          "pipe | │",
                                          "🙂"};
  std::string body, last = "%x";
  for (size_t i = 0; i < names.size(); ++i) {
    body += fmt::format("%{0} = nn.sigmoid {1} : (tensor<1x8xf32>) -> "
                        "tensor<1x8xf32> loc(\"{2}\"(\"{2}!\"))\n",
                        i, last, names[i]);
    last = fmt::format("%{}", i);
  }
  PrecisionReport report =
      analyze(network(eight, "tensor<1x8xf32>",
                      body + fmt::format("return {} : tensor<1x8xf32>", last)));
  for (const PrecisionTable &table : report.tables) {
    ASSERT_EQ(table.rows.size(), names.size());
    EXPECT_EQ(table.rows[0].node, "层/1");
    EXPECT_EQ(table.rows[1].tensor, "\xff\xfe"
                                    "broken!");
    EXPECT_EQ(table.rows[2].node.size(), 3000u);
    EXPECT_EQ(table.rows[3].node, "a \"quote\"");
    EXPECT_EQ(table.rows[4].node, "two\nlines");
    EXPECT_EQ(table.rows[6].tensor, "🙂!");
    EXPECT_TRUE(table.unmatched.empty());
  }
}

TEST_F(AnalyzeRobustTest, LayersMayShareANameIfTensorsDoNot) {
  PrecisionReport report = analyze(network(eight, "tensor<1x8xf32>", R"(
  %0 = nn.sigmoid %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("same"("a"))
  %1 = nn.tanh %0 : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("same"("b"))
  return %1 : tensor<1x8xf32>)"));
  EXPECT_EQ(rowsOf(report, "a")[0].type, "Sigmoid");
  EXPECT_EQ(rowsOf(report, "b")[0].type, "Tanh");
  for (const char *tensor : {"a", "b"})
    for (const PrecisionRow &row : rowsOf(report, tensor))
      EXPECT_GT(row.metrics.cosine, 0.999);
}

TEST_F(AnalyzeRobustTest, OutputsThatNoLayerMakesAreNoRows) {
  PrecisionReport report = analyze(network(
      eight, "tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x8xf32>, tensor<1xf32>",
      R"(
  %c = nn.constant dense<3.0> : tensor<1xf32> loc("c"("c"))
  %0 = nn.sigmoid %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("sigmoid"("y"))
  return %x, %0, %0, %c : tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x8xf32>, tensor<1xf32>)"));
  for (const PrecisionTable &table : report.tables) {
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_TRUE(table.rows[0].isOutput);
  }
  ASSERT_EQ(report.waterfall.size(), 1u);
  EXPECT_EQ(report.waterfall[0].output, "y");
  EXPECT_TRUE(passes(report, 0.999));
}

TEST_F(AnalyzeRobustTest, ANetworkWithoutLayers) {
  PrecisionReport report =
      analyze(network(eight, "tensor<1x8xf32>", "return %x : tensor<1x8xf32>"));
  for (const PrecisionTable &table : report.tables)
    EXPECT_TRUE(table.rows.empty());
  EXPECT_FALSE(passes(report, 0));
}

TEST_F(AnalyzeRobustTest, ANetworkThatStaysInFloat) {
  setAll(DataType::FP32);
  PrecisionReport report = analyze(network(eight, "tensor<1x8xf32>", R"(
  %0 = nn.sigmoid %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("sigmoid"("a"))
  %1 = nn.add %0, %x : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32> loc("add"("y"))
  return %1 : tensor<1x8xf32>)"));
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows) {
      EXPECT_EQ(row.quantType, "FP32");
      EXPECT_FALSE(row.codes);
      EXPECT_GT(row.metrics.cosine, 0.9999999) << row.tensor;
    }
  EXPECT_TRUE(report.weights.empty());
  ASSERT_EQ(report.waterfall.size(), 1u);
  EXPECT_LT(report.waterfall[0].machine, 1e-9);
}

TEST_F(AnalyzeRobustTest, IntegersAndTruthValuesAgreeOrNot) {
  PrecisionReport report = analyze(network(
      R"(%i: tensor<4xi64> {nn.name = "i"}, %x: tensor<2x8xf32> {nn.name = "x"})",
      "tensor<4xi64>, tensor<2x8xf32>, tensor<2x1xi64>, tensor<2x8xi1>", R"(
  %0 = nn.add %i, %i : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64> loc("add"("twice"))
  %1 = nn.softmax %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32> loc("softmax"("p"))
  %2 = nn.arg_max %1 {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x1xi64> loc("arg_max"("best"))
  %c = nn.constant dense<0.25> : tensor<f32> loc("c"("c"))
  %3 = nn.greater %1, %c : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xi1> loc("greater"("large"))
  return %0, %1, %2, %3 : tensor<4xi64>, tensor<2x8xf32>, tensor<2x1xi64>, tensor<2x8xi1>)"));
  for (const char *tensor : {"twice", "best", "large"})
    for (const PrecisionRow &row : rowsOf(report, tensor)) {
      EXPECT_TRUE(row.metrics.isExact) << tensor;
      EXPECT_EQ(row.metrics.rows, row.metrics.count);
      EXPECT_GT(row.metrics.similarity(), 0.8) << tensor;
    }
  for (const PrecisionRow &row : rowsOf(report, "p")) {
    EXPECT_FALSE(row.metrics.isExact);
    EXPECT_EQ(row.metrics.rows, 8) << "two rows of four samples";
  }
}

TEST_F(AnalyzeRobustTest, AMaskOfAttentionIsNoWeight) {
  // In floats, 1 - 1 has to stay 0, and the largest number has to stay one.
  PrecisionReport report = analyze(network(
      R"(%m: tensor<2x8xi64> {nn.name = "m"}, %x: tensor<2x8xf32> {nn.name = "x"})",
      "tensor<2x8xf32>", R"(
  %one = nn.constant dense<1.0> : tensor<f32> loc("one"("one"))
  %most = nn.constant dense<-3.40282347E+38> : tensor<f32> loc("most"("most"))
  %0 = nn.cast %m {to = f32} : (tensor<2x8xi64>) -> tensor<2x8xf32> loc("cast"("c"))
  %1 = nn.sub %one, %0 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32> loc("sub"("hidden"))
  %2 = nn.mul %1, %most : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32> loc("mul"("mask"))
  %3 = nn.add %2, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32> loc("add"("masked"))
  %4 = nn.softmax %3 {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32> loc("softmax"("p"))
  return %4 : tensor<2x8xf32>)"));
  ASSERT_EQ(report.waterfall.size(), 1u);
  EXPECT_LT(report.waterfall[0].weights, 1e-9);
  EXPECT_LT(report.waterfall[0].machine, 0.01);
}

TEST_F(AnalyzeRobustTest, AnOutputOfClassesSaysWhenItsLargestElementMoves) {
  // All scores are within a step of the codes of the whole tensor.
  setAll(DataType::U8);
  PrecisionReport report = analyze(network(eight, "tensor<1x8xf32>", R"(
  %s = nn.constant dense<1.0e-3> : tensor<f32> loc("s"("s"))
  %c = nn.constant dense<100.0> : tensor<f32> loc("c"("c"))
  %0 = nn.mul %x, %s : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32> loc("mul"("small"))
  %1 = nn.add %0, %c : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32> loc("add"("scores"))
  return %1 : tensor<1x8xf32>)"));
  for (const PrecisionRow &row : rowsOf(report, "scores")) {
    EXPECT_GT(row.metrics.cosine, 0.9999);
    EXPECT_EQ(row.metrics.rows, 4);
    EXPECT_LT(row.metrics.agreement, 1);
  }
  for (const PrecisionRow &row : rowsOf(report, "small"))
    EXPECT_EQ(row.metrics.rows, 0) << "no output";
  EXPECT_NE(verdictText(report).find(
                "the largest element is clearly at another place"),
            std::string::npos);
}

// Once this took hours, which the limit of the test program still forbids; how
// the time grows is shown by bench/scaling.mjs.
TEST_F(AnalyzeRobustTest, ALongChainIsAnalyzed) {
  // Clamps behind long movements are parts of the layers in front of them.
  constexpr int layers = 3000;
  std::string body, last = "%x";
  for (int i = 0; i < layers; ++i) {
    bool moves = i % 1000 != 0 && i % 1000 != 999;
    std::string op = moves ? "transpose" : i % 1000 == 0 ? "sigmoid" : "relu";
    body += fmt::format("%{0} = nn.{1} {2} {3}: (tensor<2x2xf32>) -> "
                        "tensor<2x2xf32> loc(\"l{0}\"(\"t{0}\"))\n",
                        i, op, last, moves ? "{perm = array<i64: 1, 0>} " : "");
    last = fmt::format("%{}", i);
  }
  PrecisionReport report = analyze(
      network(R"(%x: tensor<2x2xf32> {nn.name = "x"})", "tensor<2x2xf32>",
              body + fmt::format("return {} : tensor<2x2xf32>", last)));
  for (const PrecisionTable &table : report.tables) {
    EXPECT_FALSE(table.rows.empty());
    EXPECT_TRUE(table.rows.back().isOutput);
    EXPECT_GT(table.rows.back().metrics.cosine, 0.99);
  }
}

} // namespace
} // namespace parallax
