//===- BitsTest.cpp - Broken kernels are found ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A network in which one kernel at a time is wrong: the analysis has to name
// that layer and what is wrong with it, and nothing where all are right.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "TestFault.h"
#include "parallax/Config/Target.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Error.h"

#include <cfloat>
#include <cmath>

namespace parallax {
namespace {

/// A convolution with a clamp, one without, an activation by table, a sum, a
/// product of matrices and a fully connected layer.
constexpr const char *manyKernelsNetwork = R"(
func.func @main(%x: tensor<1x3x9x9xf32> {nn.name = "x"}) -> (tensor<9x6xf32> {nn.name = "out"}) {
  %w = nn.constant RANDOM : tensor<8x3x3x3xf32> loc("w"("w"))
  %b = nn.constant RANDOM : tensor<8xf32> loc("b"("b"))
  %0 = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x3x9x9xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x9x9xf32> loc("stem"("c"))
  %1 = nn.relu %0 : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("relu"("r"))
  %dw = nn.constant RANDOM : tensor<8x1x3x3xf32> loc("dw"("dw"))
  %2 = nn.conv %1, %dw {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, group = 8 : i64}
    : (tensor<1x8x9x9xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x9x9xf32> loc("depthwise"("d"))
  %3 = nn.sigmoid %2 : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("gate"("s"))
  %4 = nn.add %1, %3 : (tensor<1x8x9x9xf32>, tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("sum"("a"))
  %5 = nn.mul %4, %3 : (tensor<1x8x9x9xf32>, tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("product"("m"))
  %6 = nn.matmul %5, %2 : (tensor<1x8x9x9xf32>, tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("matmul"("p"))
  %7 = nn.reshape %6 {shape = array<i64: 9, 72>} : (tensor<1x8x9x9xf32>) -> tensor<9x72xf32> loc("flatten"("f"))
  %fw = nn.constant RANDOM : tensor<72x6xf32> loc("fw"("fw"))
  %fb = nn.constant RANDOM : tensor<6xf32> loc("fb"("fb"))
  %8 = nn.gemm %7, %fw, %fb : (tensor<9x72xf32>, tensor<72x6xf32>, tensor<6xf32>) -> tensor<9x6xf32> loc("gemm"("out"))
  return %8 : tensor<9x6xf32>
}
)";

class BitsTest : public QuantizeTest {
protected:
  void SetUp() override {
    parse(withRandomWeights(manyKernelsNetwork));
    for (int i = 0; i < 3; ++i)
      samples.push_back({random(function().getArgumentTypes()[0])});
    calibration = calibrate(function(), samples);
  }

  void build() {
    // The comparison is about codes, also those of the last layer.
    setType("gemm", DataType::Default, DataType::Default,
            config.layerConfigs.empty() ? DataType::U8
                                        : config.layerConfigs[0].dataType);
    quantize();
    machine = lowerView(view);
  }

  std::vector<BitDifference> analyze() { return report().differences; }

  PrecisionReport report() {
    std::vector<Comparison> all;
    for (auto method : {AnalysisMethod::PerLayer, AnalysisMethod::EndToEnd})
      for (auto mode : {AnalysisMode::Reference, AnalysisMode::NPUBackend})
        all.push_back({method, mode});
    auto load = [&](size_t i) { return std::vector{samples[i][0].clone()}; };
    return analyzePrecision({function(), view, machine}, all,
                            {samples.size(), load, ""});
  }

  /// Breaks one kernel: it has to be the only fault, of this class, and where
  /// nothing else differs the first difference end to end.
  void expectFound(const std::string &layer, const std::string &kind,
                   DifferenceClass expected) {
    SCOPED_TRACE(layer + ":" + kind);
    std::vector<BitDifference> rows;
    {
      TestFault fault(layer + ":" + kind);
      rows = analyze();
    }
    const BitDifference *found = nullptr;
    for (const BitDifference &row : rows)
      if (row.node == layer)
        found = &row;
      else
        EXPECT_FALSE(isFault(row.difference))
            << row.node << ": " << nameOf(row.difference);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->difference, expected) << nameOf(found->difference);
    // Of 16-bit codes, ties are in nearly every layer.
    if (!hasTies || layer == "stem") {
      EXPECT_TRUE(found->isFirst);
    }
    ASSERT_FALSE(found->examples.empty());
    for (const DifferenceExample &example : found->examples) {
      EXPECT_NE(example.reference, example.machine);
      // The reference is right.
      EXPECT_NEAR(std::clamp(example.exact, 0.0, 65535.0),
                  double(example.reference), 0.6);
      EXPECT_FALSE(example.operands.empty());
    }
  }

  void expectAllFound() {
    using enum DifferenceClass;
    for (const char *layer : {"stem", "depthwise", "gemm", "matmul"})
      expectFound(layer, "accumulator", Accumulator);
    for (const char *layer :
         {"stem", "depthwise", "gemm", "matmul", "sum", "product"}) {
      expectFound(layer, "rounding", Rounding);
      expectFound(layer, "shift", ScaleOrZeroPoint);
      expectFound(layer, "zero_point", ScaleOrZeroPoint);
      expectFound(layer, "saturation", Saturation);
      expectFound(layer, "layout", Layout);
    }
    expectFound("gate", "table", TableEntries);
    expectFound("gate", "zero_point", ScaleOrZeroPoint);
    expectFound("gate", "layout", Layout);
  }

  std::vector<std::vector<Tensor>> samples;
  FuncOp machine;
  bool hasTies = false;
};

TEST_F(BitsTest, AMachineThatIsRightHasNoFaults) {
  for (DataType type : {DataType::U8, DataType::U16}) {
    config.layerConfigs.clear();
    setAll(type);
    build();
    for (const BitDifference &row : analyze())
      EXPECT_FALSE(isFault(row.difference))
          << row.node << ": " << nameOf(row.difference);
    machine.erase();
    view.erase();
  }
}

TEST_F(BitsTest, FaultsOf8BitLayersAreFound) {
  build();
  expectAllFound();
}

TEST_F(BitsTest, FaultsOf16BitLayersAreFound) {
  setAll(DataType::U16);
  hasTies = true;
  build();
  expectAllFound();
}

TEST_F(BitsTest, ExamplesHaveTheOperands) {
  build();
  TestFault fault("gemm:shift");
  for (const BitDifference &row : analyze())
    if (row.node == "gemm") {
      const std::string &operands = row.examples[0].operands;
      EXPECT_TRUE(operands.starts_with("f = ")) << operands;
      EXPECT_NE(operands.find("(72 codes, zero "), std::string::npos);
      EXPECT_NE(operands.find("weights = "), std::string::npos);
      EXPECT_NE(operands.find("sum "), std::string::npos);
    }
}

TEST_F(BitsTest, AReferenceThatIsNotFiniteIsNamed) {
  // 65535 steps of this scale are more than the largest float, so the constant
  // is infinite in floats, and times 0 it is not a number.
  parse(R"(
func.func @main(%x: tensor<1x8xf32> {nn.name = "x"}) -> (tensor<1x8xf32> {nn.name = "s"}) {
  %c = nn.constant dense<-1.0> : tensor<f32> loc("c"("c"))
  %0 = nn.relu %x : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("relu"("r"))
  %1 = nn.mul %0, %c : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32> loc("mul"("m"))
  %2 = nn.sigmoid %1 : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("sigmoid"("s"))
  return %2 : tensor<1x8xf32>
})");
  samples.clear();
  for (int i = 0; i < 3; ++i)
    samples.push_back({random(function().getArgumentTypes()[0])});
  calibration = calibrate(function(), samples);
  quantize();
  auto setParams = [&](const char *tensor, DType storage, float scale) {
    AffineParams params = paramsOf(tensor);
    params.scale = scale;
    Value value = find(tensor);
    value.setType(cast<RankedTensorType>(value.getType())
                      .clone(quantizedType(&context, storage, params)));
  };
  setParams("c", DType::U16, std::nextafter(FLT_MAX / 65535, FLT_MAX));
  setParams("m", DType::U8, FLT_MAX / 256);
  machine = lowerView(view);
  bool isNamed = false;
  for (const BitDifference &row : analyze()) {
    EXPECT_FALSE(isFault(row.difference))
        << row.node << ": " << nameOf(row.difference);
    if (row.node != "mul")
      continue;
    isNamed = true;
    EXPECT_EQ(row.difference, DifferenceClass::ReferenceNotFinite)
        << nameOf(row.difference);
    for (const DifferenceExample &example : row.examples)
      EXPECT_TRUE(std::isfinite(example.exact));
  }
  EXPECT_TRUE(isNamed);
}

/// Differences of Relus, one of which is in float, with a fine result of coarse
/// operands: another code of an operand is many codes of the result.
constexpr const char *twoPathsNetwork = R"(
func.func @main(%x: tensor<1x8x9x9xf32> {nn.name = "x"}) -> (tensor<1x8x9x9xf32> {nn.name = "out"}) {
  %w = nn.constant RANDOM : tensor<8x8x1x1xf32> loc("w"("w"))
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x8x9x9xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x9x9xf32> loc("conv"("c"))
  %1 = nn.relu %0 : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("relu"("r"))
  %2 = nn.relu %x : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("other"("o"))
  %3 = nn.silu %1 : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("island"("i"))
  %4 = nn.sub %1, %2 : (tensor<1x8x9x9xf32>, tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("sub"("d"))
  %5 = nn.sub %4, %3 : (tensor<1x8x9x9xf32>, tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> loc("last"("out"))
  return %5 : tensor<1x8x9x9xf32>
}
)";

class TwoPathsTest : public BitsTest {
protected:
  void build();
};

void TwoPathsTest::build() {
  parse(withRandomWeights(twoPathsNetwork));
  samples.clear();
  for (int i = 0; i < 3; ++i)
    samples.push_back({random(function().getArgumentTypes()[0])});
  calibration = calibrate(function(), samples);
  setType("island", DataType::FP32);
  setType("last", DataType::Default, DataType::Default, DataType::U8);
  quantize();
  auto setScale = [&](const char *tensor, float scale) {
    AffineParams params = paramsOf(tensor);
    params.scale = scale;
    Value value = find(tensor);
    value.setType(cast<RankedTensorType>(value.getType())
                      .clone(quantizedType(&context, DType::U8, params)));
  };
  setScale("d", paramsOf("d").scale / 32);
  // The inputs are halves of codes.
  for (std::vector<Tensor> &sample : samples)
    for (int64_t i = 0; i < sample[0].size(); ++i) {
      float &value = sample[0].data<float>()[i];
      value = (std::floor(value * 16) + 0.5F) * paramsOf("o").scale;
    }
  machine = lowerView(view);
}

TEST_F(TwoPathsTest, OperandsOnTiesAccuseNobody) {
  build();
  PrecisionReport found = report();
  for (const BitDifference &row : found.differences)
    EXPECT_FALSE(isFault(row.difference))
        << row.node << ": " << nameOf(row.difference);
  EXPECT_TRUE(found.unexamined.empty());
}

TEST_F(TwoPathsTest, AFaultOfASubtractionIsFound) {
  build();
  TestFault fault("sub:shift");
  bool isAccused = llvm::any_of(report().differences, [](const auto &row) {
    return row.node == "sub" && isFault(row.difference);
  });
  EXPECT_TRUE(isAccused);
}

/// Of layers that read other codes nobody can say whether they are right, nor
/// may anybody say that all is well.
TEST_F(TwoPathsTest, OtherOperandsAreNotPassedOver) {
  build();
  machine.walk([](npu::QuantizeOp op) {
    if (!op->getOperand(0).getDefiningOp())
      op.setZeroPoint(op.getZeroPoint() + 1);
  });
  PrecisionReport found = report();
  EXPECT_EQ(found.unexamined, (std::vector<std::string>{"r", "o"}));
  EXPECT_EQ(differencesVerdict(found),
            "Bits, NPUBackend against Reference: the same in all other "
            "layers.\nNot judged: 2 layers that the engines had given other "
            "codes to read: r, o.\n");
}

TEST_F(BitsTest, AFaultEndsWithItsObject) {
  build();
  auto isFaulty = [&] {
    return llvm::any_of(analyze(), [](const BitDifference &row) {
      return isFault(row.difference);
    });
  };
  {
    TestFault fault("stem:shift");
    EXPECT_TRUE(isFaulty());
  }
  EXPECT_FALSE(isFaulty());
}

TEST_F(BitsTest, FaultsThatCannotBeAreRefused) {
  build();
  auto messageOf = [&](const char *request) -> std::string {
    try {
      TestFault fault(request);
      analyze();
      fault.checkFound();
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(messageOf("nobody:shift"),
            "no layer 'nobody' of the machine ends in codes");
  EXPECT_EQ(messageOf("stem:table"),
            "npu.conv 'stem': it has no table that could be wrong");
  EXPECT_EQ(messageOf("stem:flood"),
            "'stem:flood' is no fault of a layer: write LAYER:KIND with one of "
            "rounding, shift, zero_point, saturation, table, accumulator, "
            "layout");
}

} // namespace
} // namespace parallax
