//===- AnalyzeWaterfallTest.cpp - Which stage loses precision -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each stage against a run of its own.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Support/Views.h"

namespace parallax {
namespace {

class AnalyzeWaterfallTest : public QuantizeTest {
protected:
  void SetUp() override {
    parse(branches);
    for (int i = 0; i < 3; ++i)
      samples.push_back({random(function().getArgumentTypes()[0])});
    calibration = calibrate(function(), samples);
    quantize();
    machine = lowerView(view);
    // What optimization would have lost.
    imported = addView(function(), "imported");
    setConstant(imported, "w", std::vector<float>{0.5, -1, 2.25, 0.25});
  }

  /// Gives a constant of a float view other values.
  static void setConstant(FuncOp network, const std::string &tensor,
                          std::span<const float> values) {
    network.walk([&](nn::ConstantOp op) {
      if (getTensorName(op.getResult()) == tensor)
        op.setValueAttr(mlir::DenseElementsAttr::get(
            cast<RankedTensorType>(op.getType()),
            ArrayRef<float>(values.data(), values.size())));
    });
  }

  std::vector<WaterfallRow>
  analyze(const std::vector<Comparison> &comparisons) {
    return analyzePrecision({function(), view, machine, imported}, comparisons,
                            samplesInMemory(samples), {/*threads=*/2})
        .waterfall;
  }

  /// 1 - the cosine of the first two samples.
  double lossOf(FuncOp stage, const KernelSet &kernels = referenceKernels()) {
    double dot = 0, squares = 0, importedSquares = 0;
    for (size_t i = 0; i < 2; ++i) {
      Executable executable = prepare(stage, kernels);
      Tensor found = ExecutionState(executable).run(samples[i])[0].clone();
      Tensor expected = run(imported, samples[i])[0];
      for (int64_t j = 0; j < found.size(); ++j) {
        double a = found.data<float>()[j], b = expected.data<float>()[j];
        dot += a * b;
        squares += a * a;
        importedSquares += b * b;
      }
    }
    return 1 - dot / std::sqrt(squares * importedSquares);
  }

  std::vector<std::vector<Tensor>> samples;
  FuncOp machine, imported;
};

constexpr Comparison reference{AnalysisMethod::EndToEnd,
                               AnalysisMode::Reference},
    npu{AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend};

TEST_F(AnalyzeWaterfallTest, EachStageIsWhatItsOwnRunGives) {
  std::vector<WaterfallRow> rows = analyze({reference, npu});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].output, "y");
  EXPECT_GT(rows[0].optimization, 1e-4);
  EXPECT_NEAR(rows[0].optimization, lossOf(function()), 1e-9);
  FuncOp weights = addView(function(), "float_with_codes");
  for (Value operand : find("c").getDefiningOp()->getOperands())
    if (auto codes = operand.getDefiningOp<nn::QuantizedConstantOp>())
      setConstant(weights, getTensorName(operand),
                  evaluate(codes, {}, referenceKernels())[0].values<float>());
  EXPECT_NE(rows[0].weights, rows[0].optimization);
  EXPECT_NEAR(rows[0].weights, lossOf(weights), 1e-9);
  EXPECT_NE(rows[0].activations, rows[0].weights);
  EXPECT_NEAR(rows[0].activations, lossOf(view), 1e-9);
  EXPECT_TRUE(rows[0].hasMachine);
  EXPECT_EQ(rows[0].samples, 2);
  EXPECT_NEAR(rows[0].machine, lossOf(machine, npuKernels()), 1e-9);
}

TEST_F(AnalyzeWaterfallTest, TheMachineNeedsTheStageBeforeIt) {
  std::vector<WaterfallRow> both = analyze({reference, npu}),
                            alone = analyze({npu});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_NEAR(alone[0].activations, both[0].activations, 1e-9);
  EXPECT_EQ(alone[0].machine, both[0].machine);
  std::vector<WaterfallRow> floats = analyze({reference});
  ASSERT_EQ(floats.size(), 1u);
  EXPECT_FALSE(floats[0].hasMachine);
  EXPECT_EQ(floats[0].activations, both[0].activations);
}

TEST_F(AnalyzeWaterfallTest, NothingWithoutTheImportedNetwork) {
  imported = nullptr;
  EXPECT_TRUE(analyze({reference, npu}).empty());
}

} // namespace
} // namespace parallax
