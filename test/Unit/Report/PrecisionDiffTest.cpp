//===- PrecisionDiffTest.cpp - Two analyses of one network ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What counts as a regression, and in which order changes are shown.
//===----------------------------------------------------------------------===//
#include "parallax/Report/PrecisionDiff.h"
#include "PrecisionSamples.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

constexpr double tolerance = 0.0005;

/// A chain, the last layer of which makes the output.
PrecisionReport chain(const std::vector<double> &cosines,
                      AnalysisMethod method = AnalysisMethod::EndToEnd) {
  PrecisionReport report;
  report.samples = 2;
  report.sampleSource = "calibration";
  report.tables = {sampleChain(method, cosines)};
  return report;
}

std::vector<std::string> regressionsOf(const PrecisionReport &before,
                                       const PrecisionReport &after) {
  return diffPrecision(before, after, tolerance).regressions;
}

TEST(PrecisionDiff, NothingChanged) {
  PrecisionDiff diff =
      diffPrecision(completeReport(), completeReport(), tolerance);
  EXPECT_TRUE(diff.regressions.empty());
  for (const TableChange &table : diff.tables) {
    EXPECT_TRUE(table.onlyBefore.empty());
    EXPECT_TRUE(table.onlyAfter.empty());
    for (const LayerChange &layer : table.layers)
      EXPECT_FALSE(layer.similarity.isChanged()) << layer.tensor;
  }
  EXPECT_NE(renderDiff(diff, false).find("No output is worse than it may be."),
            std::string::npos);
}

TEST(PrecisionDiff, AnOutputMayLoseALittle) {
  EXPECT_TRUE(regressionsOf(chain({0.99, 0.999}), chain({0.5, 0.9986})).empty())
      << "layers that are not outputs do not count";
  EXPECT_EQ(regressionsOf(chain({0.99, 0.999}), chain({0.99, 0.9984})),
            (std::vector<std::string>{
                "EndToEnd Reference: output l1_out falls from 0.99900 to "
                "0.99840, by more than 0.0005."}));
  EXPECT_TRUE(regressionsOf(chain({0.9}), chain({0.99})).empty());
}

TEST(PrecisionDiff, AnOutputMayNotFallBelowTheThreshold) {
  EXPECT_EQ(regressionsOf(chain({0.9801}), chain({0.9799})),
            (std::vector<std::string>{
                "EndToEnd Reference: output l0_out falls from 0.98010 to "
                "0.97990 and is bad now: its cosine is below 0.98."}));
  EXPECT_TRUE(regressionsOf(chain({0.9799}), chain({0.9798})).empty())
      << "it was below already";
}

TEST(PrecisionDiff, SingleLayersAreNoRegression) {
  PrecisionReport before = chain({0.999}), after = before;
  before.tables.push_back(sampleChain(AnalysisMethod::PerLayer, {0.999}));
  after.tables.push_back(sampleChain(AnalysisMethod::PerLayer, {0.5}));
  EXPECT_TRUE(regressionsOf(before, after).empty());
}

TEST(PrecisionDiff, SingleLayersSayNothingOfOutputs) {
  PrecisionReport layers = chain({0.999}, AnalysisMethod::PerLayer);
  EXPECT_THROW(regressionsOf(layers, layers), Error);
  PrecisionReport both = chain({0.999});
  both.tables.push_back(layers.tables[0]);
  EXPECT_THROW(regressionsOf(layers, both), Error);
  EXPECT_EQ(regressionsOf(both, layers),
            (std::vector<std::string>{
                "EndToEnd Reference: outputs are no longer compared."}));
}

TEST(PrecisionDiff, AnOutputMustStillBeJudged) {
  PrecisionReport zeros = chain({1});
  PrecisionRow &input = zeros.inputs.emplace_back();
  input.metrics.reference.count = 64;
  EXPECT_EQ(regressionsOf(chain({0.999}), zeros),
            (std::vector<std::string>{
                "EndToEnd Reference: output l0_out can't be judged any more: "
                "the inputs hold the same number in all samples."}));
  EXPECT_TRUE(regressionsOf(zeros, zeros).empty()) << "nor was it before";
}

