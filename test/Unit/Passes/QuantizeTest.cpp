//===- QuantizeTest.cpp - The quantized view of a network -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which types tensors get, where they are requantized, and what constants
// become.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Analysis/QuantParams.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"

using namespace parallax;

namespace {

using enum DataType;

class TypesTest : public QuantizeTest {
protected:
  TypesTest() {
    parse(branches);
    setRange("x", -1, 1);
    setRange("c", -4, 3);
    setRange("r", 0, 3);
    setRange("t", 0, 3);
    setRange("a", -1, 4);
    setRange("s", 0.25, 1);
    setRange("y", -1, 4);
    setRange("z", 0.25, 1);
  }

  /// Puts a layer that reads codes behind the place where the branches meet.
  void readAsCodes() {
    std::string text = branches;
    std::string type = "tensor<1x4x4x4xf32>";
    size_t end = text.find("return %5");
    text.replace(end, 9,
                 "%6 = nn.sigmoid %5 : (" + type + ") -> " + type +
                     " loc(\"last\"(\"z\"))\n  return %6");
    parse(text);
  }
};

TEST_F(TypesTest, MovementSharesCodes) {
  quantize();
  EXPECT_EQ(typeOf("t"), typeOf("r"));
  EXPECT_EQ(paramsOf("t"), affineParams({0, 3}, U8));
}

TEST_F(TypesTest, ClampsShareCodesIfNobodyElseReads) {
  quantize();
  EXPECT_EQ(typeOf("c"), typeOf("r"));
  EXPECT_EQ(paramsOf("c").zeroPoint, 0);

  // A second reader wants what the clamp takes away.
  std::string text = branches;
  size_t add = text.find("nn.add %2, %x");
  text.replace(add, 13, "nn.add %2, %0");
  parse(text);
  quantize();
  EXPECT_EQ(paramsOf("c"), affineParams({-4, 3}, U8));
  EXPECT_EQ(paramsOf("r"), affineParams({0, 3}, U8));
}

TEST_F(TypesTest, NothingIsSharedThatNeedNotBe) {
  options.shareParameters = false;
  readAsCodes();
  quantize();
  EXPECT_EQ(paramsOf("c"), affineParams({-4, 3}, U8));
  EXPECT_EQ(paramsOf("r"), affineParams({0, 3}, U8));
  EXPECT_EQ(typeOf("t"), typeOf("r"));
  // One operand has the type of the concatenation already, the other gets it.
  EXPECT_EQ(typeOf("a"), typeOf("y"));
  EXPECT_EQ(paramsOf("s"), affineParams({0.25, 1}, U8));
  EXPECT_EQ(typeOf("s_U8_for_concat"), typeOf("y"));
}

TEST_F(TypesTest, OperandsAreAlignedWhereThatIsMorePrecise) {
  readAsCodes();
  quantize();
  // "a" has the range of the result, and may as well have its type. "s" is read
  // by nobody else: one rounding is better than two.
  EXPECT_EQ(typeOf("a"), typeOf("y"));
  EXPECT_EQ(typeOf("s"), typeOf("y"));
  ASSERT_EQ(report.alignments.size(), 2u);
  EXPECT_EQ(report.alignments[1].layer, "concat");
  EXPECT_EQ(report.alignments[1].tensor, "s");
  EXPECT_EQ(report.alignments[1].decision, Alignment::Shared);
  EXPECT_FLOAT_EQ(report.alignments[1].ownScale, 1 / 255.0f);
  EXPECT_FLOAT_EQ(report.alignments[1].sharedScale, 5 / 255.0f);
}

/// A concatenation of a tensor in [0, own] that one other layer reads, and one
/// in [0, 2].
std::string meeting(const std::string &op) {
  return R"(
func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}) -> (tensor<1x8xf32> {nn.name = "o0"}, tensor<1x4xf32> {nn.name = "o1"}) {
  %0 = nn.exp %x : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("exp"("e"))
  %1 = nn.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("sigmoid"("s"))
  %2 = )" +
         op + R"( loc("meet"("y"))
  %3 = nn.tanh %1 : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("tanh"("t"))
  %4 = nn.concat %2, %2 {axis = 1 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32> loc("twice"("z"))
  return %4, %3 : tensor<1x8xf32>, tensor<1x4xf32>
})";
}

