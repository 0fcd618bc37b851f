//===- RangeSearch.cpp - The range that a tensor is quantized to ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All errors are computed from the histogram, a bin counting as its centre.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/RangeSearch.h"

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

Interval withZero(double low, double high) {
  return {std::min(low, 0.0), std::max(high, 0.0)};
}

/// The candidates of a search: the whole range, shrunk towards zero.
template <typename Cost>
Interval searchRange(const Histogram &histogram, Cost cost) {
  Interval whole = minMaxRange(histogram), best = whole;
  if (histogram.count() == 0 || whole.high == whole.low)
    return whole;
  constexpr int steps = 100;
  double least = cost(whole);
  // From wide to narrow: of equally good ranges, the widest.
  for (int step = steps - 1; step > 0; --step) {
    double factor = double(step) / steps;
    Interval range{whole.low * factor, whole.high * factor};
    if (double error = cost(range); error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

double centre(const Histogram &histogram, size_t bin) {
  return histogram.binStart(bin) + histogram.binWidth() / 2;
}

double squaredError(const Histogram &histogram, Interval range,
                    int64_t levels) {
  double step = (range.high - range.low) / double(levels - 1);
  double zeroPoint = std::round(-range.low / step);
  double sum = 0;
  std::span<const int64_t> counts = histogram.counts();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0)
      continue;
    double value = centre(histogram, i);
    double code = std::clamp(std::round(value / step) + zeroPoint, 0.0,
                             double(levels - 1));
    double error = (code - zeroPoint) * step - value;
    sum += double(counts[i]) * error * error;
  }
  return sum;
}

/// Sum of p log(p / q), where p is the distribution with everything outside
/// moved to the ends, and q has the same mass per code, spread evenly over
/// those bins of the code that are not empty. 0 always has a code of its own,
/// so its bin is left out: the many zeros after a Relu would otherwise
/// outweigh everything else.
double relativeEntropy(const Histogram &histogram, Interval range,
                       int64_t levels) {
  std::vector<int64_t> counts(histogram.counts().begin(),
                              histogram.counts().end());
  auto binOf = [&](double value) {
    double bin = (value - histogram.binStart(0)) / histogram.binWidth();
    return size_t(std::clamp(bin, 0.0, double(counts.size() - 1)));
  };
  double total = double(histogram.count());
  if (histogram.min() <= 0 && histogram.max() >= 0) {
    total -= double(counts[binOf(0)]);
    counts[binOf(0)] = 0;
  }
  size_t begin = binOf(range.low), end = binOf(range.high) + 1;
  auto bins = int64_t(end - begin);
  std::vector<double> p(size_t(bins), 0);
  for (size_t i = 0; i < counts.size(); ++i)
    p[std::clamp(i, begin, end - 1) - begin] += double(counts[i]);
  double entropy = 0;
  for (int64_t code = 0; code < levels; ++code) {
    auto from = size_t(code * bins / levels);
    auto to = size_t((code + 1) * bins / levels);
    double mass = 0, filled = 0;
    for (size_t i = from; i < to; ++i) {
      // What was cut off is in p, but no code stands for it.
      mass += double(counts[begin + i]);
      filled += counts[begin + i] > 0;
    }
    for (size_t i = from; i < to; ++i) {
      if (p[i] == 0)
        continue;
      double q = filled > 0 && counts[begin + i] > 0 ? mass / filled : 0;
      constexpr double nothing = 1e-9; // Of a value, so that logs are finite.
      entropy += p[i] / total * std::log(p[i] / std::max(q, nothing));
    }
  }
  return entropy;
}

} // namespace

Interval minMaxRange(const Histogram &histogram) {
  return withZero(histogram.min(), histogram.max());
}

Interval percentileRange(const Histogram &histogram, double percentile) {
  std::span<const int64_t> counts = histogram.counts();
  double allowed = (1 - percentile) * double(histogram.count());
  double low = histogram.min(), high = histogram.max();
  double below = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    below += double(counts[i]);
    if (below > allowed) {
      low = std::max(low, histogram.binStart(i));
      break;
    }
  }
  double above = 0;
  for (size_t i = counts.size(); i-- > 0;) {
    above += double(counts[i]);
    if (above > allowed) {
      high = std::min(high, histogram.binStart(i) + histogram.binWidth());
      break;
    }
  }
  return withZero(low, high);
}

Interval mseRange(const Histogram &histogram, int64_t levels) {
  return searchRange(histogram, [&](Interval range) {
    return squaredError(histogram, range, levels);
  });
}

Interval klRange(const Histogram &histogram, int64_t levels) {
  if (levels >= int64_t(histogram.counts().size()))
    return minMaxRange(histogram);
  return searchRange(histogram, [&](Interval range) {
    return relativeEntropy(histogram, range, levels);
  });
}

} // namespace parallax
