//===- MinimumCutTest.cpp - Choices at least cost -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Against all choices there are, one after the other.
//===----------------------------------------------------------------------===//
#include "parallax/Tune/MinimumCut.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <random>

using namespace parallax;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<bool> choiceOf(unsigned bits, size_t count) {
  std::vector<bool> choice(count);
  for (size_t i = 0; i < count; ++i)
    choice[i] = bits >> i & 1;
  return choice;
}

/// The cheapest choice, and of those the one with the fewest yes.
std::vector<bool> bestOfAll(const BinaryChoice &problem, size_t count) {
  unsigned best = 0;
  double least = infinite;
  for (unsigned bits = 0; bits < 1u << count; ++bits) {
    double cost = problem.costOf(choiceOf(bits, count));
    if (cost < least ||
        (cost == least && std::popcount(bits) < std::popcount(best))) {
      least = cost;
      best = bits;
    }
  }
  return choiceOf(best, count);
}

/// A number from 0 on and below `end`, the same on every machine.
unsigned drawn(std::mt19937 &random, unsigned end) { return random() % end; }

struct RandomProblem {
  BinaryChoice problem;
  size_t count = 0;
};

/// Small whole costs, whose sums are exact, make many solutions equal.
RandomProblem randomProblem(unsigned seed, unsigned largestCost) {
  std::mt19937 random(seed);
  RandomProblem result;
  result.count = 1 + drawn(random, 14);
  for (size_t i = 0; i < result.count; ++i) {
    result.problem.add();
    result.problem.costIf(i, true, drawn(random, largestCost));
    result.problem.costIf(i, false, drawn(random, largestCost));
  }
  for (size_t n = drawn(random, unsigned(3 * result.count)); n > 0; --n) {
    size_t a = drawn(random, unsigned(result.count));
    size_t b = drawn(random, unsigned(result.count));
    if (drawn(random, 5) == 0)
      result.problem.require(a, b);
    else
      result.problem.costIfYesAndNo(a, b, drawn(random, largestCost));
  }
  return result;
}

TEST(MinimumCut, EqualsExhaustiveEnumeration) {
  for (unsigned largestCost : {3u, 10u, 1000000u})
    for (unsigned seed = 0; seed < 50; ++seed) {
      auto [problem, count] = randomProblem(seed, largestCost);
      EXPECT_EQ(problem.solve(), bestOfAll(problem, count))
          << "seed " << seed << ", costs below " << largestCost;
    }
}

TEST(MinimumCut, FractionsAreNotRoundedAway) {
  // The same costs in another unit have the same solution.
  for (double unit : {0x1p-1000, 0x1p-30, 0x1p30, 0x1p900})
    for (unsigned seed = 0; seed < 10; ++seed) {
      std::mt19937 random(seed);
      BinaryChoice plain, scaled;
      for (size_t i = 0; i < 8; ++i) {
        plain.add();
        scaled.add();
        for (bool yes : {false, true}) {
          double cost = drawn(random, 50);
          plain.costIf(i, yes, cost);
          scaled.costIf(i, yes, cost * unit);
        }
        if (i > 0) {
          double cost = drawn(random, 50);
          plain.costIfYesAndNo(i, i - 1, cost);
          scaled.costIfYesAndNo(i, i - 1, cost * unit);
        }
      }
      EXPECT_EQ(plain.solve(), scaled.solve()) << unit << " " << seed;
    }
  // A millionth of the largest cost still decides.
  BinaryChoice close;
  close.add();
  close.costIf(0, false, 1000000.25);
  close.costIf(0, true, 1000000);
  EXPECT_EQ(close.solve(), std::vector<bool>{true});
}

TEST(MinimumCut, NothingToChoose) {
  BinaryChoice none;
  EXPECT_TRUE(none.solve().empty());
  EXPECT_EQ(none.costOf({}), 0);
  // Without costs, no is the answer; also if both cost the same.
  BinaryChoice free;
  EXPECT_EQ(free.add(), 0u);
  EXPECT_EQ(free.add(), 1u);
  free.costIf(1, true, 7);
  free.costIf(1, false, 7);
  free.costIf(0, true, 0);
  EXPECT_EQ(free.solve(), (std::vector<bool>{false, false}));
  EXPECT_EQ(free.costOf({true, true}), 7);
}

