//===- AnalyzeTest.cpp - Where a network loses precision ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The one sweep of the analysis against a driver that runs the views, and every
// layer, one by one.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Analyze/Analyze.h"
#include "QuantizeTestSupport.h"
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Lower/Lower.h"

namespace parallax {
namespace {

using Tensors = std::map<std::string, Tensor>;

class AnalyzeTest : public QuantizeTest {
protected:
  void SetUp() override {
    parse(branches);
    for (int i = 0; i < 3; ++i)
      samples.push_back({random(function().getArgumentTypes()[0])});
    calibration = calibrate(function(), samples);
  }

  void build() {
    quantize();
    machine = lowerView(view);
  }

  PrecisionReport analyze(const std::vector<Comparison> &comparisons,
                          int threads = 1) {
    auto load = [&](size_t i) { return std::vector{samples[i][0].clone()}; };
    return analyzePrecision({function(), view, machine}, comparisons,
                            {samples.size(), load, ""}, {threads});
  }

  /// The values of all layers of a view on one sample.
  Tensors valuesOf(FuncOp function, const KernelSet &kernels, size_t sample) {
    PrepareOptions options;
    options.observe = true;
    Executable executable = prepare(function, kernels, options);
    struct Values : Observer {
      void onResult(const LayerResult &layer, const Tensor &value) override {
        Tensor values = value.clone();
        if (layer.codes && value.dtype() != DType::F32) {
          values = Tensor(DType::F32, value.shape());
          npu::dequantize(value, values, *layer.codes);
        }
        tensors[layer.tensor] = values;
      }
      Tensors tensors;
    } values;
    ExecutionState(executable).run(samples[sample], &values);
    return values.tensors;
  }

  /// Compares a table with what `other` gives for each of its tensors.
  template <typename Fn>
  void expectTable(const PrecisionTable &table, Fn other) {
    EXPECT_GE(table.rows.size(), 5u);
    for (const PrecisionRow &row : table.rows) {
      SCOPED_TRACE(row.tensor);
      double dot = 0, squares = 0, floatSquares = 0, error = 0, count = 0;
      for (size_t i = 0; i < samples.size(); ++i) {
        Tensor expected =
            valuesOf(function(), referenceKernels(), i).at(row.tensor);
        Tensor found = other(i, row.tensor);
        ASSERT_EQ(found.shape(), expected.shape());
        for (int64_t j = 0; j < found.size(); ++j) {
          double a = found.data<float>()[j], b = expected.data<float>()[j];
          dot += a * b;
          squares += a * a;
          floatSquares += b * b;
          error += (a - b) * (a - b);
          ++count;
        }
      }
      EXPECT_NEAR(row.metrics.cosine, dot / std::sqrt(squares * floatSquares),
                  1e-6);
      EXPECT_NEAR(row.metrics.mse, error / count, 1e-6);
    }
  }