TEST(PrecisionDiff, NotANumberIsTheWorst) {
  PrecisionReport broken = chain({0.999});
  broken.tables[0].rows[0].metrics.unequal = 1;
  EXPECT_EQ(regressionsOf(chain({0.999}), broken).size(), 1u);
  broken = chain({std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(regressionsOf(chain({0.999}), broken).size(), 1u);
}

TEST(PrecisionDiff, AnOutputMustBeCompared) {
  PrecisionReport other = chain({0.99, 0.999});
  other.tables[0].rows[1].tensor = "renamed";
  PrecisionDiff diff = diffPrecision(chain({0.99, 0.999}), other, tolerance);
  EXPECT_EQ(diff.regressions,
            (std::vector<std::string>{
                "EndToEnd Reference: output l1_out is no longer compared."}));
  EXPECT_EQ(diff.tables[0].onlyBefore, (std::vector<std::string>{"l1_out"}));
  EXPECT_EQ(diff.tables[0].onlyAfter, (std::vector<std::string>{"renamed"}));
  std::string text = renderDiff(diff, false);
  EXPECT_NE(text.find("Only in A: l1_out\n"), std::string::npos);
  EXPECT_NE(text.find("Only in B: renamed\n"), std::string::npos);
}

TEST(PrecisionDiff, NewFaultsOfTheMachineAreRegressions) {
  auto withBits = [](DifferenceClass difference) {
    PrecisionReport report = chain({0.999});
    report.differences = {
        {"l0", "l0_out", "Conv", 100, 7, 1, difference, true, {}}};
    return report;
  };
  PrecisionReport none = chain({0.999}),
                  tie = withBits(DifferenceClass::RoundingTie),
                  layout = withBits(DifferenceClass::Layout);
  EXPECT_TRUE(regressionsOf(none, tie).empty());
  EXPECT_TRUE(regressionsOf(layout, layout).empty());
  EXPECT_TRUE(regressionsOf(layout, none).empty());
  for (const PrecisionReport &before : {none, tie})
    EXPECT_EQ(regressionsOf(before, layout),
              (std::vector<std::string>{
                  "l0_out: NPUBackend breaks its specification in 7 of 100 "
                  "elements (Layout), and did not before."}));
  PrecisionDiff diff = diffPrecision(layout, none, tolerance);
  ASSERT_EQ(diff.bits.size(), 1u);
  EXPECT_EQ(diff.bits[0].differing.before, 7);
  EXPECT_EQ(diff.bits[0].differing.after, 0);
  EXPECT_EQ(diff.bits[0].difference.after, "");
}

TEST(PrecisionDiff, OutputsComeFirstAndThenTheLargestDrop) {
  PrecisionReport before = chain({0.9, 0.95, 0.99, 0.995}),
                  after = chain({0.95, 0.95, 0.9, 0.999});
  after.tables[0].rows[0].quantType = "U16";
  before.tables[0].rows[0].cycles = 10;
  after.tables[0].rows[0].cycles = 25;
  PrecisionDiff diff = diffPrecision(before, after, tolerance);
  std::vector<std::string> order;
  for (const LayerChange &layer : diff.tables[0].layers)
    order.push_back(layer.node);
  EXPECT_EQ(order, (std::vector<std::string>{"l3", "l2", "l1", "l0"}));
  EXPECT_EQ(diff.cycles.before, 10);
  EXPECT_EQ(diff.cycles.after, 25);
  std::string text = renderDiff(diff, false);
  EXPECT_NE(text.find("U8 → U16"), std::string::npos) << text;
  EXPECT_NE(text.find("10 → 25"), std::string::npos) << text;
  EXPECT_NE(text.find("Cycles: 10 in A, 25 in B (+150.0 %), without"),
            std::string::npos);
  EXPECT_EQ(text.find("l1_out"), std::string::npos) << "it has not changed";
  EXPECT_NE(renderDiff(diff, true).find("l1_out"), std::string::npos);
}

TEST(PrecisionDiff, TheLargestChangesOfBothDirectionsAreShown) {
  // l0 to l19 rise by ever more, l20 to l39 fall by ever more; l40 is the
  // output.
  std::vector<double> first(41, 0.9), second(41, 0.9);
  for (size_t i = 0; i < 20; ++i) {
    second[i] += 0.001 * double(i + 1);
    second[20 + i] -= 0.001 * double(i + 1);
  }
  auto shows = [](const std::string &text, int layer) {
    return text.find(fmt::format("l{}_out", layer)) != std::string::npos;
  };
  std::string text =
      renderDiff(diffPrecision(chain(first), chain(second), tolerance), false);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(shows(text, i), i >= 15) << i;
    EXPECT_EQ(shows(text, 20 + i), i >= 15) << i;
  }
  EXPECT_TRUE(shows(text, 40));
  EXPECT_NE(text.find("30 more layers"), std::string::npos) << text;
  // One direction alone gets all rows, and its largest changes.
  std::fill(second.begin() + 20, second.end(), 0.9);
  text =
      renderDiff(diffPrecision(chain(first), chain(second), tolerance), false);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(shows(text, i), i >= 10) << i;
}

TEST(PrecisionDiff, AttributionShowsWhoChanged) {
  PrecisionReport before = chain({0.99}), after = before;
  before.attribution = Attribution{.measured = 0.03,
                                   .rows = {{"a", "a_out", "Conv", 0.01, 0},
                                            {"b", "b_out", "Conv", 0, 0.02}}};
  after.attribution = Attribution{.measured = 0.01,
                                  .rows = {{"a", "a_out", "Conv", 0.009, 0},
                                           {"c", "c_out", "Conv", 0, 0.001}}};
  PrecisionDiff diff = diffPrecision(before, after, tolerance);
  ASSERT_EQ(diff.attribution.size(), 3u);
  EXPECT_EQ(diff.attribution[0].tensor, "b_out");
  EXPECT_EQ(diff.attribution[0].loss.after, 0);
  EXPECT_EQ(diff.measuredLoss.after, 0.01);
}

TEST(PrecisionDiff, NeedsATableInCommon) {
  EXPECT_THROW(diffPrecision(chain({1}), PrecisionReport(), tolerance), Error);
  PrecisionReport both = chain({1});
  both.tables.push_back(sampleChain(AnalysisMethod::PerLayer, {1}));
  PrecisionDiff diff = diffPrecision(both, chain({1}), tolerance);
  EXPECT_EQ(diff.onlyBefore, (std::vector<std::string>{"PerLayer Reference"}));
}

TEST(PrecisionDiff, JsonHasEverything) {
  auto json = nlohmann::json::parse(diffJson(
      diffPrecision(chain({0.99, 0.999}), chain({0.98, 0.9}), tolerance)));
  EXPECT_EQ(json["regressed"], true);
  EXPECT_EQ(json["regressions"].size(), 1u);
  auto layer = json["tables"][0]["layers"][1];
  EXPECT_EQ(layer["tensor"], "l0_out");
  EXPECT_EQ(layer["similarity_a"], 0.99);
  EXPECT_EQ(layer["similarity_b"], 0.98);
  EXPECT_EQ(layer["is_output"], false);
}

} // namespace
