//===- KlSearchTest.cpp - Ranges of least relative entropy ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A second implementation of the search, written from docs/calibration.md
// alone and on all values in memory, must choose the same range.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/RangeSearch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace parallax;

namespace {

using Values = std::vector<float>;

/// How many values lie in a bin, by the number of the bin.
using Bins = std::map<int64_t, double>;

/// Sum of p log(p / q).
double relativeEntropy(const Bins &all, double width, Interval range,
                       int64_t levels) {
  auto binOf = [&](double value) {
    return std::clamp(int64_t(std::floor(value / width)), all.begin()->first,
                      all.rbegin()->first);
  };
  int64_t first = binOf(range.low), last = binOf(range.high);
  // The code whose part of the bins begins last, at or before this one.
  auto codeOf = [&](int64_t bin) {
    double parts = double(levels) / double(last - first + 1);
    return std::ceil(double(bin - first + 1) * parts) - 1;
  };
  Bins p;
  std::map<double, std::vector<double>> binsOfCode;
  double total = 0;
  for (auto [bin, count] : all) {
    p[std::clamp(bin, first, last)] += count;
    total += count;
    if (bin >= first && bin <= last && count > 0)
      binsOfCode[codeOf(bin)].push_back(count);
  }
  double entropy = 0;
  for (auto [bin, count] : p) {
    if (count == 0)
      continue;
    double q = 1e-9;
    if (auto own = all.find(bin); own != all.end() && own->second > 0) {
      const std::vector<double> &bins = binsOfCode[codeOf(bin)];
      q = std::accumulate(bins.begin(), bins.end(), 0.0) / double(bins.size());
    }
    entropy += count / total * std::log(count / q);
  }
  return entropy;
}

Interval search(const Values &values, double width, int64_t levels) {
  Bins bins;
  Interval whole;
  for (float value : values) {
    bins[int64_t(std::floor(double(value) / width))] += 1;
    whole.low = std::min(whole.low, double(value));
    whole.high = std::max(whole.high, double(value));
  }
  int64_t extent = bins.rbegin()->first - bins.begin()->first + 1;
  // Zeros are exact. An empty bin keeps its place at the ends.
  if (auto zero = bins.find(0); zero != bins.end())
    zero->second = 0;
  if (levels >= extent)
    return whole;
  Interval best = whole;
  double least = INFINITY;
  for (int percent = 100; percent > 0; --percent) {
    double share = percent / 100.0;
    Interval range{whole.low * share, whole.high * share};
    double entropy = relativeEntropy(bins, width, range, levels);
    if (entropy < least) {
      least = entropy;
      best = range;
    }
  }
  return best;
}

template <typename Draw> Values valuesOf(Draw &&draw, size_t count = 30'000) {
  std::mt19937 engine(11);
  Values values(count);
  for (float &value : values)
    value = float(draw(engine));
  return values;
}

std::map<std::string, Values> distributions() {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(2.5);
  auto bell = [&](auto &engine) { return normal(engine); };
  return {
      {"bell", valuesOf(bell)},
      {"shifted", valuesOf([&](auto &engine) { return 3 + normal(engine); })},
      {"negative", valuesOf([&](auto &engine) { return -9 - normal(engine); })},
      {"rectified",
       valuesOf([&](auto &engine) { return std::max(normal(engine), 0.0); })},
      {"heavy tails", valuesOf([&](auto &engine) { return heavy(engine); })},
      {"rectified heavy tails",
       valuesOf([&](auto &engine) { return std::max(heavy(engine), 0.0); })},
      {"two peaks", valuesOf([&](auto &engine) {
         return normal(engine) / 8 + (engine() % 4 == 0 ? 20 : -1);
       })},
      {"constant", Values(1000, 3.25f)},
      {"zeros", Values(1000, 0)},
      {"few values", valuesOf([](auto &engine) {
         return std::array{-1.0, 0.0, 0.5, 6.0}[engine() % 4];
       })},
  };
}

TEST(KlSearch, AgreesWithAllValuesInMemory) {
  std::set<std::string> narrowed;
  for (const auto &[name, values] : distributions())
    for (int64_t bins : {512, 2048, 8192})
      for (int64_t levels : {256, 65536}) {
        SCOPED_TRACE(name + ", " + std::to_string(bins) + " bins, " +
                     std::to_string(levels) + " codes");
        Histogram histogram(bins);
        histogram.add(values);
        Interval range = klRange(histogram, levels);
        Interval expected = search(values, histogram.binWidth(), levels);
        EXPECT_NEAR(range.low, expected.low, histogram.binWidth());
        EXPECT_NEAR(range.high, expected.high, histogram.binWidth());
        if (range.high < minMaxRange(histogram).high)
          narrowed.insert(name);
      }
  // Otherwise the test would say nothing about the search.
  EXPECT_TRUE(narrowed.contains("heavy tails"));
  EXPECT_TRUE(narrowed.contains("rectified heavy tails"));
}

/// Half of the values are zeros, which must not drown the others.
TEST(KlSearch, KeepsMostOfARectifiedBell) {
  Values values = distributions().at("rectified");
  for (int64_t bins : {512, 2048, 8192}) {
    Histogram histogram(bins);
    histogram.add(values);
    EXPECT_GT(klRange(histogram, 256).high, 0.8 * histogram.max()) << bins;
  }
}

/// As many bins as 16-bit codes can't describe one by one.
TEST(KlSearch, AgreesWhereEvenLongCodesShareBins) {
  for (const auto &[name, values] : distributions()) {
    if (name.find("tails") == std::string::npos)
      continue;
    SCOPED_TRACE(name);
    Histogram histogram(1 << 18);
    histogram.add(values);
    ASSERT_GT(histogram.counts().size(), 65536u);
    Interval expected = search(values, histogram.binWidth(), 65536);
    Interval range = klRange(histogram, 65536);
    EXPECT_NEAR(range.low, expected.low, histogram.binWidth());
    EXPECT_NEAR(range.high, expected.high, histogram.binWidth());
  }
}

} // namespace
