//===- OutputScalesTest.cpp - Tensors that meet in an output --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A head as detectors have it: large boxes and small scores in one output, or
// in a tensor that a layer reads as well.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NN/PortAttrs.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"

#include <cmath>

using namespace parallax;

namespace {

/// Boxes in pixels, scores, and both in one tensor.
constexpr const char *detector = R"(
func.func @main(%x: tensor<1x16x3xf32> {nn.name = "x"}) -> (tensor<1x16x6xf32> {nn.name = "out"}) {
  %wb = nn.constant RANDOM : tensor<3x2xf32> loc("wb"("wb"))
  %ws = nn.constant RANDOM : tensor<3x4xf32> loc("ws"("ws"))
  %size = nn.constant dense<640.0> : tensor<f32> loc("size"("size"))
  %0 = nn.matmul %x, %wb : (tensor<1x16x3xf32>, tensor<3x2xf32>) -> tensor<1x16x2xf32> loc("box"("b"))
  %1 = nn.mul %0, %size : (tensor<1x16x2xf32>, tensor<f32>) -> tensor<1x16x2xf32> loc("scaled"("p"))
  %2 = nn.matmul %x, %ws : (tensor<1x16x3xf32>, tensor<3x4xf32>) -> tensor<1x16x4xf32> loc("class"("c"))
  %3 = nn.sigmoid %2 : (tensor<1x16x4xf32>) -> tensor<1x16x4xf32> loc("score"("s"))
  %4 = nn.concat %1, %3 {axis = 2 : i64} : (tensor<1x16x2xf32>, tensor<1x16x4xf32>) -> tensor<1x16x6xf32> loc("merge"("y"))
  return %4 : tensor<1x16x6xf32>
}
)";

class OutputScalesTest : public QuantizeTest {
protected:
  void prepareDetector(std::string text = detector) {
    parse(withRandomWeights(std::move(text)));
    samples.clear();
    for (int i = 0; i < 4; ++i)
      samples.push_back({random(function().getArgumentTypes()[0])});
    calibration = calibrate(function(), samples);
  }

  /// The detector with another end.
  static std::string endingIn(const std::string &end,
                              const std::string &results) {
    std::string text = detector;
    text.replace(text.find("return %4"), std::string::npos, end + "\n}\n");
    std::string only = "(tensor<1x16x6xf32> {nn.name = \"out\"})";
    text.replace(text.find(only), only.size(), results);
    return text;
  }

  std::vector<Tensor> runMachine(const std::vector<Tensor> &inputs) {
    FuncOp machine = lowerView(view, Target(), &lowered);
    Executable executable = prepare(machine, npuKernels());
    ExecutionState state(executable);
    std::vector<Tensor> results;
    for (const Tensor &result : state.run(inputs))
      results.push_back(result.clone());
    return results;
  }

  std::vector<std::vector<Tensor>> samples;
  LowerReport lowered;
};

TEST_F(OutputScalesTest, PartsKeepTheirScales) {
  prepareDetector();
  quantize();
  // The accumulator gives float to the arithmetic behind it.
  for (const char *tensor : {"b", "p", "y", "s_dequantized"})
    EXPECT_TRUE(isFloat(tensor)) << tensor;
  EXPECT_LE(paramsOf("s").scale, 1 / 255.0f);
  ASSERT_EQ(report.alignments.size(), 2u);
  for (const AlignmentChoice &choice : report.alignments) {
    EXPECT_EQ(choice.layer, "merge");
    EXPECT_EQ(choice.decision, Alignment::Float);
    EXPECT_EQ(choice.reason, "only outputs come after it");
  }
  EXPECT_EQ(report.alignments[1].tensor, "s");
  EXPECT_LT(report.alignments[1].stepsLeft(), 1);
}

TEST_F(OutputScalesTest, EnginesAndFilesAgree) {
  prepareDetector();
  quantize();
  Tensor exact = run(function(), samples[0])[0];
  Tensor reference = run(view, samples[0])[0];
  Tensor machine = runMachine(samples[0])[0];
  Tensor qdq =
      run(orThrow(&context, [&] { return addQdqView(view); }), samples[0])[0];
  EXPECT_TRUE(lowered.islands.empty());
  double step = double(paramsOf("s").scale);
  for (int64_t i = 0; i < exact.size(); ++i) {
    bool isBox = i % 6 < 2;
    double found = double(machine.data<float>()[i]);
    EXPECT_EQ(qdq.data<float>()[i], reference.data<float>()[i]);
    EXPECT_NEAR(found, double(reference.data<float>()[i]),
                isBox ? 1e-3 : 1.001 * step);
    // The step of boxes of 8 bits would be about 6 pixels.
    EXPECT_NEAR(found, double(exact.data<float>()[i]), isBox ? 12 : 0.03);
  }
}

