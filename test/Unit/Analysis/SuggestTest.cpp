//===- SuggestTest.cpp - What to change -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A suggestion must be held to its prediction.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Suggest.h"
#include "AnalysisChain.h"
#include "parallax/Analysis/LossModel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

/// Gives all tensors that named layers read 16 bits, for 10 cycles each.
std::optional<Trial> attemptOn(const Chain &chain,
                               const std::vector<ConfigEdit> &edits) {
  Trial trial;
  trial.cycles = 100;
  for (const PrecisionRow &row : chain.report.inputs)
    trial.codes[row.tensor] = *row.codes;
  for (const PrecisionRow &row : chain.report.tables[0].rows)
    trial.codes[row.tensor] = *row.codes;
  for (const ConfigEdit &edit : edits)
    for (const PrecisionRow &row : chain.report.tables[0].rows) {
      bool isAll = edit.field == "quant.highest_mix_precision";
      bool isNamed =
          edit.value.find("\"" + row.node + "\"") != std::string::npos;
      if (!isAll && !isNamed)
        continue;
      trial.cycles += 10;
      if (isAll || edit.value.find("S16") != std::string::npos)
        trial.wideWeights.insert(row.node);
      bool isResult = edit.value.find("output_data_type") != std::string::npos;
      trial.codes[isResult ? row.tensor : row.inputs[0]].scale /= 257;
    }
  return trial;
}

std::vector<Suggestion> suggestFor(Chain &chain, SuggestOptions options = {}) {
  chain.report.diagnoses = diagnose(chain.report);
  options.cycles = 100;
  options.attempt = [&](const std::vector<ConfigEdit> &edits) {
    return attemptOn(chain, edits);
  };
  return suggest(chain.report, options);
}

TEST(Suggestion, NoneForAHealthyNetwork) {
  Chain chain;
  EXPECT_TRUE(suggestFor(chain).empty());
}

TEST(Suggestion, ReadersOfACoarseTensorGet16Bits) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].title, "16 bits for 1 layer");
  EXPECT_EQ(found[0].layers, std::vector<std::string>{"c"});
  ASSERT_EQ(found[0].edits.size(), 1u);
  EXPECT_EQ(found[0].edits[0].field, "quant.layer_configs");
  EXPECT_EQ(found[0].edits[0].value,
            R"({"layer_names":["c"],"data_type":"U16"})");
  EXPECT_TRUE(found[0].edits[0].appends);
  EXPECT_NEAR(found[0].predictedGain, 0.1, 0.001);
  EXPECT_EQ(found[0].extraCycles, 10);
  // Sixteen bits everywhere are possible, but cost more.
  EXPECT_EQ(found.back().edits[0].field, "quant.highest_mix_precision");
}

TEST(Suggestion, WeightsGet16BitsWhereTheyAreTheReason) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::weights);
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].edits[0].value,
            R"({"layer_names":["b"],"weight_data_type":"S16"})");
}

TEST(Suggestion, AnOutputHasTheTypeOfItsLayer) {
  Chain chain;
  chain.layer(2).metrics.deadChannels = 6;
  EXPECT_TRUE(suggestFor(chain).empty()) << "the output is good as it is";
  ChannelGroup &group = chain.report.tables[1].rows[2].groups.emplace_back();
  group.lost = {.channels = {{2, 7}}, .max = 0.5};
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].edits.size(), 1u);
  EXPECT_EQ(found[0].edits[0].value,
            R"({"layer_names":["c"],"output_data_type":"U16"})");
}

TEST(Suggestion, SaturationIsNoMatterOfTypes) {
  Chain chain;
  chain.lose(0.3, 0, &AttributionRow::activations);
  chain.report.inputs[0].codes->scale /= 4;
  chain.report.inputs[0].metrics.saturated = 0.4;
  chain.report.inputs[0].metrics.mse = 0.7;
  SuggestOptions options;
  options.inputConfigs = "[]";
  std::vector<Suggestion> found = suggestFor(chain, options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].edits[0].field, "quant.input_configs");
  EXPECT_EQ(found[0].extraCycles, 0);
  EXPECT_NEAR(found[0].predictedGain, 0.3, 0.01);

  // Without other samples, the method has cut them.
  options.inputConfigs.clear();
  options.calibrationMethod = QuantMethod::Percentile;
  found = suggestFor(chain, options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].edits[0].field, "quant.calibration_method");
  EXPECT_EQ(found[0].edits[0].value, "\"MinMax\"");

  // One sample of the calibration was far out: all of its values would make
  // steps that are much too coarse.
  options.calibrated["image"] = {-1000, 1000};
  for (const Suggestion &suggestion : suggestFor(chain, options))
    EXPECT_NE(suggestion.edits[0].value, "\"MinMax\"");
}

