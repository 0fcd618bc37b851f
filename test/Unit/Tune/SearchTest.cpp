//===- SearchTest.cpp - Trials, and the best of them ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Searches on the quickstart's network, with a metric that says what a test
// wants: which trials are asked for, and what becomes of those that fail.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/Search.h"
#include "../Support/TempDir.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

constexpr double nobody = std::numeric_limits<double>::infinity();

/// Loses what it is told, and notes what would have been hopeless.
class ToldMetric final : public TuneMetric {
public:
  ToldMetric() {
    for (size_t i = 0; i < 8; ++i)
      split.tuning.push_back(i);
  }
  std::string title() const override { return "told"; }
  double floats() const override { return 1; }
  std::vector<Tensor> load(size_t sample) const override {
    Tensor image(DType::F32, {1, 1, 8, 8});
    for (int64_t i = 0; i < image.size(); ++i)
      image.data<float>()[i] = float((size_t(i) * 7 + sample * 5) % 17) / 17;
    return {image};
  }
  Measured measure(const Executable &, std::span<const size_t> samples,
                   double hopelessLoss) override {
    hopeless.push_back(hopelessLoss);
    double loss = losses.at(hopeless.size() - 1);
    if (std::isnan(loss))
      throw Error("the told metric is not a number");
    if (std::isinf(loss))
      throw WriteError("cannot write 'outputs.npy': No space left on device");
    return {{1 - loss, 1 - loss, 1 - loss},
            1,
            {loss, loss - wide, loss + wide},
            loss > hopelessLoss ? samples.size() / 2 : samples.size()};
  }

  std::vector<double> losses, hopeless;
  /// Half of the intervals of losses.
  double wide = 0;
};

class SearchTest : public ::testing::Test {
protected:
  SearchTest() {
    fs::path data = fs::path(PARALLAX_ROOT) / "configs" / "quickstart";
    config = parseBuildConfig(
        fmt::format(R"({{"input": "{0}/digits.onnx", "output_dir": "unused",
          "quant": {{"input_configs": [{{"tensor_name": "image",
            "calibration_dataset": "{0}/calibration.tar",
            "calibration_format": "Numpy", "calibration_size": 8}}]}},
          "tuning": {{"accuracy_criterion": {{"criterion": "absolute",
            "tolerable_loss": 0.1}}, "exit_policy": {{"max_trials": 9}}}}}})",
                    data.string()),
        "the test");
    begin(false);
  }

  /// A run, maybe one that goes on from the one before.
  void begin(bool resumes) {
    search.reset();
    history.reset();
    bench.emplace(config, folder / "work", 1);
    history.emplace(folder / "history.jsonl", "same=1", resumes);
    search.emplace(*bench, metric, *history, folder / "history.jsonl");
  }

  /// 16 bits for so many layers.
  static std::vector<ConfigEdit> wide(size_t count) {
    std::vector<ConfigEdit> edits;
    for (const char *type : {"Add", "Concat", "GlobalAveragePool", "Silu"})
      if (edits.size() < count)
        edits.push_back(
            {"quant.layer_configs",
             fmt::format(R"({{"op_type":"{}","data_type":"U16"}})", type),
             true});
    return edits;
  }

  const TrialRecord &measure(size_t count) {
    return search->measure(fmt::format("{} types", count), wide(count));
  }

  TempDir folder;
  BuildConfig config;
  ToldMetric metric;
  Listener quiet;
  ListenerScope scope{quiet};
  std::optional<Workbench> bench;
  std::optional<History> history;
  std::optional<Search> search;
};

TEST_F(SearchTest, OnlyWhatCannotBecomeTheBestIsGivenUp) {
  metric.losses = {0.5, 0.3, 0.4, 0.05, 0.2};
  measure(0);
  measure(1);
  // Not tolerable, but better than all that there was.
  EXPECT_EQ(search->best()->number, 2);
  EXPECT_EQ(measure(2).samples, 4);
  measure(3);
  EXPECT_EQ(measure(4).samples, 4);
  EXPECT_EQ(metric.hopeless, (std::vector<double>{nobody, 0.5, 0.3, 0.3, 0.1}));
}