TEST_F(QuantizeTest, SquaredErrorsDecideAboutAlignment) {
  // One other reader: the common scale c is better if c² <= 2 o².
  for (auto [own, aligned] :
       {std::pair{1.5, true}, {1.42, true}, {1.4, false}, {1.0, false}}) {
    parse(R"(
func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}) -> (tensor<1x8xf32> {nn.name = "o0"}, tensor<1x4xf32> {nn.name = "o1"}) {
  %0 = nn.exp %x : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("exp"("e"))
  %1 = nn.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("sigmoid"("s"))
  %2 = nn.concat %0, %1 {axis = 1 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32> loc("concat"("y"))
  %3 = nn.tanh %1 : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("tanh"("t"))
  return %2, %3 : tensor<1x8xf32>, tensor<1x4xf32>
})");
    calibration = {};
    report = {};
    for (auto [tensor, high] :
         {std::pair{"x", 1.0}, {"e", 2.0}, {"s", own}, {"y", 2.0}, {"t", 1.0}})
      setRange(tensor, 0, high);
    quantize();
    ASSERT_EQ(report.alignments.size(), 2u);
    EXPECT_EQ(report.alignments[1].decision,
              aligned ? Alignment::Shared : Alignment::Requantized)
        << own;
    EXPECT_EQ(typeOf("s") == typeOf("y"), aligned) << own;
    EXPECT_EQ(paramsOf("s"), affineParams({0, aligned ? 2.0 : own}, U8));
  }
}

TEST_F(QuantizeTest, AlignmentTakesNothingFromOtherReaders) {
  // max lets only a part of "s" through, but tanh reads all of it.
  parse(meeting("nn.max %0, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> "
                "tensor<1x4xf32>"));
  setRange("x", -1, 1);
  setRange("e", 0, 2);
  setRange("s", -8, 2);
  setRange("y", 0, 2);
  setRange("z", 0, 2);
  setRange("t", -1, 1);
  quantize();
  EXPECT_EQ(paramsOf("s"), affineParams({-8, 2}, U8));
  EXPECT_EQ(typeOf("s_U8_for_meet"), typeOf("y"));
  EXPECT_EQ(typeOf("e"), typeOf("y"));
}

TEST_F(QuantizeTest, TheSameOperandTwiceIsRequantizedOnce) {
  options.shareParameters = false;
  parse(meeting("nn.max %0, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> "
                "tensor<1x4xf32>"));
  double high = 1;
  for (const char *tensor : {"x", "e", "s", "y", "z", "t"})
    setRange(tensor, -1, high++);
  quantize();
  find("e_U8_for_meet");
  find("y_U8_for_twice");
}

TEST_F(TypesTest, AChangeOfTypeIsOneOperation) {
  readAsCodes();
  setType("add", U16);
  quantize();
  // The input is read in both types; what the clamp and the transposition pass
  // on is wide from where it is computed, so nothing else changes its type.
  EXPECT_EQ(storageOf(typeOf("x_U8")), DType::U8);
  EXPECT_EQ(storageOf(typeOf("x_U16")), DType::U16);
  for (const char *tensor : {"c", "r", "t"})
    EXPECT_EQ(paramsOf(tensor), affineParams({0, 3}, U16)) << tensor;
  EXPECT_EQ(storageOf(typeOf("a")), DType::U8);
  // Both of the input, and the output.
  EXPECT_EQ(count<nn::RequantizeOp>(), 3);
  EXPECT_EQ(report.requantizations, 3);
}

