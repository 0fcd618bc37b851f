//===- WidthChoiceTest.cpp - Which layers read 16 bits --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is bought at a price, on a network that is small enough to see why.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/WidthChoice.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

PrecisionRow rowOf(const std::string &name,
                   const std::vector<std::string> &inputs, bool moves = false) {
  PrecisionRow row;
  row.node = name;
  row.tensor = name + "_out";
  row.type = moves ? "Reshape" : "Conv";
  row.codes = AffineParams{6.0f / 255, 128, 0, 255};
  row.inputs = inputs;
  row.moves = moves;
  return row;
}

using Names = std::vector<std::string>;

/// image -> a -> reshape -> b and c, whose sum d is the output in float.
class WidthChoiceTest : public ::testing::Test {
protected:
  WidthChoiceTest() {
    PrecisionRow image = rowOf("image", {});
    image.tensor = "image";
    report.inputs = {image};
    PrecisionTable table;
    table.rows = {rowOf("a", {"image"}), rowOf("reshape", {"a_out"}, true),
                  rowOf("b", {"reshape_out"}), rowOf("c", {"reshape_out"}),
                  rowOf("d", {"b_out", "c_out"})};
    table.rows.back().codes.reset();
    table.rows.back().isOutput = true;
    report.tables = {table};
    WeightRow weight;
    weight.node = "b";
    weight.outputs = {0, 1, 0.9};
    report.weights = {weight};
    model.emplace(report);
    problem.network = &*model;
    problem.losses.codes = {
        {"image", 1}, {"a_out", 8}, {"b_out", 1}, {"c_out", 1}};
    for (const char *name : {"a", "b", "c", "d"}) {
      problem.costs.narrow[name] = 10;
      problem.costs.wide[name] = 20;
      problem.costs.wideWeights[name] = 40;
    }
  }

  PrecisionReport report;
  std::optional<LossModel> model;
  WidthProblem problem;
};

TEST_F(WidthChoiceTest, BuysWhatItsPriceIsWorth) {
  // Nothing, if a cycle costs more than all losses.
  EXPECT_TRUE(chooseWidths(problem, 10).data.names.empty());
  // b and c have to read what a gives finely, both, and a has to give it: 7.5
  // for a loss of 8. Then a may read the image finely for nothing more. To
  // widen d would be 2.5 for a loss of 2.
  EXPECT_EQ(chooseWidths(problem, 0.25).data.names, (Names{"a", "b", "c"}));
  EXPECT_EQ(chooseWidths(problem, 1e-6).data.names,
            (Names{"a", "b", "c", "d"}));
}

TEST_F(WidthChoiceTest, ALossIsOnlyGoneIfAllReadersAreWide) {
  // One reader alone would cost 10 for nothing.
  problem.fixed = {"c"};
  EXPECT_TRUE(chooseWidths(problem, 0.3).data.names.empty());
  Widening cheap = chooseWidths(problem, 1e-6);
  EXPECT_FALSE(cheap.data.contains("b"));
  EXPECT_FALSE(cheap.data.contains("c"));
  EXPECT_TRUE(cheap.data.contains("a"));
}

TEST_F(WidthChoiceTest, WeightsAreWideWhereTheyLose) {
  problem.losses.weights = {{"b", 100}, {"a", 100}};
  Widening wide = chooseWidths(problem, 0.3);
  // a has no weights that could be wide: an Add with a constant, say.
  EXPECT_EQ(wide.weights.names, Names{"b"});
  EXPECT_TRUE(wide.data.contains("b"));
}

TEST_F(WidthChoiceTest, TheFrontBeginsWithNothingAndGrows) {
  std::vector<Widening> front = chooseFront(problem);
  ASSERT_GE(front.size(), 3u);
  EXPECT_EQ(front.front().size(), 0u);
  EXPECT_EQ(front.back().data.names, (Names{"a", "b", "c", "d"}));
  for (size_t i = 1; i < front.size(); ++i)
    EXPECT_GE(front[i].size(), front[i - 1].size());
  // Without a loss there is nothing to buy.
  problem.losses = {};
  EXPECT_EQ(chooseFront(problem).size(), 1u);
}

} // namespace