TEST(Suggestion, AMethodThatWasExecutedComesBeforeWhatIsPaidFor) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  SuggestOptions options;
  options.executedOn = 4;
  std::vector<QuantMethod> asked;
  std::map<QuantMethod, double> left = {{QuantMethod::Percentile, 0.2},
                                        {QuantMethod::Mse, 0.6}};
  options.partLeft = [&](QuantMethod method) -> std::optional<double> {
    asked.push_back(method);
    auto found = left.find(method);
    return found == left.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<Suggestion> found = suggestFor(chain, options);
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].edits[0].value, "\"Percentile\"");
  EXPECT_NEAR(found[0].predictedGain, 0.08, 1e-9);
  EXPECT_EQ(found[0].executedOn, 4);
  EXPECT_EQ(found[0].extraCycles, 0);
  EXPECT_EQ(found[1].edits[0].field, "quant.layer_configs");
  EXPECT_EQ(found[1].executedOn, 0);
  EXPECT_EQ(asked, (std::vector{QuantMethod::Percentile, QuantMethod::Mse,
                                QuantMethod::Kl}));

  // Too little of the loss goes for that to be the first thing to do.
  left[QuantMethod::Percentile] = 0.7;
  found = suggestFor(chain, options);
  EXPECT_EQ(found[0].edits[0].field, "quant.layer_configs");
  EXPECT_EQ(found.back().edits[0].value, "\"MSE\"");
  // What makes it worse is not listed.
  left = {{QuantMethod::Percentile, 1.2}};
  for (const Suggestion &suggestion : suggestFor(chain, options))
    EXPECT_NE(suggestion.edits[0].field, "quant.calibration_method");
}

/// Scores may be lost where the boxes beside them have a good cosine.
TEST(Suggestion, TheGroupThatDecidesHasTheLoss) {
  Chain chain;
  chain.lose(0.001, 2, &AttributionRow::activations);
  ChannelGroup boxes, scores;
  boxes.cosine = boxes.mean = boxes.lowest = 0.999;
  scores.cosine = scores.mean = scores.lowest = 0.9;
  scores.samples = boxes.samples = 2;
  chain.report.tables[1].rows[2].groups = {boxes, scores};
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].layers, std::vector<std::string>{"c"});
  EXPECT_NEAR(found[0].predictedGain, 0.1, 0.005);
}

TEST(Suggestion, SmoothQuantWhereOnlyProductsRead) {
  Chain chain;
  chain.lose(0.1, 1, &AttributionRow::activations);
  OutlierRow outliers{.tensor = "a_out", .channels = 8};
  outliers.peak = {7, 90, 1.5};
  chain.report.outliers = {outliers};
  auto smooths = [](const std::vector<Suggestion> &found) {
    return std::ranges::any_of(found, [](const Suggestion &suggestion) {
      return suggestion.edits[0].field == "quant.enable_smooth_quant";
    });
  };
  EXPECT_TRUE(smooths(suggestFor(chain)));
  SuggestOptions options;
  options.smoothQuant = true;
  EXPECT_FALSE(smooths(suggestFor(chain, options))) << "it is on already";
  chain.report.weights.erase(chain.report.weights.begin() + 1);
  EXPECT_FALSE(smooths(suggestFor(chain))) << "b has no weights";
}

TEST(Suggestion, WhatCantBeBuiltIsNotSuggested) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  chain.report.diagnoses = diagnose(chain.report);
  SuggestOptions options;
  options.attempt = [](const std::vector<ConfigEdit> &) {
    return std::nullopt;
  };
  EXPECT_TRUE(suggest(chain.report, options).empty());
}

TEST(Suggestion, WithoutAttributionLayersByThemselvesDecide) {
  Chain chain;
  chain.report.attribution.reset();
  chain.report.tables[1].rows[2].metrics.cosine = 0.9;
  // The error of c is that of what it reads.
  chain.layer(2).metrics.cosine = 0.95;
  chain.layer(2).metrics.mse = 0.1;
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].layers, std::vector<std::string>{"c"});
}

/// Dead channels inside of a network that works gain nothing: what helps and
/// costs nothing comes first.
TEST(Suggestion, WhatGainsNothingIsNeverTheFirst) {
  Chain chain;
  chain.lose(0.012, 1, &AttributionRow::activations);
  chain.layer(1).metrics.deadChannels = 6;
  OutlierRow outliers{.tensor = "a_out", .channels = 8};
  outliers.peak = {7, 90, 1.5};
  chain.report.outliers = {outliers};
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_FALSE(found.empty());
  EXPECT_GT(found[0].predictedGain, 1e-4) << found[0].title;
  EXPECT_EQ(found[0].edits[0].field, "quant.enable_smooth_quant");
}

