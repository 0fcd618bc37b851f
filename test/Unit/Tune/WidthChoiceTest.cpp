//===- WidthChoiceTest.cpp - Which layers read 16 bits --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is bought at a price, on a network that is small enough to see why.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/WidthChoice.h"

#include "parallax/Support/Random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>

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

class SmallNetwork : public ::testing::Test {
protected:
  /// Of an image; the last row is the output in float.
  void make(std::vector<PrecisionRow> rows, const Names &withWeights) {
    PrecisionRow image = rowOf("image", {});
    image.tensor = "image";
    report.inputs = {image};
    rows.back().codes.reset();
    rows.back().isOutput = true;
    report.tables.resize(1);
    report.tables[0].rows = std::move(rows);
    for (const std::string &name : withWeights) {
      WeightRow weight;
      weight.node = name;
      weight.outputs = {0, 1, 0.9};
      report.weights.push_back(weight);
    }
    model.emplace(report);
    problem.network = &*model;
  }

  PrecisionReport report;
  std::optional<LossModel> model;
  WidthProblem problem;
};

/// image -> a -> reshape -> b and c, whose sum d is the output in float.
class WidthChoiceTest : public SmallNetwork {
protected:
  WidthChoiceTest() {
    make({rowOf("a", {"image"}), rowOf("reshape", {"a_out"}, true),
          rowOf("b", {"reshape_out"}), rowOf("c", {"reshape_out"}),
          rowOf("d", {"b_out", "c_out"})},
         {"b"});
    problem.losses.codes = {
        {"image", 1}, {"a_out", 8}, {"b_out", 1}, {"c_out", 1}};
    for (const char *name : {"a", "b", "c", "d"}) {
      problem.costs.narrow[name] = 10;
      problem.costs.wide[name] = 20;
      problem.costs.wideWeights[name] = 40;
    }
  }
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

/// image -> a -> reshape -> b and c; d adds them; e reads the sum; f adds that
/// and what a gave, and is the output in float.
class EnumeratedTest : public SmallNetwork {
protected:
  EnumeratedTest() {
    make({rowOf("a", {"image"}), rowOf("reshape", {"a_out"}, true),
          rowOf("b", {"reshape_out"}), rowOf("c", {"reshape_out"}),
          rowOf("d", {"b_out", "c_out"}), rowOf("e", {"d_out"}),
          rowOf("f", {"e_out", "a_out"})},
         {"a", "b", "e"});
  }

  void draw(uint64_t seed) {
    Random random(seed);
    auto number = [&] { return double(random.next() % 1000 + 1); };
    for (const auto &[tensor, readers] : readersOf)
      problem.losses.codes[tensor] = number();
    for (const char *name : {"a", "b", "e"})
      problem.losses.weights[name] = number();
    for (const std::string &layer : names) {
      problem.costs.narrow[layer] = number();
      problem.costs.wide[layer] = problem.costs.narrow[layer] + number();
      problem.costs.wideWeights[layer] = problem.costs.wide[layer] + number();
    }
    // An Add costs the same whatever weights are.
    for (const char *name : {"c", "d", "f"})
      problem.costs.wideWeights[name] = problem.costs.wide[name];
  }

  bool hasWeights(const std::string &layer) const {
    return problem.losses.weights.contains(layer);
  }

  /// What a choice costs, from the words that describe the problem.
  double costOf(const std::set<std::string> &wide,
                const std::set<std::string> &weights, double price) const {
    auto isWide = [&](const std::string &layer) {
      return wide.contains(layer);
    };
    double cost = 0;
    for (const auto &[tensor, readers] : readersOf)
      if (!std::ranges::all_of(readers, isWide))
        cost += problem.losses.codes.at(tensor);
    for (const std::string &layer : names) {
      auto given = readersOf.find(layer + "_out");
      bool givesWide = given != readersOf.end() &&
                       std::ranges::any_of(given->second, isWide);
      double narrow = problem.costs.narrow.at(layer),
             more = problem.costs.wide.at(layer);
      if (isWide(layer) || (givesWide && !hasWeights(layer)))
        cost += (more - narrow) * price;
      if (weights.contains(layer))
        cost += (problem.costs.wideWeights.at(layer) - more) * price;
      else if (hasWeights(layer))
        cost += problem.losses.weights.at(layer);
    }
    return cost;
  }

  double leastCost(double price) const {
    double least = std::numeric_limits<double>::infinity();
    for (unsigned layers = 0; layers < 1u << names.size(); ++layers)
      for (unsigned heavy = 0; heavy < 1u << names.size(); ++heavy) {
        std::set<std::string> wide, weights;
        bool isAllowed = true;
        for (size_t i = 0; i < names.size(); ++i) {
          if (layers >> i & 1)
            wide.insert(names[i]);
          if (heavy >> i & 1) {
            weights.insert(names[i]);
            isAllowed &= (layers >> i & 1) && hasWeights(names[i]);
          }
        }
        if (isAllowed)
          least = std::min(least, costOf(wide, weights, price));
      }
    return least;
  }

  const Names names = {"a", "b", "c", "d", "e", "f"};
  /// The reshape moves what a gives, so all of its readers read one set of
  /// codes.
  const std::map<std::string, std::vector<std::string>> readersOf = {
      {"image", {"a"}}, {"a_out", {"b", "c", "f"}}, {"b_out", {"d"}},
      {"c_out", {"d"}}, {"d_out", {"e"}},           {"e_out", {"f"}}};
};

TEST_F(EnumeratedTest, NoChoiceCostsLessThanTheCut) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    draw(seed);
    for (double price : {0.2, 1.0, 3.0}) {
      Widening cut = chooseWidths(problem, price);
      std::set<std::string> wide(cut.data.names.begin(), cut.data.names.end()),
          weights(cut.weights.names.begin(), cut.weights.names.end());
      EXPECT_NEAR(costOf(wide, weights, price), leastCost(price), 1e-6)
          << "seed " << seed << ", price " << price;
    }
  }
}

TEST_F(WidthChoiceTest, WhatStaysNarrowGivesNarrowResults) {
  // The output is in codes, and d may have nothing but 8 bits.
  report.tables[0].rows.back().codes = AffineParams{6.0f / 255, 128, 0, 255};
  model.emplace(report);
  problem.network = &*model;
  problem.losses.codes["d_out"] = 100;
  EXPECT_TRUE(chooseWidths(problem, 1e-6).results.contains("d"));
  problem.fixed = {"d"};
  EXPECT_FALSE(chooseWidths(problem, 1e-6).results.contains("d"));
}

} // namespace