TEST_F(SearchTest, ALossHasToBeTolerableByOneStandardError) {
  // 0.05 are one standard error.
  metric.wide = 1.96 * 0.05;
  metric.losses = {0.2, 0.06, 0.04, 0.051};
  measure(0);
  EXPECT_FALSE(search->holds(measure(1)));
  EXPECT_EQ(search->best()->number, 2);
  EXPECT_TRUE(search->holds(measure(2)));
  EXPECT_FALSE(search->holds(measure(3)));
  // A hopeless loss is one that is worse than the best, carefully looked at.
  ASSERT_EQ(metric.hopeless.size(), 4u);
  EXPECT_NEAR(metric.hopeless[1], 0.25, 1e-9);
  EXPECT_NEAR(metric.hopeless[2], 0.11, 1e-9);
  EXPECT_NEAR(metric.hopeless[3], 0.1, 1e-9);
}

TEST_F(SearchTest, LeversArePredicted) {
  metric.losses.assign(20, 0.2);
  metric.losses[1] = 0.05;
  config.quant.calibrationMethod = QuantMethod::Kl;
  begin(false);
  searchAutomatically(*search);
  ASSERT_GE(history->trials().size(), 2u);
  const TrialRecord &levers = history->trials()[1];
  ASSERT_EQ(levers.purpose, "levers");
  ASSERT_TRUE(levers.predictedMetric);
  // Better than the 0.8 of the first, but not perfect.
  EXPECT_GT(*levers.predictedMetric, 0.8);
  EXPECT_LT(*levers.predictedMetric, 1);
  EXPECT_EQ(levers.predictedCycles, levers.cycles);
}

TEST_F(SearchTest, TensorsHaveMethodsOfTheirOwnWhereLeversAreNotEnough) {
  metric.losses.assign(20, 0.2);
  metric.losses[2] = 0.05;
  config.quant.percentile = 0.98;
  config.tuning.levers = {TuningLever::Calibration};
  begin(false);
  searchAutomatically(*search);
  // All of them are one trial, and it is the last one if it holds.
  ASSERT_EQ(history->trials().size(), 3u);
  const TrialRecord &trial = history->trials()[2];
  EXPECT_EQ(trial.purpose, "tensor methods");
  EXPECT_EQ(search->best(), &trial);
  EXPECT_EQ(trial.predictedCycles, trial.cycles);
  ASSERT_FALSE(trial.edits.empty());
  for (const ConfigEdit &edit : trial.edits) {
    EXPECT_EQ(edit.field, "quant.tensor_configs");
    EXPECT_NE(edit.value.find("\"bits\":8"), std::string::npos);
  }
  // An ordinary build makes the same network of them.
  bench->build(trial.edits);
  EXPECT_EQ(bench->digest(), trial.digest);
  EXPECT_NE(trial.digest, history->trials()[0].digest);
  bench->build({});
  EXPECT_EQ(bench->digest(), history->trials()[0].digest);
}

TEST_F(SearchTest, CalibrationMethodsAreALeverThatCanBeForbidden) {
  metric.losses.assign(20, 0.2);
  config.quant.percentile = 0.98;
  config.tuning.levers = {TuningLever::BiasCorrection};
  begin(false);
  searchAutomatically(*search);
  for (const TrialRecord &trial : history->trials())
    EXPECT_NE(trial.purpose, "tensor methods");
}

TEST_F(SearchTest, WhatProposalsFoundIsKeptWhateverComesNext) {
  const char *wrong[] = {R"({"output_dir": "elsewhere"})",
                         R"({"": {}})",
                         R"({"tuning": {"random_seed": 2}})",
                         R"({"evaluation.task": "Custom"})",
                         R"({"quant.calibration_method": NaN})",
                         "[]",
                         "nonsense",
                         "{"};
  for (const char *text : wrong) {
    metric = ToldMetric();
    metric.losses = {0.5, 0.05, 0.3};
    begin(false);
    int asked = 0;
    auto propose = [&](const fs::path &) -> std::string {
      switch (++asked) {
      case 1:
        return R"({"quant.layer_configs": [{"op_type":"Add","data_type":"U16"}]})";
      case 2:
        // Can't be built, which is a trial like any other.
        return R"({"quant.layer_configs": [{"op_type":"Nothing"}]})";
      default:
        return text;
      }
    };
    EXPECT_THROW(searchByProposals(*search, propose), SearchEnded) << text;
    ASSERT_EQ(history->trials().size(), 3u) << text;
    EXPECT_FALSE(history->trials()[2].failure.empty());
    EXPECT_EQ(search->best()->number, 2) << text;
  }
}

TEST_F(SearchTest, AskedForTogetherAllAreMeasuredWhole) {
  metric.losses = {0.05, 0.5, 0.5, 0.4};
  measure(0);
  EXPECT_EQ(measure(1).samples, 4);
  // One that was given up is not what a front needs.
  search->measureAll({{"front 1", wide(1)}, {"front 2", wide(2)}});
  EXPECT_EQ(metric.hopeless,
            (std::vector<double>{nobody, 0.1, nobody, nobody}));
}