/// Nor are they what 16 bits are spent on while a layer causes the loss: an
/// output that is undecided does not miss them.
TEST(Suggestion, TheLayerOfTheLossComesBeforeDeadChannels) {
  Chain chain;
  chain.lose(0.015, 1, &AttributionRow::activations);
  chain.layer(1).metrics.deadChannels = 6;
  chain.report.diagnoses = diagnose(chain.report);
  ASSERT_TRUE(std::ranges::any_of(
      chain.report.diagnoses, [](const Diagnosis &diagnosis) {
        return diagnosis.cause == Cause::DeadChannels;
      }));
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_EQ(found.size(), 1u);
  // Who reads what a makes; c, which reads the dead channels, stays.
  EXPECT_EQ(found[0].layers, std::vector<std::string>{"b"});
  EXPECT_GT(found[0].predictedGain, 0.01);
}

/// A goal that takes many small parts is still cheaper than all layers.
TEST(Suggestion, WhatReachesTheGoalComesFirstAndTheCheapestOfThat) {
  Chain chain;
  PrecisionTable &table = chain.report.tables[0];
  table.rows.clear();
  chain.report.attribution->rows.clear();
  std::string input = "image";
  for (int i = 0; i < 60; ++i) {
    std::string name = fmt::format("l{}", i);
    table.rows.push_back(healthyRow(name, input));
    input = name + "_out";
    double part = i == 0 ? 0.082 : i <= 20 ? 0.0009 : 1e-7;
    chain.report.attribution->rows.push_back(
        {name, input, "Conv", 0, part, part, 0});
  }
  table.rows.back().isOutput = true;
  chain.report.attribution->measured = chain.report.attribution->attributed();
  chain.report.tables[1] = table;
  chain.report.tables[1].method = AnalysisMethod::EndToEnd;
  chain.report.tables[1].rows.back().metrics.cosine = 0.9;
  OutlierRow outliers{.tensor = "l0_out", .channels = 8};
  outliers.peak = {7, 1000, 1};
  WeightRow weight = chain.report.weights[0];
  chain.report.weights.clear();
  for (const char *name : {"l0", "l1"}) {
    weight.node = name;
    chain.report.weights.push_back(weight);
  }
  chain.report.outliers = {outliers};

  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_LE(0.1 - found[0].predictedGain, 0.015);
  EXPECT_GT(found[0].layers.size(), 4u);
  EXPECT_LT(found[0].layers.size(), 20u);
  EXPECT_EQ(found[1].edits[0].field, "quant.highest_mix_precision");
  EXPECT_LT(found[0].extraCycles, found[1].extraCycles);
  // This costs nothing, but is not enough.
  EXPECT_EQ(found[2].edits[0].field, "quant.enable_smooth_quant");
  EXPECT_GT(0.1 - found[2].predictedGain, 0.015);
}

/// A result in 16 bits that is read in 8 is not suggested.
TEST(Suggestion, WhatIsRequantizedStaysAsItIs) {
  Chain chain;
  chain.lose(0.1, 1, &AttributionRow::activations);
  // The output is also read by nobody but the user, who gets 8 bits.
  chain.report.attribution->rows[3].activations += 0.05;
  chain.report.attribution->rows[3].alone += 0.05;
  chain.report.attribution->measured = chain.report.attribution->attributed();
  chain.report.diagnoses = diagnose(chain.report);
  SuggestOptions options;
  options.cycles = 100;
  options.attempt = [&](const std::vector<ConfigEdit> &edits) {
    std::optional<Trial> trial = attemptOn(chain, edits);
    trial->codes["c_out"] = *chain.layer(2).codes;
    return trial;
  };
  std::vector<Suggestion> found = suggest(chain.report, options);
  ASSERT_FALSE(found.empty());
  for (const Suggestion &suggestion : found)
    for (const ConfigEdit &edit : suggestion.edits)
      EXPECT_EQ(edit.value.find("output_data_type"), std::string::npos)
          << edit.value;
}

/// Their sum is the loss, and yet none of them says who causes it.
TEST(Suggestion, PartsFarLargerThanTheirSumAreNotUsed) {
  Attribution attribution{
      .measured = 0.01,
      .rows = {{"a", "a_out", "Conv", 1, 0}, {"b", "b_out", "Conv", -0.99, 0}}};
  EXPECT_NEAR(attribution.gap(), 0, 1e-9);
  EXPECT_FALSE(attribution.closes());
  attribution.rows = {{"a", "a_out", "Conv", 0.1, 0},
                      {"b", "b_out", "Conv", -0.09, 0}};
  EXPECT_TRUE(attribution.closes());
}

