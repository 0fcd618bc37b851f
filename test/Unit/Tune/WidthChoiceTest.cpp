//===- WidthChoiceTest.cpp - Which layers read 16 bits --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is bought at a price, on a network that is small enough to see why.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/WidthChoice.h"

#include "parallax/Support/Random.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

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
    image.type = inputType;
    report = {};
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
  std::vector<WidthPoint> front = chooseFront(problem);
  ASSERT_GE(front.size(), 3u);
  EXPECT_EQ(front.front().choice.size(), 0u);
  EXPECT_EQ(front.front().loss, problem.losses.total());
  EXPECT_EQ(front.back().choice.data.names, (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(front.back().loss, 0);
  for (size_t i = 1; i < front.size(); ++i)
    EXPECT_GE(front[i].choice.size(), front[i - 1].choice.size());
  // Without a loss there is nothing to buy.
  problem.losses = {};
  EXPECT_EQ(chooseFront(problem).size(), 1u);
}

/// Networks by chance, of layers that read one or two tensors: products, sums
/// and movements. All that is known of them is the list of what they read, so
/// that costs are counted from the words that describe the problem.
class EnumeratedTest : public SmallNetwork {
protected:
  /// A choice is a bit for each layer, and behind them one for its weights.
  struct Layer {
    std::vector<size_t> reads;
    bool moves = false, hasWeights = false;
    double loss = 0, weightLoss = 0, more = 0, muchMore = 0, conversion = 0;
  };
  static constexpr size_t count = 10;
  static constexpr size_t image = count;

  static std::string nameOf(size_t i) { return fmt::format("l{}", i); }
  static std::string tensorOf(size_t i) {
    return i == image ? "image" : nameOf(i) + "_out";
  }

  void draw(uint64_t seed) {
    Random random(seed);
    auto number = [&] { return double(random.next() % 1000 + 1); };
    layers.assign(count, {});
    readers.assign(count + 1, {});
    size_t weighty = 0;
    problem = {};
    std::vector<PrecisionRow> rows;
    Names withWeights;
    for (size_t i = 0; i < count; ++i) {
      Layer &layer = layers[i];
      layer.moves = i > 0 && i + 1 < count && random.next() % 4 == 0;
      layer.hasWeights = !layer.moves && weighty < 4 && random.next() % 2 == 0;
      weighty += layer.hasWeights;
      // One that nobody has read yet, if there is any, and maybe another.
      auto any = [&] { return i == 0 ? image : size_t(random.next() % i); };
      size_t first = any();
      for (size_t k = i; k-- > 0;)
        if (readers[k].empty())
          first = k;
      layer.reads = {first};
      if (size_t other = any(); random.next() % 2 == 0 && other != first)
        layer.reads.push_back(other);
      Names inputs;
      for (size_t read : layer.reads) {
        readers[read].push_back(i);
        inputs.push_back(tensorOf(read));
      }
      rows.push_back(rowOf(nameOf(i), inputs, layer.moves));
      if (layer.hasWeights)
        withWeights.push_back(nameOf(i));
    }
    make(std::move(rows), withWeights);
    problem.losses.codes["image"] = imageLoss = number();
    problem.costs.narrowInputs["image"] = narrowImage = number();
    problem.costs.wideInputs["image"] = wideImage = number();
    for (size_t i = 0; i < count; ++i)
      drawCosts(i, number);
  }

  template <typename Number> void drawCosts(size_t i, const Number &number) {
    Layer &layer = layers[i];
    std::string name = nameOf(i);
    if (!layer.moves && i + 1 < count)
      problem.losses.codes[tensorOf(i)] = layer.loss = number();
    layer.more = number();
    if (layer.hasWeights) {
      problem.losses.weights[name] = layer.weightLoss = number();
      layer.muchMore = number();
    }
    problem.costs.narrow[name] = number();
    problem.costs.wide[name] = problem.costs.narrow[name] + layer.more;
    problem.costs.wideWeights[name] = problem.costs.wide[name] + layer.muchMore;
    // Behind a movement there is as much to convert as in front of it.
    layer.conversion = number();
    if (layer.moves) {
      layer.conversion = 0;
      for (size_t read : layer.reads)
        layer.conversion +=
            read == image ? narrowImage : layers[read].conversion;
    }
    if (i + 1 < count)
      problem.costs.conversions[tensorOf(i)] = layer.conversion;
  }

  /// What a choice loses, and what it costs.
  struct Counted {
    double loss = 0, cost = 0;
    double at(double price) const { return loss + cost * price; }
  };

  std::optional<Counted> countOf(unsigned choice) const {
    // By layer: whether it reads 16 bits. A movement does if any layer behind
    // it does, and whoever reads what it moves comes later.
    std::array<bool, count + 1> wide{}, fine{}, anyWide{}, allWide{};
    auto lookBehind = [&](size_t i) {
      allWide[i] = fine[i] = true;
      for (size_t reader : readers[i]) {
        anyWide[i] |= wide[reader];
        allWide[i] &= wide[reader];
        fine[i] &= layers[reader].moves ? fine[reader] : wide[reader];
      }
    };
    for (size_t i = count; i-- > 0;) {
      lookBehind(i);
      wide[i] = layers[i].moves ? anyWide[i] : (choice >> i & 1) != 0;
    }
    lookBehind(image);
    Counted counted;
    counted.loss += fine[image] ? 0 : imageLoss;
    counted.cost += anyWide[image] ? wideImage : 0;
    counted.cost += allWide[image] ? 0 : narrowImage;
    size_t weight = count;
    for (size_t i = 0; i < count; ++i) {
      const Layer &layer = layers[i];
      counted.loss += fine[i] ? 0 : layer.loss;
      counted.cost += anyWide[i] && !allWide[i] ? layer.conversion : 0;
      counted.cost +=
          wide[i] || (anyWide[i] && !layer.hasWeights) ? layer.more : 0;
      if (!layer.hasWeights)
        continue;
      bool isHeavy = (choice >> weight++ & 1) != 0;
      if (isHeavy && !wide[i])
        return std::nullopt;
      counted.loss += isHeavy ? 0 : layer.weightLoss;
      counted.cost += isHeavy ? layer.muchMore : 0;
    }
    return counted;
  }

  /// The bits of those that have a choice.
  unsigned allBits() const {
    unsigned bits = 0;
    size_t weight = count;
    for (size_t i = 0; i < count; ++i) {
      if (!layers[i].moves)
        bits |= 1u << i;
      if (layers[i].hasWeights)
        bits |= 1u << weight++;
    }
    return bits;
  }

  unsigned bitsOf(const Widening &choice) const {
    unsigned bits = 0;
    size_t weight = count;
    for (size_t i = 0; i < count; ++i) {
      if (choice.data.contains(nameOf(i)))
        bits |= 1u << i;
      if (layers[i].hasWeights) {
        if (choice.weights.contains(nameOf(i)))
          bits |= 1u << weight;
        ++weight;
      }
    }
    return bits;
  }

  /// All choices that there are.
  std::vector<Counted> allChoices() const {
    std::vector<Counted> found;
    unsigned all = allBits();
    for (unsigned choice = all;; choice = (choice - 1) & all) {
      if (std::optional<Counted> counted = countOf(choice))
        found.push_back(*counted);
      if (choice == 0)
        return found;
    }
  }

  static double least(const std::vector<Counted> &choices, double price) {
    double least = std::numeric_limits<double>::infinity();
    for (const Counted &counted : choices)
      least = std::min(least, counted.at(price));
    return least;
  }

  std::vector<Layer> layers;
  /// By tensor; the last one is the image.
  std::vector<std::vector<size_t>> readers;
  double imageLoss = 0, narrowImage = 0, wideImage = 0;
};

TEST_F(EnumeratedTest, NoChoiceCostsLessThanTheCut) {
  size_t mixed = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    draw(seed);
    std::vector<Counted> all = allChoices();
    for (double price : {0.05, 0.2, 0.7}) {
      unsigned cut = bitsOf(chooseWidths(problem, price));
      mixed += cut != 0 && cut != allBits();
      ASSERT_TRUE(countOf(cut)) << "seed " << seed;
      EXPECT_NEAR(countOf(cut)->at(price), least(all, price), 1e-6)
          << "seed " << seed << ", price " << price;
    }
  }
  // Not only nothing and all.
  EXPECT_GT(mixed, 50u);
}