TEST_F(OutputScalesTest, PartsWithOneScaleMeetAsCodes) {
  std::string text = detector;
  std::string product = "nn.mul %0, %size : (tensor<1x16x2xf32>, tensor<f32>)";
  text.replace(text.find(product), product.size(),
               "nn.sigmoid %0 : (tensor<1x16x2xf32>)");
  prepareDetector(text);
  quantize();
  EXPECT_EQ(typeOf("p"), typeOf("y"));
  EXPECT_EQ(typeOf("s"), typeOf("y"));
  EXPECT_TRUE(isFloat("y_dequantized"));
  for (const AlignmentChoice &choice : report.alignments)
    EXPECT_EQ(choice.decision, Alignment::Shared);
}

TEST_F(OutputScalesTest, AReaderInsideGetsCodes) {
  prepareDetector(endingIn(
      R"(%5 = nn.sigmoid %4 : (tensor<1x16x6xf32>) -> tensor<1x16x6xf32> loc("inside"("i"))
  return %4, %5 : tensor<1x16x6xf32>, tensor<1x16x6xf32>)",
      R"((tensor<1x16x6xf32> {nn.name = "o0"}, tensor<1x16x6xf32> {nn.name = "o1"}))"));
  quantize();
  for (const char *tensor : {"b", "p", "s", "y", "i"})
    EXPECT_EQ(storageOf(typeOf(tensor)), DType::U8) << tensor;
  EXPECT_EQ(typeOf("s"), typeOf("y"));
}

TEST_F(OutputScalesTest, PartsOfASplitLeaveAsCodes) {
  prepareDetector(endingIn(
      R"(%5:2 = nn.split %3 {axis = 2 : i64, sizes = array<i64: 1, 3>} : (tensor<1x16x4xf32>) -> (tensor<1x16x1xf32>, tensor<1x16x3xf32>) loc("split"(fused["l", "r"]))
  return %5#0, %5#1 : tensor<1x16x1xf32>, tensor<1x16x3xf32>)",
      R"((tensor<1x16x1xf32> {nn.name = "o0"}, tensor<1x16x3xf32> {nn.name = "o1"}))"));
  quantize();
  EXPECT_EQ(typeOf("l"), typeOf("s"));
  EXPECT_EQ(typeOf("r"), typeOf("s"));
  EXPECT_TRUE(isFloat("l_dequantized"));
}

TEST_F(OutputScalesTest, WhatIsAskedForIsGranted) {
  for (DataType type : {DataType::U8, DataType::U16}) {
    prepareDetector();
    config.layerConfigs.clear();
    setType("scaled", type);
    quantize();
    // It computes on codes, and its result has its own.
    DType storage = type == DataType::U8 ? DType::U8 : DType::U16;
    EXPECT_EQ(storageOf(typeOf("b")), storage);
    EXPECT_EQ(storageOf(typeOf("p")), storage);
    EXPECT_TRUE(isFloat("y"));
  }
}

TEST_F(OutputScalesTest, TheAuditSaysThatFloatsMeet) {
  prepareDetector();
  setType("merge", DataType::U16);
  setCalibration(function(), calibration);
  std::vector<AuditedRule> audit = orThrow(
      &context, [&] { return assignPrecision(function(), config, {}); });
  completeAudit(audit, orThrow(&context, [&] {
                  return addQuantizedView(function(), options);
                }));
  const AuditedLayer &layer = audit.at(0).layers.at(0);
  EXPECT_EQ(layer.granted.data, DataType::FP32);
  EXPECT_EQ(layer.reason,
            "moves data only: follows 'scaled', since only outputs come after "
            "it; its parts keep their own scales, and it moves floats");
}

TEST_F(OutputScalesTest, OutputsThatLeaveAsCodesShareThem) {
  prepareDetector();
  function().setResultAttr(0, outputTypeAttr,
                           mlir::StringAttr::get(&context, "U8"));
  quantize();
  EXPECT_EQ(storageOf(typeOf("y")), DType::U8);
  EXPECT_EQ(typeOf("s"), typeOf("y"));
}

} // namespace
