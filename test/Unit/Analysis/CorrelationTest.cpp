//===- CorrelationTest.cpp - How well numbers follow others ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Against values that were computed by hand.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Correlation.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

using Series = std::vector<double>;

TEST(Correlation, EqualValuesShareTheirRank) {
  EXPECT_EQ(ranksOf(Series{}), Series{});
  EXPECT_EQ(ranksOf(Series{10, -3, 7}), (Series{3, 1, 2}));
  EXPECT_EQ(ranksOf(Series{3, 1, 3}), (Series{2.5, 1, 2.5}));
  EXPECT_EQ(ranksOf(Series{5, 5, 5, 5}), (Series{2.5, 2.5, 2.5, 2.5}));
}

TEST(Correlation, FollowsTheDefinition) {
  Series rising = {1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(correlationOf(rising, Series{-2, 0, 2, 4, 6}), 1);
  EXPECT_DOUBLE_EQ(correlationOf(rising, Series{5, 4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(correlationOf(rising, Series{2, 1, 4, 3, 5}), 0.8);
  // Products of deviations: 10; squares: 5 and 29.
  EXPECT_DOUBLE_EQ(correlationOf(Series{1, 2, 3, 4}, Series{1, 3, 2, 8}),
                   10 / std::sqrt(5.0 * 29));
  EXPECT_EQ(correlationOf(rising, Series{7, 7, 7, 7, 7}), 0);
}

} // namespace
