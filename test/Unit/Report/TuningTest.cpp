//===- TuningTest.cpp - What came out of tuning, to read ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts look for these lines, and programs read the files.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Tuning.h"
#include "Lines.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

TuningTerms someTerms() {
  TuningTerms terms;
  terms.metric = "mAP50-95";
  terms.floatMetric = 0.4461;
  terms.u8Cycles = 1000000;
  return terms;
}

TunedNetwork tunedNetwork(int64_t trial, double metric, int64_t cycles) {
  TunedNetwork network;
  network.trial = trial;
  network.purpose = "cut " + std::to_string(trial);
  network.metric = {metric, metric - 0.01, metric + 0.01};
  network.cycles = cycles;
  network.wideLayers = 10 * trial;
  return network;
}

/// Both predictions are right up to a constant.
TunedNetwork predictedNetwork(int64_t trial, double metric, int64_t cycles) {
  TunedNetwork network = tunedNetwork(trial, metric, cycles);
  network.predictedMetric = metric + 0.125;
  network.predictedCycles = cycles - 5;
  return network;
}

TEST(TuningReport, MixedPrecision) {
  std::vector<TypeCounts> counts = {{"Conv", 1064, 1000, 60, 4},
                                    {"Reshape", 3, 0, 0, 0}};
  EXPECT_EQ(
      linesOf(renderMixedPrecision(counts)),
      (std::vector<std::string>{"Mixed Precision Statistics",
                                "┌─────────┬───────┬───────┬─────┬──────┐",
                                "│ Op Type │ Total │    U8 │ U16 │ FP32 │",
                                "├─────────┼───────┼───────┼─────┼──────┤",
                                "│ Conv    │ 1,064 │ 1,000 │  60 │    4 │",
                                "│ Reshape │     3 │     0 │   0 │    0 │",
                                "└─────────┴───────┴───────┴─────┴──────┘"}));
}

TEST(TuningReport, LineOfATrial) {
  TunedNetwork latest = tunedNetwork(3, 0.4145, 1234567);
  TunedNetwork best = tunedNetwork(2, 0.4401, 1290000);
  EXPECT_EQ(tuneResultLine(someTerms(), latest, &best),
            "Tune 3 result is: [Accuracy (U8|FP32): 0.4145|0.4461, Cycles "
            "1234567], Best tune result is: [Accuracy: 0.4401, Cycles: "
            "1290000]");
  TuningTerms bytes = someTerms();
  bytes.objective = "Size";
  latest.metric.value = std::nan("");
  EXPECT_EQ(tuneResultLine(bytes, latest, nullptr),
            "Tune 3 result is: [Accuracy (U8|FP32): NaN|0.4461, Size 1234567], "
            "Best tune result is: n/a");
}

TEST(TuningReport, TuneResult) {
  TunedNetwork latest = tunedNetwork(12, 0.4145, 1234567);
  TunedNetwork best = tunedNetwork(2, 0.4401, 1290000);
  EXPECT_EQ(
      linesOf(renderTuneResult(someTerms(), latest, &best)),
      (std::vector<std::string>{
          "Tune Result Statistics",
          "┌──────────────┬──────────┬────────────────┬──────────────────┐",
          "│ Info Type    │ Baseline │ Tune 12 result │ Best tune result │",
          "├──────────────┼──────────┼────────────────┼──────────────────┤",
          "│ Accuracy     │   0.4461 │         0.4145 │           0.4401 │",
          "│ Cycles       │        - │      1,234,567 │        1,290,000 │",
          "│ Factor of U8 │        - │          1.235 │            1.290 │",
          "└──────────────┴──────────┴────────────────┴──────────────────┘"}));
  std::string none = renderTuneResult(someTerms(), latest, nullptr);
  EXPECT_NE(none.find("│              n/a │"), std::string::npos) << none;
}

TEST(TuningReport, Front) {
  TunedNetwork narrow = tunedNetwork(1, 0.25, 1000000);
  TunedNetwork wide = tunedNetwork(4, 0.4401, 1290000);
  wide.predictedMetric = 0.4388;
  std::vector<TunedNetwork> front = {narrow, wide};
  EXPECT_EQ(
      linesOf(renderFront(someTerms(), front)),
      (std::vector<std::string>{
          "Cycles against mAP50-95 (float: 0.4461)",
          "┌───────────┬──────────────┬──────────────────────────┬───────────┬─"
          "─"
          "───────────┬───────┐",
          "│    Cycles │ Factor of U8 │ mAP50-95 [95 % interval] │ Predicted │ "
          "Wide layers │ Trial │",
          "├───────────┼──────────────┼──────────────────────────┼───────────┼─"
          "─"
          "───────────┼───────┤",
          "│ 1,000,000 │        1.000 │  0.2500 [0.2400, 0.2600] │           │ "
          "         10 │     1 │",
          "│ 1,290,000 │        1.290 │  0.4401 [0.4301, 0.4501] │    0.4388 │ "
          "         40 │     4 │",
          "└───────────┴──────────────┴──────────────────────────┴───────────┴─"
          "─"
          "───────────┴───────┘"}));
  TuningTerms plain = someTerms();
  plain.hasIntervals = false;
  EXPECT_EQ(renderFront(plain, front).find("["), std::string::npos);
}