TEST_F(TypesTest, ReadersThatDisagreeGetTheWidestAndARequantization) {
  readAsCodes();
  setType("concat", U16); // Moves data only, so it is not asked.
  setType("sigmoid", U16);
  quantize();
  EXPECT_EQ(storageOf(typeOf("a")), DType::U16);
  EXPECT_EQ(storageOf(typeOf("y")), DType::U8);
  EXPECT_TRUE(isFloat("z_dequantized"));
}

TEST_F(TypesTest, SignedTypes) {
  setType("conv", S8);
  setType("relu", S16);
  quantize();
  EXPECT_EQ(paramsOf("x_S8"), affineParams({-1, 1}, S8));
  EXPECT_EQ(paramsOf("c"), affineParams({-4, 3}, S16));
  EXPECT_EQ(storageOf(typeOf("c")), DType::I16);
}

TEST_F(TypesTest, FloatLayersReadAndWriteFloat) {
  setType("sigmoid", FP32);
  quantize();
  // The accumulator of the addition leaves as float.
  for (const char *tensor : {"a", "s", "y"})
    EXPECT_TRUE(isFloat(tensor)) << tensor;
  EXPECT_EQ(count<nn::RequantizeOp>(), 1);
}

TEST_F(TypesTest, ARuleAboutAClampIsNotForgotten) {
  setType("relu", FP32);
  quantize();
  EXPECT_TRUE(isFloat("c"));
  EXPECT_TRUE(isFloat("r"));
  EXPECT_TRUE(isQuantized(typeOf("a")));
}

TEST_F(TypesTest, AnAccumulatorLeavesAsFloat) {
  setType("conv", U8, Default, FP32);
  quantize();
  EXPECT_TRUE(isFloat("c"));
  EXPECT_TRUE(isQuantized(find("c").getDefiningOp()->getOperand(0).getType()));
  EXPECT_EQ(storageOf(typeOf("c_U8")), DType::U8);
}

TEST_F(QuantizeTest, IslandsOnTheCpuReadFloat) {
  parse(meeting("nn.mod %0, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> "
                "tensor<1x4xf32>"));
  for (const char *tensor : {"x", "e", "s", "y", "z", "t"})
    setRange(tensor, 0, 2);
  quantize();
  EXPECT_TRUE(isFloat("e_dequantized"));
  EXPECT_TRUE(isFloat("s_dequantized"));
  EXPECT_TRUE(isFloat("y"));
  // A movement of float numbers to an output stays one.
  EXPECT_TRUE(isFloat("z"));
}

TEST_F(TypesTest, BiasesHaveTheScaleOfTheAccumulator) {
  quantize();
  EXPECT_EQ(storageOf(typeOf("w")), DType::I8);
  EXPECT_EQ(storageOf(typeOf("b")), DType::I32);
  ChannelParams weights = channelParamsOf(typeOf("w"));
  ChannelParams bias = channelParamsOf(typeOf("b"));
  float input = paramsOf("x_U8").scale;
  ASSERT_EQ(bias.scales.size(), 2u);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(bias.scales[i], input * weights.scales[i]);
  Tensor codes = toTensor(
      cast<nn::QuantizedConstantOp>(find("b").getDefiningOp()).getCodes());
  EXPECT_EQ(codes.data<int32_t>()[0],
            int32_t(std::nearbyint(0.25 / double(bias.scales[0]))));
  EXPECT_EQ(codes.data<int32_t>()[1],
            int32_t(std::nearbyint(-1.5 / double(bias.scales[1]))));
  EXPECT_EQ(report.weights, 1);
  EXPECT_EQ(report.biases, 1);

  options.bias = FP32;
  view.erase();
  quantize();
  EXPECT_TRUE(isFloat("b"));
}