/// A sum of 1e12 that should be 0.1 says nothing about any layer.
TEST(Suggestion, PartsThatDontAddUpAreNotUsed) {
  Chain chain;
  AttributionRow &image = chain.report.attribution->rows[0];
  image.activations = 1e12;
  image.alone = 1;
  chain.report.attribution->measured = 0.1;
  EXPECT_FALSE(chain.report.attribution->closes());
  chain.report.tables[1].rows[2].metrics.cosine = 0.9;
  chain.layer(2).metrics.cosine = 0.95;
  chain.layer(2).metrics.mse = 0.1;
  std::vector<Suggestion> found = suggestFor(chain);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].layers, std::vector<std::string>{"c"});
}

/// Outputs that point elsewhere still do so when half of the reason is gone.
TEST(Suggestion, ASaturatedLossIsNotScaled) {
  Chain chain;
  chain.lose(0.3, 1, &AttributionRow::weights);
  chain.lose(0.6, 2, &AttributionRow::activations);
  OutlierRow outliers{.tensor = "b_out", .channels = 8};
  outliers.peak = {7, 1000, 1};
  chain.report.outliers = {outliers};
  std::vector<Suggestion> found = suggestFor(chain);
  auto smooth = std::ranges::find_if(found, [](const Suggestion &suggestion) {
    return suggestion.edits[0].field == "quant.enable_smooth_quant";
  });
  ASSERT_NE(smooth, found.end());
  // The weights of a alone cost 0.3.
  EXPECT_NEAR(0.6 - smooth->predictedGain, 0.3, 0.001);
}

/// A quarter of the squares changes half as many answers.
TEST(Suggestion, AnswersGoWithTheSizeOfErrors) {
  Chain chain;
  chain.lose(0.025, 1, &AttributionRow::weights);
  chain.lose(0.075, 2, &AttributionRow::activations);
  chain.layer(2).type = "Softmax";
  PrecisionRow &output = chain.report.tables[1].rows[2];
  output.metrics.cosine = 0.9;
  output.metrics.rows = 100;
  OutlierRow outliers{.tensor = "b_out", .channels = 8};
  outliers.peak = {7, 1e6, 1};
  chain.report.outliers = {outliers};
  auto left = [&] {
    for (const Suggestion &suggestion : suggestFor(chain))
      if (suggestion.edits[0].field == "quant.enable_smooth_quant")
        return 0.1 - suggestion.predictedGain;
    return 0.1;
  };
  output.metrics.agreement = 1;
  EXPECT_NEAR(left(), 0.025, 0.002);
  output.metrics.agreement = 0.9;
  EXPECT_NEAR(left(), 0.05, 0.002);
  chain.layer(2).type = "Conv";
  EXPECT_NEAR(left(), 0.025, 0.002) << "other outputs only bend";
}

/// Values that are cut can't cost more than what was measured.
TEST(Suggestion, RecalibrationRemovesNoMoreThanWasMeasured) {
  Chain chain;
  chain.lose(0.1, 0, &AttributionRow::activations);
  PrecisionRow &image = chain.report.inputs[0];
  image.metrics.saturated = 0.001;
  image.metrics.reference.max = 30;
  // Half of the error is rounding; one value alone is far out.
  double rounding = double(image.codes->scale) * image.codes->scale / 12;
  image.metrics.mse = 2 * rounding;
  SuggestOptions options;
  options.inputConfigs = "[]";
  for (const Suggestion &suggestion : suggestFor(chain, options))
    EXPECT_NE(suggestion.edits[0].field, "quant.input_configs")
        << "a range that is five times as wide rounds worse";
}

/// A method may cut 8 bits and leave 16 bits whole.
TEST(LossModel, FinerCodesOfAWiderRangeCutLess) {
  Chain chain;
  PrecisionRow &row = chain.layer(1);
  // Codes from -3 to 3, and values up to 4.
  row.metrics.reference.max = 4;
  row.metrics.saturated = 0.01;
  double rounding = double(row.codes->scale) * row.codes->scale / 12;
  row.metrics.mse = rounding + 0.01 / 3;
  double clipped = 0.01 / 3 / row.metrics.mse;
  LossModel model(chain.report);
  auto kept = [&](float scale) {
    Trial trial;
    trial.codes["b_out"] = {scale / 65535, 32768, 0, 65535};
    return model.kept("b_out", trial);
  };
  // The same range cuts what it did, and of twice the range nothing is cut.
  EXPECT_NEAR(kept(6), clipped, 0.05 * clipped);
  EXPECT_LT(kept(12), 1e-3);
  // Half of the way, half of the values are beyond, by half as much.
  EXPECT_NEAR(kept(7), clipped / 8, 0.01 * clipped);
}

} // namespace
