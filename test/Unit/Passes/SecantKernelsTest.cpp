//===- SecantKernelsTest.cpp - Secants of hard lines ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A secant has to explain the change of its layer, and it may not be steeper
// than the layer itself: what it hands on is multiplied by errors that it has
// never seen.
//===----------------------------------------------------------------------===//
#include "../../../lib/Passes/Analyze/Attribution/SecantKernels.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace parallax::analyze {
namespace {

std::vector<double> softmaxOf(const std::vector<float> &x, bool isLog) {
  double top = *std::ranges::max_element(x), sum = 0;
  for (float value : x)
    sum += std::exp(value - top);
  std::vector<double> result;
  for (float value : x)
    result.push_back(isLog ? value - top - std::log(sum)
                           : std::exp(value - top) / sum);
  return result;
}

/// Logits of attention: some masked, and another answer in q than in f.
struct HardLine {
  std::vector<float> f, q, g;

  HardLine(double moved, float mask) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> any(-1, 1);
    for (int i = 0; i < 24; ++i) {
      bool isMasked = i % 3 == 2;
      f.push_back(isMasked ? mask : 4 * any(random));
      q.push_back(isMasked ? mask * 0.98f : f.back() + 0.1f * any(random));
      g.push_back(any(random));
    }
    f[0] += float(moved);
    // Large values are cut off, so that q has a far smaller top than f.
    q[1] += float(moved / 4);
  }

  void check(bool isLog, double missing = 1e-3) const {
    std::vector<float> worth(f.size());
    softmaxBack(g, q, f, worth, {1, int64_t(f.size()), 1}, isLog);
    std::vector<double> yQ = softmaxOf(q, isLog), yF = softmaxOf(f, isLog);
    double change = 0, explained = 0, square = 0, squareG = 0, sumG = 0;
    for (size_t i = 0; i < f.size(); ++i) {
      change += g[i] * (yQ[i] - yF[i]);
      explained += double(worth[i]) * (double(q[i]) - f[i]);
      square += double(worth[i]) * worth[i];
      squareG += double(g[i]) * g[i];
      sumG += std::abs(g[i]);
    }
    EXPECT_NEAR(explained, change, missing * std::abs(change));
    // No derivative of softmax is longer than 1/2, and that of its logarithm
    // takes the mean of all away.
    if (isLog)
      EXPECT_LE(std::sqrt(square), std::sqrt(squareG) + sumG);
    else
      EXPECT_LE(std::sqrt(square), 0.5001 * std::sqrt(squareG));
  }
};

TEST(SecantKernels, SoftmaxIsNeverSteeperThanItself) {
  for (double moved : {0.0, 1.0, 8.0, 30.0, 60.0, 200.0})
    for (float mask : {-20.0f, -1e4f})
      for (bool isLog : {false, true}) {
        SCOPED_TRACE(testing::Message() << "moved by " << moved << ", mask "
                                        << mask << ", logarithm " << isLog);
        HardLine(moved, mask).check(isLog);
      }
}

/// The farther elements move, the more points does their path need.
TEST(SecantKernels, ShortPathsNeedFewPoints) {
  for (double moved : {0.5, 1.2, 1.7, 3.7, 4.3, 7.7, 8.3})
    for (bool isLog : {false, true}) {
      SCOPED_TRACE(testing::Message() << "moved by " << moved);
      HardLine(moved, -20).check(isLog, 1e-6);
    }
}

/// -inf on both sides has no error, and makes no NaN.
TEST(SecantKernels, SoftmaxKeepsInfiniteMasksOut) {
  float none = -std::numeric_limits<float>::infinity();
  HardLine line(30, none);
  for (size_t i = 2; i < line.q.size(); i += 3)
    line.q[i] = none;
  std::vector<float> worth(line.f.size(), 1);
  softmaxBack(line.g, line.q, line.f, worth, {1, int64_t(line.f.size()), 1},
              /*isLog=*/false);
  for (size_t i = 0; i < worth.size(); ++i)
    if (i % 3 == 2)
      EXPECT_EQ(worth[i], 0);
  EXPECT_GT(std::abs(worth[0]), 1e-3);
}

