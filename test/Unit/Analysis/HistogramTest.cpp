//===- HistogramTest.cpp - Distributions and ranges -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Against implementations that keep all values in memory: the histogram must
// not depend on order or pieces, and ranges agree within a bin.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Histogram.h"
#include "parallax/Analysis/RangeSearch.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace parallax;

namespace {

/// Bell-shaped, with a few outliers.
std::vector<float> bell(size_t count, float mean, float deviation,
                        float outlier, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(engine);
  for (size_t i = 0; i < count; i += 1000)
    values[i] = i % 2000 ? outlier : -outlier;
  return values;
}

Histogram histogramOf(std::span<const float> values, int64_t bins = 2048) {
  Histogram histogram(bins);
  histogram.add(values);
  return histogram;
}

void expectEqual(const Histogram &a, const Histogram &b) {
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.min(), b.min());
  EXPECT_EQ(a.max(), b.max());
  EXPECT_EQ(a.binWidth(), b.binWidth());
  EXPECT_EQ(a.binStart(0), b.binStart(0));
  EXPECT_TRUE(std::ranges::equal(a.counts(), b.counts()));
}

TEST(Histogram, CountsEveryValueInItsBin) {
  std::vector<float> values = bell(5000, 1, 3, 40, 1);
  Histogram histogram = histogramOf(values, 64);
  EXPECT_LE(histogram.counts().size(), 64u);
  EXPECT_GT(histogram.counts().size(), 31u);
  std::vector<int64_t> expected(histogram.counts().size());
  for (float value : values) {
    size_t bin = 0;
    while (bin + 1 < expected.size() && value >= histogram.binStart(bin + 1))
      ++bin;
    ++expected[bin];
  }
  EXPECT_TRUE(std::ranges::equal(histogram.counts(), expected));
  EXPECT_EQ(histogram.min(), *std::ranges::min_element(values));
  EXPECT_EQ(histogram.max(), *std::ranges::max_element(values));
}

TEST(Histogram, PiecesAndOrderDoNotMatter) {
  std::vector<float> values = bell(6000, 0, 1, 300, 2);
  for (size_t i = 0; i < 1000; ++i)
    values[i] *= 1e-4f; // The range grows step by step.
  Histogram whole = histogramOf(values);
  Histogram forward(2048), backward(2048), merged(2048);
  std::span<const float> all(values);
  for (size_t i = 0; i < 6; ++i) {
    forward.add(all.subspan(i * 1000, 1000));
    backward.add(all.subspan((5 - i) * 1000, 1000));
    merged.merge(histogramOf(all.subspan((i * 5 % 6) * 1000, 1000)));
  }
  expectEqual(forward, backward);
  expectEqual(forward, merged);
  EXPECT_EQ(whole.count(), forward.count());
}

TEST(Histogram, SpecialValuesAreCountedApart) {
  float nan = std::nanf(""), infinity = INFINITY;
  std::vector<float> values(40, 1);
  values[3] = nan, values[17] = infinity, values[39] = -infinity;
  Histogram histogram = histogramOf(values, 16);
  EXPECT_EQ(histogram.count(), 37);
  EXPECT_EQ(histogram.nanCount(), 1);
  EXPECT_EQ(histogram.infCount(), 2);
  EXPECT_EQ(histogram.min(), 1);
  EXPECT_EQ(histogram.max(), 1);
  Histogram nothing = histogramOf(std::vector<float>{nan});
  EXPECT_EQ(nothing.count(), 0);
  EXPECT_EQ(minMaxRange(nothing).high, 0);
  nothing.merge(histogram = Histogram(2048));
}

TEST(Histogram, ExtremeMagnitudes) {
  float largest = std::numeric_limits<float>::max();
  float smallest = std::numeric_limits<float>::denorm_min();
  for (std::vector<float> values :
       {std::vector<float>{-largest, largest, 0},
        std::vector<float>{smallest, -smallest, 0},
        std::vector<float>{largest, smallest}, std::vector<float>{0, 0}}) {
    Histogram histogram = histogramOf(values, 8);
    int64_t total = 0;
    for (int64_t count : histogram.counts())
      total += count;
    EXPECT_EQ(total, int64_t(values.size()));
    EXPECT_LE(histogram.counts().size(), 8u);
  }
}

TEST(RangeSearch, MinMaxContainsZero) {
  std::vector<float> values = {2, 3, 5};
  Interval range = minMaxRange(histogramOf(values));
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 5);
}