TEST(TuningReport, FrontForPrograms) {
  TunedNetwork narrow = tunedNetwork(1, 0.25, 1000000);
  narrow.metric = {0.25, 0.125, 0.375};
  TunedNetwork wide = tunedNetwork(4, 1.0 / 3, 1250000);
  wide.metric = {1.0 / 3, 0.25, 0.5};
  wide.predictedMetric = 0.4388;
  std::vector<TunedNetwork> front = {narrow, wide};
  EXPECT_EQ(frontCsv(someTerms(), front),
            "cycles,factor,metric,metric_low,metric_high,predicted_metric,"
            "wide_layers,trial\n"
            "1000000,1,0.25,0.125,0.375,,10,1\n"
            "1250000,1.25,0.3333333333333333,0.25,0.5,0.4388,40,4\n");
  auto json = nlohmann::json::parse(frontJson(someTerms(), front));
  EXPECT_EQ(json.at("format"), "parallax-tuning-front");
  EXPECT_EQ(json.at("metric"), "mAP50-95");
  EXPECT_EQ(json.at("objective"), "Cycles");
  EXPECT_EQ(json.at("float_metric"), 0.4461);
  EXPECT_EQ(json.at("u8_cycles"), 1000000);
  EXPECT_EQ(json.at("points").at(0),
            nlohmann::json::parse(R"({"cycles": 1000000, "factor": 1.0,
              "metric": {"value": 0.25, "low": 0.125, "high": 0.375},
              "wide_layers": 10, "trial": 1})"));
  EXPECT_EQ(json.at("points").at(1).at("metric").at("value"), 1.0 / 3);
  EXPECT_EQ(json.at("points").at(1).at("predicted_metric"), 0.4388);

  TuningTerms unknown = someTerms();
  unknown.hasIntervals = false;
  unknown.u8Cycles = 0;
  EXPECT_NE(frontCsv(unknown, front).find("\n1000000,nan,0.25,,,,10,1\n"),
            std::string::npos);
  json = nlohmann::json::parse(frontJson(unknown, front));
  EXPECT_EQ(json.at("points").at(0).at("factor"), nullptr);
  EXPECT_FALSE(json.at("points").at(0).at("metric").contains("low"));
}

TEST(TuningReport, PredictionsAreCorrelated) {
  std::vector<TunedNetwork> trials = {predictedNetwork(1, 0.25, 1000000),
                                      predictedNetwork(2, 0.375, 1200000),
                                      predictedNetwork(3, 0.3125, 1100000)};
  TunedNetwork base = tunedNetwork(0, 0.1, 7);
  trials.insert(trials.begin(), base);
  std::vector<std::string> lines =
      linesOf(renderPredictions(someTerms(), trials));
  // The title, a table of three rows, and a line for each correlation: the base
  // was not predicted.
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines[0], "Predictions against verified values");
  EXPECT_EQ(lines[4], "│     1 │ cut 1   │             0.3750 │   0.2500 │    "
                      "-0.1250 │          999,995 │ 1,000,000 │");
  EXPECT_EQ(lines[8], "mAP50-95: Pearson 1.000, Spearman 1.000 over 3 trials.");
  EXPECT_EQ(lines[9], "Cycles: Pearson 1.000, Spearman 1.000 over 3 trials.");
  // The other way around, in order but not on a line, and without a result.
  trials[1].predictedMetric = 0.5;
  trials[2].predictedMetric = 0.25;
  trials[3].predictedMetric = 0.26;
  trials.push_back(predictedNetwork(4, std::nan(""), 5));
  lines = linesOf(renderPredictions(someTerms(), trials));
  EXPECT_EQ(lines[7], "│     4 │ cut 4   │                NaN │      NaN │    "
                      "    NaN │                0 │         5 │");
  EXPECT_EQ(lines[9],
            "mAP50-95: Pearson -0.883, Spearman -1.000 over 3 trials.");
  EXPECT_EQ(lines[10], "Cycles: Pearson 1.000, Spearman 1.000 over 4 trials.");
}

TEST(TuningReport, FewPredictions) {
  EXPECT_EQ(renderPredictions(someTerms(), {}), "");
  std::vector<TunedNetwork> trials = {tunedNetwork(1, 0.25, 10)};
  EXPECT_EQ(renderPredictions(someTerms(), trials), "");
  trials[0].predictedCycles = 9;
  std::vector<std::string> lines =
      linesOf(renderPredictions(someTerms(), trials));
  EXPECT_EQ(lines.back(), "Cycles: too few trials to correlate.");
  EXPECT_EQ(lines.size(), 7u);
}

} // namespace