TEST_F(SearchTest, AResumedRunKnowsNothingOfItsFuture) {
  metric.losses = {0.5, 0.3, 0.05};
  for (size_t i = 0; i < 3; ++i)
    measure(i);
  EXPECT_EQ(search->best()->number, 3);
  begin(true);
  EXPECT_EQ(search->best(), nullptr);
  measure(0);
  EXPECT_EQ(search->best()->number, 1);
  measure(1);
  EXPECT_EQ(search->best()->number, 2);
  EXPECT_EQ(search->count(), 2);
  measure(2);
  EXPECT_EQ(search->best()->number, 3);
  EXPECT_EQ(metric.hopeless.size(), 3u);
}

TEST_F(SearchTest, AFirstTrialWithoutANumberEndsNothing) {
  metric.losses = {std::nan(""), 0.05};
  const TrialRecord &first = measure(0);
  EXPECT_EQ(first.failure, "the told metric is not a number");
  EXPECT_GT(first.cycles, 0);
  EXPECT_EQ(search->best(), nullptr);
  EXPECT_TRUE(search->holds(measure(1)));
  EXPECT_EQ(search->first()->number, 1);
}

/// A resumed search would take the trial for one that can't be measured.
TEST_F(SearchTest, AFullDiskIsNoTrialThatFailed) {
  metric.losses = {0.5, nobody};
  measure(0);
  EXPECT_THROW(measure(1), WriteError);
  EXPECT_EQ(history->trials().size(), 1u);
}

TEST_F(SearchTest, WhatCannotBeBuiltAsItIsIsAnError) {
  EXPECT_THROW(
      search->measure("odd", {{"quant.calibration_cache", "\"nowhere.json\""}}),
      Error);
  EXPECT_TRUE(history->trials().empty());
}

TEST_F(SearchTest, AutoGoesOnFromAMetricThatIsNotANumber) {
  metric.losses.assign(20, 0.05);
  metric.losses[0] = std::nan("");
  config.tuning.levers.clear();
  begin(false);
  searchAutomatically(*search);
  ASSERT_TRUE(search->best());
  EXPECT_TRUE(search->holds(*search->best()));
}

TEST_F(SearchTest, AutoNeedsTwelveTrialsAtMost) {
  config.tuning.exitPolicy.maxTrials = 100;
  begin(false);
  // Each is a little better, and none is good enough.
  for (int i = 0; i < 100; ++i)
    metric.losses.push_back(0.11 - 0.0001 * i);
  searchAutomatically(*search);
  EXPECT_LE(search->count(), 12);
  EXPECT_EQ(history->trials().back().purpose, "16 bits everywhere");
}

TEST_F(SearchTest, ACalibrationThatFailedLeavesNoNetworkBehind) {
  bench->calibrate({});
  EXPECT_THROW(
      bench->calibrate({{{"quant.calibration_cache", "\"nowhere.json\""}}}),
      Error);
  bench->calibrate({});
  ASSERT_TRUE(bench->calibrated().network);
  bench->build({});
  EXPECT_GT(bench->cost(), 0);
}

TEST(SplitTest, WhatRangesWereChosenOnIsNotValidatedOn) {
  TuningConfig config;
  SampleSplit plain = splitSamples(10, config);
  EXPECT_EQ(plain.tuning.size(), 5u);
  EXPECT_EQ(plain.validation.size(), 5u);
  SampleSplit split = splitSamples(40, config, 32);
  EXPECT_EQ(split.tuning.size(), 32u);
  EXPECT_EQ(split.validation,
            (std::vector<size_t>{32, 33, 34, 35, 36, 37, 38, 39}));
  EXPECT_TRUE(splitSamples(40, config, 40).validation.empty());
}

TEST(WorthTest, GroupsOfChannelsCountAlikeWithoutATask) {
  // Boxes of hundreds of pixels, and scores below 1.
  Tensor output(DType::F32, {1, 8, 16});
  for (int64_t i = 0; i < output.size(); ++i)
    output.data<float>()[i] = i < 64 ? float(100 + i) : float(i % 7) / 7;
  std::vector<float> weights(size_t(output.size()));
  std::span<float> spans[] = {weights};
  ToldMetric metric;
  ASSERT_TRUE(metric.weigh({&output, 1}, spans));
  EXPECT_GT(weights.back(), 1000 * weights.front());
}

} // namespace