TEST_F(EnumeratedTest, TheFrontHasAllCornersOfTheHull) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    draw(seed);
    std::vector<Counted> all = allChoices(), front;
    for (const WidthPoint &point : chooseFront(problem)) {
      front.push_back(countOf(bitsOf(point.choice)).value());
      EXPECT_NEAR(point.loss, front.back().loss, 1e-6) << "seed " << seed;
      EXPECT_NEAR(point.cost, front.back().cost, 1e-6) << "seed " << seed;
    }
    // 8 bits everywhere are the first, also where 16 of an image cost less.
    for (size_t i = 2; i < front.size(); ++i) {
      EXPECT_GE(front[i].cost, front[i - 1].cost) << "seed " << seed;
      EXPECT_LE(front[i].loss, front[i - 1].loss) << "seed " << seed;
    }
    // At no price is anything better than the best of them.
    for (double price = 0.001; price < 1000; price *= 1.1)
      EXPECT_NEAR(least(front, price), least(all, price),
                  1e-6 * least(all, price))
          << "seed " << seed << ", price " << price;
  }
}

TEST_F(SmallNetwork, AConversionIsPaidOnceForAllWhoNeedIt) {
  make({rowOf("a", {"image"}), rowOf("b", {"a_out"}), rowOf("c", {"a_out"}),
        rowOf("e", {"a_out"}), rowOf("d", {"b_out", "c_out", "e_out"})},
       {"b", "c", "e"});
  problem.losses.codes = {{"b_out", 10}, {"a_out", 1}};
  problem.fixed = {"c", "e"};
  // To make b_out fine costs what d costs; d then gets c_out and e_out in 16
  // bits, too. To make a_out fine is not allowed.
  problem.costs.wide = {{"d", 5}, {"b", 1}};
  problem.costs.wideWeights = problem.costs.wide;
  EXPECT_EQ(chooseWidths(problem, 1).data.names, Names{"d"});
  // b would pay its cycle and the conversion for c and e.
  problem.losses.weights = {{"b", 5}};
  problem.costs.conversions["a_out"] = 3.9;
  EXPECT_EQ(chooseWidths(problem, 1).weights.names, Names{"b"});
  problem.costs.conversions["a_out"] = 4.1;
  EXPECT_TRUE(chooseWidths(problem, 1).weights.names.empty());
}