TEST(RangeSearch, PercentileAgreesWithSortedValues) {
  std::vector<float> values = bell(100'000, 0.5, 1, 50, 3);
  Histogram histogram = histogramOf(values);
  std::ranges::sort(values);
  for (double percentile : {0.99, 0.999, 0.9999}) {
    auto cut = size_t((1 - percentile) * double(values.size()));
    Interval range = percentileRange(histogram, percentile);
    EXPECT_NEAR(range.low, values[cut], histogram.binWidth());
    EXPECT_NEAR(range.high, values[values.size() - 1 - cut],
                histogram.binWidth());
  }
}

/// The mean squared error of quantizing every single value.
double exactError(const std::vector<float> &values, Interval range,
                  int64_t levels) {
  double step = (range.high - range.low) / double(levels - 1);
  double zeroPoint = std::round(-range.low / step), sum = 0;
  for (float value : values) {
    double code = std::clamp(std::round(double(value) / step) + zeroPoint, 0.0,
                             double(levels - 1));
    sum += std::pow((code - zeroPoint) * step - double(value), 2);
  }
  return sum;
}

TEST(RangeSearch, MseAgreesWithAllValuesInMemory) {
  std::vector<float> values = bell(20'000, 0, 1, 30, 4);
  Histogram histogram = histogramOf(values);
  Interval whole = minMaxRange(histogram), best = whole;
  double least = exactError(values, whole, 256);
  for (int step = 99; step > 0; --step) {
    Interval range{whole.low * step / 100, whole.high * step / 100};
    if (double error = exactError(values, range, 256); error < least) {
      least = error;
      best = range;
    }
  }
  Interval range = mseRange(histogram, 256);
  // Within a step of the search, and as good as the best one.
  EXPECT_NEAR(range.high, best.high, 0.0101 * whole.high);
  EXPECT_LE(exactError(values, range, 256), 1.02 * least);
  EXPECT_LT(range.high, whole.high);
}

/// The squared error of the bins of a histogram, in the order of bins.
double binnedError(const Histogram &histogram, Interval range, int64_t levels) {
  double step = (range.high - range.low) / double(levels - 1), sum = 0;
  double zeroPoint = std::round(-range.low / step);
  for (size_t i = 0; i < histogram.counts().size(); ++i) {
    double value = histogram.binStart(i) + histogram.binWidth() / 2;
    double code = std::clamp(std::round(value / step) + zeroPoint, 0.0,
                             double(levels - 1));
    double error = (code - zeroPoint) * step - value;
    sum += double(histogram.counts()[i]) * error * error;
  }
  return sum;
}

/// However fast it is found, it is the one that has the least error to the bit.
TEST(RangeSearch, MseIsTheLeastOfAllBins) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Histogram histogram =
        histogramOf(bell(5'000, float(seed % 7) - 3, 1, float(seed), seed));
    for (int64_t levels : {4, 256, 65536}) {
      Interval whole = minMaxRange(histogram), best = whole;
      double least = binnedError(histogram, whole, levels);
      for (int step = 99; step > 0; --step) {
        double factor = double(step) / 100;
        Interval range{whole.low * factor, whole.high * factor};
        if (double error = binnedError(histogram, range, levels);
            error < least) {
          least = error;
          best = range;
        }
      }
      Interval range = mseRange(histogram, levels);
      EXPECT_EQ(range.low, best.low) << seed << ", " << levels << " levels";
      EXPECT_EQ(range.high, best.high) << seed << ", " << levels << " levels";
    }
  }
}

TEST(RangeSearch, MoreCodesKeepMore) {
  Histogram histogram = histogramOf(bell(50'000, 0, 1, 200, 5));
  double whole = minMaxRange(histogram).high;
  EXPECT_LT(mseRange(histogram, 256).high, mseRange(histogram, 65536).high);
  EXPECT_LT(klRange(histogram, 256).high, whole);
  EXPECT_EQ(klRange(histogram, 65536).high, whole);
}

TEST(RangeSearch, NothingAndConstants) {
  for (std::vector<float> values :
       {std::vector<float>{}, std::vector<float>{0, 0}, {3, 3}, {-2, -2}}) {
    Histogram histogram = histogramOf(values);
    for (Interval range :
         {minMaxRange(histogram), percentileRange(histogram, 0.999),
          mseRange(histogram, 256), klRange(histogram, 256)}) {
      EXPECT_LE(range.low, 0);
      EXPECT_GE(range.high, 0);
      EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
    }
    EXPECT_EQ(mseRange(histogram, 256).high, minMaxRange(histogram).high);
  }
}

} // namespace