TEST(MinimumCut, CostsOfTheSameCaseAddUp) {
  BinaryChoice choice;
  choice.add();
  choice.add();
  for (int i = 0; i < 3; ++i) {
    choice.costIf(0, false, 2);
    choice.costIfYesAndNo(0, 1, 1.5);
  }
  choice.costIf(0, true, 1);
  choice.costIf(1, true, 4);
  EXPECT_EQ(choice.costOf({false, false}), 6);
  EXPECT_EQ(choice.costOf({true, false}), 5.5);
  EXPECT_EQ(choice.costOf({true, true}), 5);
  EXPECT_EQ(choice.solve(), (std::vector<bool>{true, true}));
}

TEST(MinimumCut, AnItemNeverDiffersFromItself) {
  BinaryChoice choice;
  choice.add();
  choice.costIf(0, false, 1);
  choice.costIfYesAndNo(0, 0, 100);
  choice.require(0, 0);
  EXPECT_EQ(choice.solve(), std::vector<bool>{true});
  EXPECT_EQ(choice.costOf({true}), 0);
}

/// Each item makes the next one yes; the first wants to be yes.
BinaryChoice chain(size_t count, double gain, double costOfEach) {
  BinaryChoice choice;
  for (size_t i = 0; i < count; ++i) {
    choice.add();
    choice.costIf(i, true, costOfEach);
    if (i > 0)
      choice.require(i - 1, i);
  }
  choice.costIf(0, false, gain);
  return choice;
}

TEST(MinimumCut, RequirementsReachThroughChains) {
  constexpr size_t count = 3000;
  EXPECT_EQ(chain(count, 3001, 1).solve(), std::vector<bool>(count, true));
  EXPECT_EQ(chain(count, 3000, 1).solve(), std::vector<bool>(count, false));
  EXPECT_EQ(chain(count, 2999, 1).solve(), std::vector<bool>(count, false));
  BinaryChoice broken = chain(3, 1, 1);
  EXPECT_EQ(broken.costOf({true, true, false}), infinite);
  EXPECT_EQ(broken.costOf({false, true, true}), 3);
  // A ring is all or nothing.
  BinaryChoice ring = chain(5, 6, 1);
  ring.require(4, 0);
  EXPECT_EQ(ring.solve(), std::vector<bool>(5, true));
}

TEST(MinimumCut, HugeAndInfiniteCosts) {
  BinaryChoice huge = chain(4, 1e308, 2e307);
  EXPECT_EQ(huge.solve(), std::vector<bool>(4, true));
  // Infinite costs are rules: some items are given.
  BinaryChoice given = chain(4, 0, 1);
  given.costIf(1, false, infinite);
  EXPECT_EQ(given.solve(), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(given.costOf(given.solve()), 3);
  BinaryChoice many;
  for (size_t i = 0; i < 1000; ++i) {
    many.add();
    many.costIf(i, i % 2 == 0, infinite);
    many.costIf(i, i % 2 == 1, 1e300);
  }
  std::vector<bool> expected(1000);
  for (size_t i = 1; i < 1000; i += 2)
    expected[i] = true;
  EXPECT_EQ(many.solve(), expected);
}

TEST(MinimumCut, ContradictionsBreakFewRules) {
  BinaryChoice choice = chain(3, 0, 1);
  choice.costIf(0, false, infinite);
  choice.costIf(2, true, infinite);
  std::vector<bool> solution = choice.solve();
  EXPECT_EQ(choice.costOf(solution), infinite);
  int broken = !solution[0] + (solution[0] && !solution[1]) +
               (solution[1] && !solution[2]) + solution[2];
  EXPECT_EQ(broken, 1);
}

TEST(MinimumCut, CostsAreNumbers) {
  BinaryChoice choice;
  choice.add();
  choice.add();
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (double cost : {-1.0, -infinite, nan}) {
    EXPECT_THROW(choice.costIf(0, true, cost), Error) << cost;
    EXPECT_THROW(choice.costIfYesAndNo(0, 1, cost), Error) << cost;
  }
  EXPECT_EQ(choice.solve(), std::vector<bool>(2, false));
}

TEST(MinimumCut, SameResultEveryTime) {
  auto [problem, count] = randomProblem(7, 4);
  EXPECT_EQ(problem.solve(), problem.solve());
  EXPECT_EQ(problem.solve(), randomProblem(7, 4).problem.solve());
}

} // namespace