TEST(SecantKernels, AShortRunIsNoSlope) {
  auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
  constexpr size_t count = 1000;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> x1, x2, y1, y2, found(count);
  for (size_t i = 0; i < count; ++i) {
    x1.push_back(1e-3f * any(random));
    // What is left of two errors that cancel each other, in some of them.
    x2.push_back(x1.back() + (i % 4 ? 1e-2f : 1e-8f) * any(random));
    y1.push_back(sigmoid(x1.back()));
    y2.push_back(sigmoid(x2.back()));
  }
  slope(x2, x1, y2, y1, found);
  for (float value : found)
    EXPECT_LE(std::abs(value), 0.26f) << "a sigmoid is nowhere steeper";
  double missing = 0, change = 0;
  for (size_t i = 0; i < count; ++i) {
    missing += std::abs(y2[i] - y1[i] - found[i] * (x2[i] - x1[i]));
    change += std::abs(y2[i] - y1[i]);
  }
  EXPECT_LE(missing, 1e-5 * change) << "all others are exact";
  // Next to a step, a tiny error is as good as a common one.
  x2[7] = x1[7] + 1e-8f;
  y2[7] = y1[7] + 1;
  slope(x2, x1, y2, y1, found);
  EXPECT_LE(found[7], 1024 / 4e-3);
  std::vector<float> same = x1;
  slope(same, x1, y2, y1, found);
  EXPECT_EQ(found, std::vector<float>(count, 0));
}

TEST(SecantKernels, NormalizationIsAsSteepAsAtItsGentlerEnd) {
  constexpr size_t count = 64;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-1, 1);
  for (bool centers : {false, true})
    for (float faint : {1e-6f, 1e-3f, 1.0f}) {
      NormKind kind{centers, /*sums=*/false, 1e-14};
      std::vector<float> loud(count), quiet(count), g(count), found(count);
      for (size_t i = 0; i < count; ++i) {
        loud[i] = any(random);
        quiet[i] = faint * any(random);
        g[i] = any(random);
      }
      auto scaled = [&](const std::vector<float> &x) {
        double mean = 0, square = 0;
        for (float value : x)
          mean += centers ? value / double(count) : 0;
        for (float value : x)
          square += (value - mean) * (value - mean) / double(count);
        std::vector<double> result;
        for (float value : x)
          result.push_back((value - mean) / std::sqrt(square + kind.epsilon));
        return result;
      };
      for (bool isReversed : {false, true}) {
        const std::vector<float> &q = isReversed ? loud : quiet,
                                 &f = isReversed ? quiet : loud;
        normBack(g, q, f, found, {1, int64_t(count), 1}, kind);
        std::vector<double> yQ = scaled(q), yF = scaled(f);
        double change = 0, explained = 0, square = 0, squareG = 0;
        for (size_t i = 0; i < count; ++i) {
          change += g[i] * (yQ[i] - yF[i]);
          explained += double(found[i]) * (double(q[i]) - f[i]);
          square += double(found[i]) * found[i];
          squareG += double(g[i]) * g[i];
        }
        EXPECT_NEAR(explained, change, 1e-3 * std::abs(change) + 1e-5);
        // The loud line is not multiplied by more than 2.
        EXPECT_LE(std::sqrt(square), 4 * std::sqrt(squareG));
      }
    }
}

/// A slope is that of the float network, also where its error is large or none.
TEST(SecantKernels, NearbyIsASmallStepForAllElements) {
  float none = -std::numeric_limits<float>::infinity();
  std::vector<float> f = {-10, 0, 2, -1e6f, none}, q = {-2, 0, 2, -1e6f, none};
  std::vector<float> found(f.size());
  nearby(q, f, found);
  float step = 8 / 2.0f / 8; // The root of the mean of 64, 0, 0 and 0.
  EXPECT_FLOAT_EQ(found[0], -10 + step);
  EXPECT_FLOAT_EQ(found[1], step);
  EXPECT_FLOAT_EQ(found[2], 2 + step);
  EXPECT_NEAR(found[3], -1e6f * (1 - 0x1p-14f), 1);
  EXPECT_EQ(found[4], none);
  // Of a sigmoid, which is far steeper at -2.
  auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
  float slope = (sigmoid(found[0]) - sigmoid(f[0])) / (found[0] - f[0]);
  EXPECT_NEAR(slope / (sigmoid(-10) * (1 - sigmoid(-10))), 1, 0.35);
}

TEST(SecantKernels, RoundedValuesAreThoseOfCodes) {
  std::vector<float> f = {0.24f, 0.26f, -3, 200, -200}, found(5);
  rounded(f, {0.5f, 10, 0, 255}, found);
  EXPECT_EQ(found, (std::vector<float>{0, 0.5f, -3, 122.5f, -5}));
}

TEST(SecantKernels, RandomSignsHaveOneSizeAndAreRepeatable) {
  std::vector<float> a(1000), b(1000), c(1000);
  randomSigns(0.5f, 3, a);
  randomSigns(0.5f, 3, b);
  randomSigns(0.5f, 4, c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NEAR(std::accumulate(a.begin(), a.end(), 0.0), 0, 60);
  EXPECT_FLOAT_EQ(float(squareOfProducts(a, c)), 1000 * 0.0625f);
}

} // namespace
} // namespace parallax::analyze
