//===- MeetingsTest.cpp - 16 bits where parts of different size meet ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Boxes and scores in one tensor that a layer reads, beside products that take
// nearly all of the time, or without them.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Passes/Lower/Lower.h"

#include <cmath>

namespace parallax {
namespace {

constexpr const char *head = R"(
func.func @main(%x: tensor<1x128x64xf32> {nn.name = "x"}) -> (tensor<1x128x64xf32> {nn.name = "rest"}, tensor<1x2x3xf32> {nn.name = "out"}) {
  %w0 = nn.constant RANDOM : tensor<64x64xf32> loc("w0"("w0"))
  %w1 = nn.constant RANDOM : tensor<64x64xf32> loc("w1"("w1"))
  %wb = nn.constant RANDOM : tensor<64x2xf32> loc("wb"("wb"))
  %ws = nn.constant RANDOM : tensor<64x4xf32> loc("ws"("ws"))
  %wr = nn.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<6x3xf32> loc("wr"("wr"))
  %size = nn.constant dense<64.0> : tensor<f32> loc("size"("size"))
  %0 = nn.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 2, 64>, steps = array<i64: 1, 1, 1>} : (tensor<1x128x64xf32>) -> tensor<1x2x64xf32> loc("few"("f"))
  %1 = nn.matmul %0, %wb : (tensor<1x2x64xf32>, tensor<64x2xf32>) -> tensor<1x2x2xf32> loc("box"("b"))
  %2 = nn.mul %1, %size : (tensor<1x2x2xf32>, tensor<f32>) -> tensor<1x2x2xf32> loc("scaled"("p"))
  %3 = nn.matmul %0, %ws : (tensor<1x2x64xf32>, tensor<64x4xf32>) -> tensor<1x2x4xf32> loc("class"("c"))
  %4 = nn.sigmoid %3 : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("score"("s"))
  %5 = nn.concat %2, %4 {axis = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x2x4xf32>) -> tensor<1x2x6xf32> loc("merge"("y"))
  %6 = nn.reshape %5 {shape = array<i64: 2, 6>} : (tensor<1x2x6xf32>) -> tensor<2x6xf32> loc("moved"("m"))
  %7 = nn.matmul %6, %wr : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32> loc("reader"("r"))
  %8 = nn.reshape %7 {shape = array<i64: 1, 2, 3>} : (tensor<2x3xf32>) -> tensor<1x2x3xf32> loc("back"("o"))
  %9 = nn.matmul %x, %w0 : (tensor<1x128x64xf32>, tensor<64x64xf32>) -> tensor<1x128x64xf32> loc("big0"("g0"))
  %10 = nn.matmul %9, %w1 : (tensor<1x128x64xf32>, tensor<64x64xf32>) -> tensor<1x128x64xf32> loc("big1"("g1"))
  return %10, %8 : tensor<1x128x64xf32>, tensor<1x2x3xf32>
}
)";

class MeetingsTest : public QuantizeTest {
protected:
  void prepareHead(std::string text = head) {
    parse(withRandomWeights(std::move(text)));
    samples.clear();
    for (int i = 0; i < 4; ++i)
      samples.push_back({random(function().getArgumentTypes()[0])});
    calibration = calibrate(function(), samples);
  }

  /// Without the products that make the others look small.
  static std::string alone() {
    std::string text = head;
    for (auto [from, to] :
         std::initializer_list<std::pair<std::string, std::string>>{
             {"(tensor<1x128x64xf32> {nn.name = \"rest\"}, tensor<1x2x3xf32> "
              "{nn.name = \"out\"})",
              "(tensor<1x2x3xf32> {nn.name = \"out\"})"},
             {"return %10, %8 : tensor<1x128x64xf32>, ", "return %8 : "}})
      text.replace(text.find(from), from.size(), to);
    text.erase(text.find("  %9 = "),
               text.find("  return") - text.find("  %9 "));
    return text;
  }

  std::string noteOf(const std::string &tensor) {
    for (const AlignmentChoice &choice : report.alignments)
      if (choice.tensor == tensor)
        return choice.wideCodes;
    ADD_FAILURE() << tensor << " meets nobody";
    return "";
  }

  std::vector<std::vector<Tensor>> samples;
};

TEST_F(MeetingsTest, ASmallReaderGetsAllCodes) {
  prepareHead();
  quantize();
  for (const char *tensor : {"s", "p", "y", "m"})
    EXPECT_EQ(storageOf(typeOf(tensor)), DType::U16) << tensor;
  for (const char *tensor : {"c", "g0"})
    EXPECT_EQ(storageOf(typeOf(tensor)), DType::U8) << tensor;
  EXPECT_TRUE(noteOf("s").starts_with("16 bits, because 8 would leave 0."))
      << noteOf("s");
  for (const AlignmentChoice &choice : report.alignments)
    EXPECT_GE(choice.stepsLeft(), fewestSteps) << choice.tensor;

  // The scores come through in both engines.
  LowerReport lowered;
  FuncOp machine = lowerView(view, Target(), &lowered);
  EXPECT_TRUE(lowered.islands.empty());
  Executable executable = prepare(machine, npuKernels());
  ExecutionState state(executable);
  for (const std::vector<Tensor> &inputs : samples) {
    Tensor exact = run(function(), inputs)[1], reference = run(view, inputs)[1];
    Tensor found = state.run(inputs)[1].clone();
    for (int64_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(reference.data<float>()[i], exact.data<float>()[i], 0.1);
      EXPECT_NEAR(found.data<float>()[i], exact.data<float>()[i], 0.1);
    }
  }
}

TEST_F(MeetingsTest, ALargePartOfTheNetworkKeepsItsTypes) {
  prepareHead(alone());
  quantize();
  EXPECT_EQ(storageOf(typeOf("y")), DType::U8);
  EXPECT_TRUE(noteOf("s").starts_with("16 bits would help, but "))
      << noteOf("s");
  EXPECT_TRUE(noteOf("s").ends_with(" % of all products would read them"))
      << noteOf("s");
}

TEST_F(MeetingsTest, RulesCountMore) {
  prepareHead();
  setType("reader", DataType::U8);
  quantize();
  EXPECT_EQ(storageOf(typeOf("y")), DType::U8);
  EXPECT_EQ(noteOf("s"),
            "16 bits would help, but a rule gives 'reader' its type");
}

TEST_F(MeetingsTest, SomePartsAreTooSmallFor16Bits) {
  std::string text = head;
  text.replace(text.find("64.0"), 4, "6400.0");
  prepareHead(text);
  quantize();
  EXPECT_EQ(storageOf(typeOf("y")), DType::U8);
  EXPECT_EQ(noteOf("s"), "not even 16 bits would leave 8 steps");
}

TEST_F(MeetingsTest, PartsThatKeepStepsAreLeftAlone) {
  std::string text = head;
  text.replace(text.find("64.0"), 4, "0.5");
  prepareHead(text);
  quantize();
  EXPECT_EQ(storageOf(typeOf("y")), DType::U8);
  EXPECT_EQ(noteOf("s"), "");
}

} // namespace
} // namespace parallax
