//===- LowerTest.cpp - The NPU against the quantized network --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Both engines execute the same quantized network. Codes of the same layer may
// differ by the one step of a rounding, and hardly ever by more.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Lower/Lower.h"
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/Error.h"

#include <cmath>
#include <map>

using namespace parallax;

namespace {

using enum DataType;

/// Convolution, Relu, addition, concatenation, pooling, a table, and weights in
/// groups.
constexpr const char *classifierNetwork = R"(
func.func @main(%x: tensor<1x4x12x12xf32> {nn.name = "x"}) -> (tensor<1x10xf32> {nn.name = "out"}) {
  %w0 = nn.constant RANDOM : tensor<8x4x3x3xf32> loc("w0"("w0"))
  %b0 = nn.constant RANDOM : tensor<8xf32> loc("b0"("b0"))
  %w1 = nn.constant RANDOM : tensor<8x1x3x3xf32> loc("w1"("w1"))
  %w2 = nn.constant RANDOM : tensor<10x16xf32> loc("w2"("w2"))
  %0 = nn.conv %x, %w0, %b0 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x4x12x12xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<1x8x12x12xf32> loc("conv"("c"))
  %1 = nn.relu %0 : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32> loc("relu"("r"))
  %2 = nn.conv %1, %w1 {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, group = 8 : i64}
    : (tensor<1x8x12x12xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x12x12xf32> loc("depthwise"("d"))
  %3 = nn.add %1, %2 : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32> loc("add"("a"))
  %4 = nn.sigmoid %3 : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32> loc("sigmoid"("s"))
  %5 = nn.mul %3, %4 : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32> loc("mul"("m"))
  %6 = nn.concat %5, %2 {axis = 1 : i64} : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x16x12x12xf32> loc("concat"("k"))
  %7 = nn.max_pool %6 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<1x16x12x12xf32>) -> tensor<1x16x6x6xf32> loc("max"("p"))
  %8 = nn.average_pool %7 {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32> loc("average"("v"))
  %9 = nn.global_average_pool %8 : (tensor<1x16x6x6xf32>) -> tensor<1x16x1x1xf32> loc("global"("g"))
  %10 = nn.reshape %9 {shape = array<i64: 1, 16>} : (tensor<1x16x1x1xf32>) -> tensor<1x16xf32> loc("reshape"("f"))
  %11 = nn.fully_connected %10, %w2 : (tensor<1x16xf32>, tensor<10x16xf32>) -> tensor<1x10xf32> loc("fc"("h"))
  %12 = nn.softmax %11 {axis = -1 : i64} : (tensor<1x10xf32>) -> tensor<1x10xf32> loc("softmax"("y"))
  return %12 : tensor<1x10xf32>
}
)";

class LowerTest : public QuantizeTest {
protected:
  /// Parses, calibrates and quantizes a network in which the constant RANDOM
  /// stands for any numbers.
  void prepareNetwork(std::string text) {
    parse(withRandomWeights(std::move(text)));
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < 4; ++i)
      samples.push_back({random(function().getArgumentTypes()[0], -1, 1)});
    calibration = calibrate(function(), samples);
    quantize();
  }

  std::map<std::string, Tensor>
  results(FuncOp function, const KernelSet &kernels, const Tensor &input) {
    PrepareOptions options;
    options.observe = true;
    Executable executable = prepare(function, kernels, options);
    ExecutionState state(executable);
    Recorder recorder;
    state.run(std::span(&input, 1), &recorder);
    return recorder.results;
  }

  static std::vector<int64_t> codesOf(const Tensor &tensor) {
    std::vector<int64_t> codes;
    dispatch(tensor.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>)
        codes.assign(tensor.data<T>(), tensor.data<T>() + tensor.size());
    });
    return codes;
  }

  /// The types of all codes, by name.
  std::map<std::string, Type> quantizedTypes() {
    std::map<std::string, Type> types;
    for (Operation &op : view.front())
      for (Value result : op.getResults())
        if (op.getNumOperands() > 0 && isQuantized(result.getType()))
          types[getTensorName(result)] = result.getType();
    return types;
  }

  /// Runs both engines and compares the codes of all layers that both have.
  void compareEngines(int64_t minLayers) {
    FuncOp lowered = lowerView(view, Target(), &lowerReport);
    std::map<std::string, Type> types = quantizedTypes();
    int64_t elements = 0, beyond = 0, unequal = 0, layers = 0;
    for (int sample = 0; sample < 4; ++sample) {
      Tensor input = random(function().getArgumentTypes()[0], -1, 1);
      auto reference = results(view, referenceKernels(), input);
      auto machine = results(lowered, npuKernels(), input);
      for (auto &[name, tensor] : machine) {
        Type type = types[name];
        if (!type)
          continue;
        ++layers;
        AffineParams params = affineParamsOf(type);
        std::vector<int64_t> codes = codesOf(tensor);
        const Tensor &expected = reference.at(name);
        ASSERT_EQ(int64_t(codes.size()), expected.size()) << name;
        for (size_t i = 0; i < codes.size(); ++i) {
          int64_t code = params.zeroPoint +
                         std::llround(double(expected.data<float>()[i]) /
                                      double(params.scale));
          int64_t difference = std::abs(codes[i] - code);
          ++elements;
          unequal += difference > 0;
          beyond += difference > 1;
        }
      }
    }
    EXPECT_GE(layers, 4 * minLayers);
    EXPECT_LE(double(beyond), 0.001 * double(elements));
    EXPECT_LE(double(unequal), 0.05 * double(elements));
  }

  LowerReport lowerReport;
};