TEST_F(TypesTest, ScalesOfWeightsGrowUntilTheBiasHasACode) {
  std::string text = branches;
  text.replace(text.find("[[[2.0]], [[0.25]]]"), 19, "[[[0.0]], [[1.0e-9]]]");
  parse(text);
  quantize();
  ChannelParams bias = channelParamsOf(typeOf("b"));
  EXPECT_NEAR(1.5 / double(bias.scales[1]), 0x1p30, 0x1p10);
  Tensor codes = toTensor(
      cast<nn::QuantizedConstantOp>(find("b").getDefiningOp()).getCodes());
  EXPECT_NEAR(double(codes.data<int32_t>()[1]) * double(bias.scales[1]), -1.5,
              1e-6);
}

TEST_F(TypesTest, TheTypeOfWeights) {
  setType("conv", U16, S16);
  quantize();
  EXPECT_EQ(storageOf(typeOf("w")), DType::I16);
  EXPECT_EQ(storageOf(typeOf("x_U16")), DType::U16);

  view.erase();
  config.layerConfigs = {};
  setType("conv", U8, FP32);
  quantize();
  EXPECT_TRUE(isFloat("w"));
  EXPECT_TRUE(isFloat("b"));
}

TEST_F(TypesTest, ACalibrationOfAnotherNetworkIsAnError) {
  calibration.tensors.erase(calibration.tensors.begin() + 1);
  try {
    quantize();
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "the calibration has no range for 1 of the network's tensors, "
                 "such as 'c': it is of another network");
  }
  // Nothing half-made is left.
  EXPECT_EQ(llvm::range_size(module->getOps<mlir::func::FuncOp>()), 1u);
}

/// One layer with a constant, on an input in [-1, 1] with a result in [-2, 2].
class ConstantsTest : public QuantizeTest {
protected:
  void parseLayer(const std::string &op, const std::string &constant) {
    parse("func.func @main(%x: tensor<1x4xf32> {nn.name = \"x\"}) -> "
          "(tensor<1x4xf32> {nn.name = \"o\"}) {\n  %c = nn.constant dense<" +
          constant + "> : tensor<4xf32> loc(\"c\"(\"c\"))\n  %0 = " + op +
          " : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32> "
          "loc(\"layer\"(\"y\"))\n  return %0 : tensor<1x4xf32>\n}");
    calibration = {};
    setRange("x", -1, 1);
    setRange("y", -2, 2);
    // In front of an output, arithmetic computes on codes if it is asked to.
    config.layerConfigs.clear();
    setType("layer", U8);
    quantize();
  }
};

TEST_F(ConstantsTest, ConstantsOfArithmeticHave16Bits) {
  parseLayer("nn.mul %x, %c", "[0.5, -0.25, 1.0, 0.0]");
  EXPECT_EQ(paramsOf("c"), affineParams({-0.25, 1}, U16));
  EXPECT_EQ(paramsOf("y"), affineParams({-2, 2}, U8));
}

TEST_F(ConstantsTest, AMaskOfHugeNumbersLeavesCodesForTheOthers) {
  for (const char *huge : {"-1.0e9", "-3.4e38", "0xFF800000"}) {
    parseLayer("nn.add %x, %c", std::string("[0.5, ") + huge + ", 0.25, 0.0]");
    Tensor x(DType::F32, {1, 4});
    std::fill_n(x.data<float>(), 4, 0.75f);
    Tensor y = run(view, {x})[0];
    EXPECT_NEAR(y.data<float>()[0], 1.25f, 0.02f) << huge;
    EXPECT_NEAR(y.data<float>()[1], -2.0f, 0.02f) << huge;
    EXPECT_NEAR(y.data<float>()[2], 1.0f, 0.02f) << huge;
  }
}

TEST_F(ConstantsTest, DivisorsNeverBecomeZero) {
  parseLayer("nn.div %x, %c", "[1.0e-6, 100.0, 1.0, 1.0]");
  EXPECT_TRUE(isFloat("c"));
  parseLayer("nn.div %x, %c", "[1.0, 100.0, 1.0, 1.0]");
  EXPECT_EQ(paramsOf("c"), affineParams({0, 100}, U16));
}