TEST_F(WidthChoiceTest, FloatStandsInWhereWideCodesAreForbidden) {
  problem.asFloat = {"d"};
  problem.costs.floats["d"] = 14;
  Widening cheap = chooseWidths(problem, 1e-6);
  EXPECT_EQ(cheap.floats.names, Names{"d"});
  EXPECT_EQ(cheap.data.names, (Names{"a", "b", "c"}));
  ASSERT_EQ(cheap.edits().size(), 2u);
  EXPECT_EQ(cheap.edits().back().value,
            R"({"layer_names":["d"],"data_type":"FP32"})");
  // It gains 2.
  EXPECT_EQ(chooseWidths(problem, 0.4).floats.names, Names{"d"});
  EXPECT_TRUE(chooseWidths(problem, 0.6).floats.names.empty());
  // It needs floats of what it reads.
  problem.costs.conversions = {{"b_out", 1}, {"c_out", 1}};
  EXPECT_TRUE(chooseWidths(problem, 0.4).floats.names.empty());
  // What is float anyway does not need 16 bits to be fine.
  problem.asFloat = {};
  problem.alwaysFloat = {"c"};
  problem.losses.codes = {{"a_out", 8}};
  EXPECT_EQ(chooseWidths(problem, 0.3).data.names, Names{"b"});
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
