//===- AnalyzeHistogramsTest.cpp - Values around their clip lines ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A network with a channel that is a thousand times as small as the other: it
// lies within one code, and its histogram shows it.
//===----------------------------------------------------------------------===//
#include "QuantizeTestSupport.h"
#include "parallax/Passes/Analyze/Analyze.h"

#include <mutex>

namespace parallax {
namespace {

constexpr const char *unequalChannels = R"(
func.func @main(%x: tensor<1x2x4x4xf32> {nn.name = "x"}) -> (tensor<1x2x4x4xf32> {nn.name = "out"}) {
  %w = nn.constant dense<[[[[1.0]], [[0.0]]], [[[0.0]], [[0.001]]]]> : tensor<2x2x1x1xf32> loc("w"("w"))
  %b = nn.constant dense<[0.0, 0.0]> : tensor<2xf32> loc("b"("b"))
  %0 = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("conv"("c"))
  %1 = nn.sigmoid %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("sigmoid"("s"))
  return %1 : tensor<1x2x4x4xf32>
}
)";

class AnalyzeHistogramsTest : public QuantizeTest {
protected:
  void SetUp() override { prepareNetwork(unequalChannels); }

  void prepareNetwork(const char *text) {
    parse(text);
    samples.clear();
    for (int i = 0; i < 3; ++i)
      samples.push_back({random(function().getArgumentTypes()[0])});
    calibration = calibrate(function(), samples);
    quantize();
    source = samplesInMemory(samples);
    options.threads = 2;
  }

  PrecisionReport analyze() {
    return analyzePrecision(
        {function(), view, nullptr},
        {{AnalysisMethod::PerLayer, AnalysisMode::Reference},
         {AnalysisMethod::EndToEnd, AnalysisMode::Reference}},
        source, options);
  }

  /// All values of the float network on the first sample.
  std::map<std::string, Tensor> firstValues() {
    PrepareOptions options;
    options.observe = true;
    Executable executable = prepare(function(), referenceKernels(), options);
    Recorder recorder;
    ExecutionState(executable).run(samples[0], &recorder);
    return recorder.results;
  }

  std::vector<std::vector<Tensor>> samples;
  Samples source;
  AnalysisOptions options;
};

const HistogramRow *histogramOf(const PrecisionReport &report,
                                const std::string &tensor,
                                int64_t channel = -1) {
  for (const HistogramRow &row : report.histograms)
    if (row.tensor == tensor && row.channel == channel)
      return &row;
  return nullptr;
}

TEST_F(AnalyzeHistogramsTest, TensorsOfTheFirstSample) {
  PrecisionReport report = analyze();
  auto values = firstValues();
  for (const PrecisionRow &row : report.tables[0].rows) {
    SCOPED_TRACE(row.tensor);
    const HistogramRow *found = histogramOf(report, row.tensor);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->node, row.node);
    EXPECT_EQ(found->samples, 1);
    EXPECT_FALSE(found->isWeight);
    std::span<const float> expected = values.at(row.tensor).values<float>();
    EXPECT_EQ(found->values.count(), int64_t(expected.size()));
    EXPECT_EQ(found->values.min(), *std::ranges::min_element(expected));
    EXPECT_EQ(found->values.max(), *std::ranges::max_element(expected));
    EXPECT_LE(found->values.counts().size(), 128u);
    // Every value has become one of the nearest code, or the outermost one.
    ASSERT_TRUE(found->quantized);
    EXPECT_EQ(found->quantized->count(), int64_t(expected.size()));
    std::vector<float> rounded;
    for (float value : expected) {
      double code = std::nearbyint(value / row.codes->scale) +
                    double(row.codes->zeroPoint);
      code = std::clamp(code, double(row.codes->low), double(row.codes->high));
      rounded.push_back(
          float((code - double(row.codes->zeroPoint)) * row.codes->scale));
    }
    Histogram wanted(128);
    wanted.add(rounded);
    EXPECT_EQ(found->quantized->min(), wanted.min());
    EXPECT_EQ(found->quantized->max(), wanted.max());
    EXPECT_TRUE(
        std::ranges::equal(found->quantized->counts(), wanted.counts()));
    // Few values of the first sample lie beyond the range of all three.
    ASSERT_TRUE(row.codes && found->clip);
    EXPECT_EQ(found->clip->first,
              double(row.codes->low - row.codes->zeroPoint) * row.codes->scale);
    EXPECT_EQ(found->clip->second,
              double(row.codes->high - row.codes->zeroPoint) *
                  row.codes->scale);
  }
}