TEST_F(LowerTest, AgreesWithReferenceIn8Bits) {
  prepareNetwork(classifierNetwork);
  compareEngines(11);
  EXPECT_TRUE(lowerReport.islands.empty());
  EXPECT_EQ(lowerReport.clamps, 1);
  for (const LowerReport::Margin &margin : lowerReport.margins)
    EXPECT_GE(margin.bits, 0) << margin.layer;
}

TEST_F(LowerTest, AgreesWithReferenceInSignedCodes) {
  setAll(S8);
  prepareNetwork(classifierNetwork);
  compareEngines(11);
  EXPECT_TRUE(lowerReport.islands.empty());
}

/// Biases in float have as many bits as the accumulator.
TEST_F(LowerTest, TakesBiasesThatStayedFloat) {
  options.bias = FP32;
  prepareNetwork(classifierNetwork);
  compareEngines(11);
  EXPECT_TRUE(lowerReport.islands.empty());
}

/// What a float layer reads leaves the product as floats (C26).
TEST_F(LowerTest, GivesFloatResultsOfProducts) {
  setType("softmax", FP32);
  prepareNetwork(classifierNetwork);
  compareEngines(10);
  EXPECT_TRUE(lowerReport.islands.empty());
  auto lowered = module->lookupSymbol<FuncOp>("npu");
  int64_t products = 0;
  lowered.walk([&](npu::FullyConnectedOp op) {
    ++products;
    EXPECT_TRUE(mlir::getElementTypeOrSelf(op.getType()).isF32());
    EXPECT_EQ(op.getScales().size(), 10u);
  });
  EXPECT_EQ(products, 1);
}

TEST_F(LowerTest, AgreesWithReferenceIn16Bits) {
  setAll(U16, S16);
  prepareNetwork(classifierNetwork);
  FuncOp lowered = lowerView(view, Target(), &lowerReport);
  EXPECT_TRUE(lowerReport.islands.empty());
  Tensor input = random(function().getArgumentTypes()[0], -1, 1);
  Tensor expected = run(view, {input})[0];
  Executable executable = prepare(lowered, npuKernels());
  ExecutionState state(executable);
  Tensor found = state.run(std::span(&input, 1))[0].clone();
  for (int64_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.data<float>()[i], expected.data<float>()[i], 2e-4);
}

/// A chip with less of everything gives other codes, but not far from those of
/// the default one.
TEST_F(LowerTest, ComputesWithTheArithmeticOfATarget) {
  setAll(U16, S16);
  prepareNetwork(classifierNetwork);
  // Float sums, and so ranges and codes, differ between processors: one sample
  // may end in the same codes on some of them.
  std::vector<Tensor> inputs;
  for (int i = 0; i < 16; ++i)
    inputs.push_back(random(function().getArgumentTypes()[0], -1, 1));
  auto outputsOf = [&](const Target &target) {
    LowerReport report;
    FuncOp lowered = lowerView(view, target, &report);
    EXPECT_TRUE(report.islands.empty());
    auto attribute = npu::targetOf(&lowered.front().front());
    EXPECT_EQ(attribute.getMultiplierBits(), target.arithmetic.multiplierBits);
    Executable executable = prepare(lowered, npuKernels());
    ExecutionState state(executable);
    std::vector<Tensor> outputs;
    for (const Tensor &input : inputs)
      outputs.push_back(state.run(std::span(&input, 1))[0].clone());
    lowered.erase();
    return outputs;
  };
  Target target;
  std::vector<Tensor> best = outputsOf(target);
  target.arithmetic.multiplierBits = 20;
  target.arithmetic.tableKnots = 257;
  target.arithmetic.rounding = Rounding::HalfAway;
  std::vector<Tensor> found = outputsOf(target);
  double difference = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (int64_t j = 0; j < found[i].size(); ++j)
      difference =
          std::max(difference, std::abs(double(found[i].data<float>()[j]) -
                                        best[i].data<float>()[j]));
  EXPECT_GT(difference, 0);
  EXPECT_LT(difference, 1e-2);
}