TEST_F(QuantizeTest, AConstantOfSeveralLayersHasOneNamePerType) {
  parse(R"(
func.func @main(%x: tensor<2x2xf32> {nn.name = "x"}) -> (tensor<2x2xf32> {nn.name = "o"}) {
  %w = nn.constant dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("m0"("a"))
  %1 = nn.matmul %0, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("m1"("b"))
  %2 = nn.matmul %w, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("m2"("c"))
  return %2 : tensor<2x2xf32>
})");
  for (const char *tensor : {"x", "a", "b", "c"})
    setRange(tensor, -4, 4);
  quantize();
  // The first two share it; on the left side, rows are the channels.
  EXPECT_EQ(channelParamsOf(typeOf("w")).axis, 1);
  EXPECT_EQ(channelParamsOf(typeOf("w_for_m2")).axis, 0);
  EXPECT_EQ(count<nn::QuantizedConstantOp>(), 2);
  EXPECT_EQ(count<nn::ConstantOp>(), 0);
}

TEST_F(QuantizeTest, WeightsThatAreNotNumbersAreRefused) {
  parse(R"(
func.func @main(%x: tensor<1x2xf32> {nn.name = "x"}) -> (tensor<1x2xf32> {nn.name = "o"}) {
  %w = nn.constant dense<[[0.5, 0x7F800000], [2.0, 0.25]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.matmul %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("product"("y"))
  return %0 : tensor<1x2xf32>
})");
  setRange("x", -1, 1);
  setRange("y", -1, 1);
  try {
    quantize();
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "the weights 'w' of layer 'product' hold NaN or "
                               "infinity, which no code stands for");
  }
}

/// Weights may be large, and to choose a range may take a second.
TEST_F(QuantizeTest, IsCancelledBetweenLayersAndTensors) {
  class CancelledListener : public Listener {
  public:
    bool isCancelled() const override { return true; }
  } listener;
  parse(R"(
func.func @main(%x: tensor<1x2xf32> {nn.name = "x"}) -> (tensor<1x2xf32> {nn.name = "o"}) {
  %w = nn.constant dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32> loc("w"("w"))
  %0 = nn.matmul %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("m"("y"))
  return %0 : tensor<1x2xf32>
})");
  setRange("x", -1, 1);
  setRange("y", -1, 1);
  ListenerScope scope(listener);
  EXPECT_THROW(quantize(), Cancelled);
  EXPECT_THROW(chooseRanges(function(), NetworkStatistics(1), {}, 1),
               Cancelled);
}

TEST_F(QuantizeTest, ScalesOfNormalizationsAreFloatOr32Bits) {
  constexpr const char *network = R"(
func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}) -> (tensor<1x4xf32> {nn.name = "o"}) {
  %g = nn.constant dense<[1.0, 0.5, -3.0, 0.0]> : tensor<4xf32> loc("g"("g"))
  %0 = nn.layer_normalization %x, %g : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32> loc("norm"("y"))
  return %0 : tensor<1x4xf32>
})";
  setRange("x", -1, 1);
  setRange("y", -4, 4);
  for (bool wide : {false, true}) {
    parse(network);
    std::vector<std::string> warnings;
    BuildConfig build = parseBuildConfig(
        wide ? R"({"quant": {"ln_scale_data_type": "S32"}})" : "{}", "test", {},
        &warnings);
    options = quantizeOptions(build.quant);
    quantize();
    if (!wide) {
      EXPECT_TRUE(isFloat("g"));
      continue;
    }
    ASSERT_TRUE(isQuantized(typeOf("g")));
    EXPECT_EQ(storageOf(typeOf("g")), DType::I32);
    Tensor codes = toTensor(
        cast<nn::QuantizedConstantOp>(find("g").getDefiningOp()).getCodes());
    for (auto [i, value] : llvm::enumerate(std::array{1.0, 0.5, -3.0, 0.0}))
      EXPECT_NEAR(double(codes.data<int32_t>()[i]) * paramsOf("g").scale, value,
                  1e-8);
  }
}

} // namespace