TEST_F(AnalyzeHistogramsTest, TheWorstChannelHasOneOfItsOwn) {
  PrecisionReport report = analyze();
  const PrecisionRow &conv = report.tables[0].rows[0];
  ASSERT_EQ(conv.tensor, "c");
  EXPECT_EQ(conv.metrics.worstChannel, 1);
  EXPECT_EQ(conv.metrics.deadChannels, 1);
  EXPECT_FALSE(histogramOf(report, "c", 0)) << "it is good";
  const HistogramRow *found = histogramOf(report, "c", 1);
  ASSERT_TRUE(found);
  Tensor values = firstValues().at("c");
  std::span<const float> channel = values.values<float>().subspan(16);
  EXPECT_EQ(found->values.count(), 16);
  EXPECT_EQ(found->values.min(), *std::ranges::min_element(channel));
  EXPECT_EQ(found->values.max(), *std::ranges::max_element(channel));
  EXPECT_EQ(found->clip, histogramOf(report, "c")->clip);
}

TEST_F(AnalyzeHistogramsTest, WeightsComeFirst) {
  PrecisionReport report = analyze();
  ASSERT_GE(report.histograms.size(), 2u);
  const HistogramRow &weights = report.histograms[0];
  EXPECT_EQ(weights.node, "conv");
  EXPECT_EQ(weights.tensor, "w");
  EXPECT_TRUE(weights.isWeight);
  EXPECT_EQ(weights.samples, 0);
  EXPECT_EQ(weights.values.count(), 4);
  ASSERT_TRUE(weights.quantized);
  EXPECT_EQ(weights.quantized->count(), 4);
  EXPECT_NEAR(weights.quantized->max(), 1, 1e-6);
  ASSERT_TRUE(weights.clip);
  EXPECT_NEAR(weights.clip->second, 1, 1e-6);
  EXPECT_EQ(weights.clip->first, -weights.clip->second);
}

TEST_F(AnalyzeHistogramsTest, WeightsOfNoChannelsHaveNoClipLines) {
  prepareNetwork(R"(
func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}) -> (tensor<1x0xf32> {nn.name = "out"}) {
  %w = nn.constant dense<> : tensor<0x4xf32> loc("w"("w"))
  %0 = nn.fully_connected %x, %w : (tensor<1x4xf32>, tensor<0x4xf32>) -> tensor<1x0xf32> loc("fc"("y"))
  return %0 : tensor<1x0xf32>
}
)");
  PrecisionReport report = analyze();
  ASSERT_FALSE(report.histograms.empty());
  EXPECT_EQ(report.histograms[0].tensor, "w");
  EXPECT_EQ(report.histograms[0].values.count(), 0);
  EXPECT_FALSE(report.histograms[0].clip);
}

TEST_F(AnalyzeHistogramsTest, WithoutSamplesThereAreWeightsAlone) {
  source.count = 0;
  for (const HistogramRow &row : analyze().histograms)
    EXPECT_TRUE(row.isWeight) << row.tensor;
}

TEST_F(AnalyzeHistogramsTest, EverythingThatIsComparedCanBeSeen) {
  std::map<std::string, int> seen;
  std::mutex mutex;
  auto values = firstValues();
  options.look = [&](const ComparedValues &compared) {
    std::lock_guard lock(mutex);
    std::string table = compared.comparison
                            ? std::string(nameOf(compared.comparison->method))
                            : "float";
    ++seen[table + " " + compared.tensor];
    if (!compared.comparison && compared.sample == 0) {
      Tensor expected = values.at(compared.tensor);
      EXPECT_TRUE(std::ranges::equal(compared.values.values<float>(),
                                     expected.values<float>()));
    }
  };
  analyze();
  EXPECT_EQ(seen, (std::map<std::string, int>{{"float c", 3},
                                              {"float s", 3},
                                              {"PerLayer c", 3},
                                              {"PerLayer s", 3},
                                              {"EndToEnd c", 3},
                                              {"EndToEnd s", 3}}));
}

} // namespace
} // namespace parallax