TEST_F(LowerTest, RefusesSumsThatATargetCanNotHold) {
  prepareNetwork(classifierNetwork);
  Target target;
  target.name = "narrow";
  target.arithmetic.accumulatorBits8 = 16;
  try {
    lowerView(view, target);
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(
        std::string(error.what())
            .find("of its accumulator on narrow (C27); 16-bit codes have an "
                  "accumulator of 48"),
        std::string::npos)
        << error.what();
  }
  // Nothing is left of the attempt.
  EXPECT_FALSE(module->lookupSymbol<FuncOp>("npu"));
}

TEST_F(LowerTest, LeavesTypesThatATargetLacksToFloat) {
  setType("softmax", U16);
  prepareNetwork(classifierNetwork);
  Target target;
  target.name = "poor";
  target.operators = {{{"Softmax"}, {DataType::U8}, {DataType::S8}},
                      {{"MaxPool"}, {}, {}},
                      {{"Conv"}, target.activationTypes, {DataType::S16}}};
  lowerView(view, target, &lowerReport);
  std::map<std::string, std::string> why;
  for (const LowerReport::Island &island : lowerReport.islands)
    why[island.layer] = island.why;
  EXPECT_EQ(why, (std::map<std::string, std::string>{
                     {"conv", "poor does not take weights of S8 here"},
                     {"depthwise", "poor does not take weights of S8 here"},
                     {"max", "poor does not have the operator"},
                     {"softmax", "poor does not take activations of U16 "
                                 "here"}}));
}

TEST_F(LowerTest, KeepsNamesAndPorts) {
  prepareNetwork(classifierNetwork);
  FuncOp lowered = lowerView(view, Target(), &lowerReport);
  EXPECT_EQ(lowered.getName(), "npu");
  EXPECT_EQ(lowered.getFunctionType(), view.getFunctionType());
  lowered.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      EXPECT_FALSE(isQuantized(type)) << getLayerName(op).node;
  });
}

TEST_F(LowerTest, LeavesNormalizationsWithoutChannelsToFloat) {
  prepareNetwork(R"(
func.func @main(%x: tensor<1x0x4x4xf32> {nn.name = "x"}) -> (tensor<1x0x4x4xf32> {nn.name = "out"}) {
  %s = nn.constant dense<> : tensor<0xf32> loc("s"("s"))
  %0 = nn.instance_normalization %x, %s, %s : (tensor<1x0x4x4xf32>, tensor<0xf32>, tensor<0xf32>) -> tensor<1x0x4x4xf32> loc("norm"("n"))
  return %0 : tensor<1x0x4x4xf32>
}
)");
  lowerView(view, Target(), &lowerReport);
  ASSERT_EQ(lowerReport.islands.size(), 1u);
  EXPECT_EQ(lowerReport.islands[0].layer, "norm");
  EXPECT_EQ(lowerReport.islands[0].why, "it has no channels");
}

TEST_F(LowerTest, ComputesWhatHasNoIntegersInFloat) {
  prepareNetwork(R"(
func.func @main(%x: tensor<2x64xf32> {nn.name = "x"}) -> (tensor<2x64xf32> {nn.name = "out"}) {
  %0 = nn.sigmoid %x : (tensor<2x64xf32>) -> tensor<2x64xf32> loc("sigmoid"("s"))
  %1 = nn.pow %0, %0 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32> loc("pow"("c"))
  %2 = nn.tanh %1 : (tensor<2x64xf32>) -> tensor<2x64xf32> loc("tanh"("t"))
  return %2 : tensor<2x64xf32>
}
)");
  compareEngines(3);
  ASSERT_EQ(lowerReport.islands.size(), 1u);
  EXPECT_EQ(lowerReport.islands[0].layer, "pow");
  EXPECT_EQ(lowerReport.islands[0].op, "nn.pow");
  EXPECT_EQ(lowerReport.islands[0].why, "its exponent is not one number");
}

/// An island reads or gives codes; what lies between two of them does not.
TEST_F(LowerTest, FloatLayersWithoutCodesCount) {
  setType("tanh", FP32);
  setType("silu", FP32);
  prepareNetwork(R"(
func.func @main(%x: tensor<2x64xf32> {nn.name = "x"}) -> (tensor<2x64xf32> {nn.name = "out"}) {
  %0 = nn.sigmoid %x : (tensor<2x64xf32>) -> tensor<2x64xf32> loc("sigmoid"("s"))
  %1 = nn.pow %0, %0 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32> loc("pow"("c"))
  %2 = nn.tanh %1 : (tensor<2x64xf32>) -> tensor<2x64xf32> loc("tanh"("t"))
  %3 = nn.silu %2 : (tensor<2x64xf32>) -> tensor<2x64xf32> loc("silu"("u"))
  return %3 : tensor<2x64xf32>
}
)");
  lowerView(view, Target(), &lowerReport);
  ASSERT_EQ(lowerReport.islands.size(), 1u);
  EXPECT_EQ(lowerReport.islands[0].layer, "pow");
  EXPECT_EQ(lowerReport.floatLayers, 3);
}

} // namespace