  std::vector<std::vector<Tensor>> samples;
  FuncOp machine;
};

TEST_F(AnalyzeTest, EndToEndIsWhatTheViewsGive) {
  build();
  PrecisionReport report =
      analyze({{AnalysisMethod::EndToEnd, AnalysisMode::Reference},
               {AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend}});
  ASSERT_EQ(report.tables.size(), 2u);
  EXPECT_EQ(report.samples, 3);
  expectTable(report.tables[0], [&](size_t i, const std::string &tensor) {
    return valuesOf(view, referenceKernels(), i).at(tensor);
  });
  expectTable(report.tables[1], [&](size_t i, const std::string &tensor) {
    return valuesOf(machine, npuKernels(), i).at(tensor);
  });
}

TEST_F(AnalyzeTest, PerLayerFeedsTheTensorsOfTheFloatNetwork) {
  build();
  PrecisionReport report =
      analyze({{AnalysisMethod::PerLayer, AnalysisMode::Reference}});
  ASSERT_EQ(report.tables.size(), 1u);
  // Each layer by itself, its operands rounded to the codes of their types.
  expectTable(report.tables[0], [&](size_t i, const std::string &tensor) {
    Tensors floats = valuesOf(function(), referenceKernels(), i);
    floats["x"] = samples[i][0].clone();
    auto round = [](const Tensor &values, Type type) {
      AffineParams params = affineParamsOf(type);
      Tensor codes(storageOf(type), values.shape());
      Tensor result(DType::F32, values.shape());
      npu::quantize(values, codes, params);
      npu::dequantize(codes, result, params);
      return result;
    };
    std::function<Tensor(Value)> layer = [&](Value value) {
      Operation *op = value.getDefiningOp();
      std::vector<Tensor> operands;
      for (Value operand : op->getOperands()) {
        Value source = operand;
        while (auto change = source.getDefiningOp<nn::RequantizeOp>())
          source = change.getX();
        auto it = floats.find(getTensorName(source));
        if (Operation *maker = operand.getDefiningOp();
            maker && maker->getNumOperands() == 0)
          operands.push_back(evaluate(maker, {}, referenceKernels())[0]);
        // The layer in front of a clamp is a part of it.
        else if (getTensorName(source) == "c")
          operands.push_back(layer(source));
        else if (isQuantized(operand.getType()))
          operands.push_back(round(it->second, operand.getType()));
        else
          operands.push_back(it->second);
      }
      Tensor result = evaluate(op, operands, referenceKernels())[0];
      return isQuantized(value.getType()) ? round(result, value.getType())
                                          : result;
    };
    return layer(find(tensor));
  });
}

TEST_F(AnalyzeTest, AClampIsAPartOfTheLayerInFrontOfIt) {
  build();
  PrecisionReport report =
      analyze({{AnalysisMethod::PerLayer, AnalysisMode::Reference},
               {AnalysisMethod::PerLayer, AnalysisMode::NPUBackend}});
  for (const PrecisionTable &table : report.tables) {
    EXPECT_TRUE(table.unmatched.empty());
    EXPECT_EQ(table.rows[0].node, "conv");
    EXPECT_EQ(table.rows[0].type, "Conv");
    EXPECT_EQ(table.rows[0].tensor, "r");
    EXPECT_EQ(table.rows[0].quantType, "U8");
    EXPECT_FALSE(table.rows[0].isOutput);
    EXPECT_TRUE(table.rows.back().isOutput);
    for (const PrecisionRow &row : table.rows)
      EXPECT_GT(row.metrics.cosine, 0.999) << row.tensor;
  }
}

TEST_F(AnalyzeTest, WeightsAreComparedWithTheirCodes) {
  build();
  PrecisionReport report =
      analyze({{AnalysisMethod::PerLayer, AnalysisMode::Reference}});
  ASSERT_EQ(report.weights.size(), 2u);
  const WeightRow &weights = report.weights[0], &bias = report.weights[1];
  EXPECT_EQ(weights.node, "conv");
  EXPECT_EQ(weights.tensor, "w");
  EXPECT_EQ(weights.shape, (Shape{2, 2, 1, 1}));
  EXPECT_EQ(weights.quantType, "S8");
  EXPECT_EQ(weights.floats.min, -1);
  EXPECT_EQ(weights.floats.max, 2);
  EXPECT_EQ(weights.floats.mean, 0.4375);
  EXPECT_EQ(weights.floats.variance, 1.13671875);
  // The largest magnitude of a channel is 127 steps: 0.5 lies between codes 63
  // and 64 of 1 / 127, and 0.25 next to code 16 of 2 / 127.
  EXPECT_NEAR(weights.quantized.min, -1, 1e-6);
  EXPECT_NEAR(weights.quantized.max, 2, 1e-6);
  double half = 0.5 / 127, quarter = 32.0 / 127 - 0.25;
  EXPECT_NEAR(weights.mse, (half * half + quarter * quarter) / 4, 1e-9);
  EXPECT_NEAR(std::abs(weights.quantized.mean - 0.4375 - quarter / 4), half / 4,
              1e-6);

  EXPECT_EQ(bias.node, "conv");
  EXPECT_EQ(bias.tensor, "b");
  EXPECT_EQ(bias.quantType, "INT32");
  EXPECT_EQ(bias.floats.mean, -0.625);
  EXPECT_EQ(bias.floats.deviation(), 0.875);
  EXPECT_NEAR(bias.quantized.mean, -0.625, 1e-3);
}

TEST_F(AnalyzeTest, TimesAreThoseOfTheFloatNetwork) {
  build();
  PrecisionReport report =
      analyze({{AnalysisMethod::PerLayer, AnalysisMode::Reference}});
  double share = 0, last = std::numeric_limits<double>::infinity();
  bool hasConv = false;
  for (const TimeRow &row : report.times) {
    EXPECT_LE(row.seconds, last);
    EXPECT_EQ(row.calls % 2, 0) << row.name;
    last = row.seconds;
    share += row.share;
    hasConv |= row.name == "nn.conv 'conv'" && row.calls == 2;
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_TRUE(hasConv);
}

TEST_F(AnalyzeTest, AnyNumberOfThreadsGivesTheSameBits) {
  build();
  std::vector<Comparison> all;
  for (auto method : {AnalysisMethod::PerLayer, AnalysisMethod::EndToEnd})
    for (auto mode : {AnalysisMode::Reference, AnalysisMode::NPUBackend})
      all.push_back({method, mode});
  PrecisionReport one = analyze(all), two = analyze(all, 2);
  ASSERT_EQ(one.tables.size(), 4u);
  for (size_t i = 0; i < one.tables.size(); ++i)
    for (size_t j = 0; j < one.tables[i].rows.size(); ++j) {
      EXPECT_EQ(one.tables[i].rows[j].metrics.cosine,
                two.tables[i].rows[j].metrics.cosine);
      EXPECT_EQ(one.tables[i].rows[j].metrics.mse,
                two.tables[i].rows[j].metrics.mse);
    }
}

TEST_F(AnalyzeTest, ATooNarrowRangeIsSeen) {
  for (TensorRange &range : calibration.tensors)
    if (range.tensor == "a")
      range.values = range.u8 = range.u16 = {-0.25, 0.25};
  build();
  PrecisionReport report =
      analyze({{AnalysisMethod::PerLayer, AnalysisMode::NPUBackend}});
  for (const PrecisionRow &row : report.tables[0].rows)
    if (row.tensor == "a") {
      EXPECT_LT(row.metrics.cosine, 0.95);
      EXPECT_GT(row.metrics.saturated, 0.5);
    } else if (row.tensor == "r") {
      EXPECT_GT(row.metrics.cosine, 0.999);
      EXPECT_EQ(row.metrics.saturated, 0);
    }
}

} // namespace
} // namespace parallax
