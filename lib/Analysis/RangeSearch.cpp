//===- RangeSearch.cpp - The range that a tensor is quantized to ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All errors are computed from the histogram, a bin counting as its centre.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/RangeSearch.h"
#include "parallax/Support/Simd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace parallax {
namespace {

Interval withZero(double low, double high) {
  return {std::min(low, 0.0), std::max(high, 0.0)};
}

/// The candidates of a search: the whole range, shrunk towards zero. `cost` is
/// told what it has to be below, and need not be exact beyond.
template <typename Cost>
Interval searchRange(const Histogram &histogram, Cost cost) {
  Interval whole = minMaxRange(histogram), best = whole;
  if (histogram.count() == 0 || whole.high == whole.low)
    return whole;
  constexpr int steps = 100;
  double least = cost(whole, std::numeric_limits<double>::infinity());
  // From wide to narrow: of equally good ranges, the widest.
  for (int step = steps - 1; step > 0; --step) {
    double factor = double(step) / steps;
    Interval range{whole.low * factor, whole.high * factor};
    if (double error = cost(range, least); error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

/// The bins of a histogram that hold something: their middles and counts.
struct FilledBins {
  std::vector<double> centres, counts;

  explicit FilledBins(const Histogram &histogram) {
    std::span<const int64_t> all = histogram.counts();
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0) {
        centres.push_back(histogram.binStart(i) + histogram.binWidth() / 2);
        counts.push_back(double(all[i]));
      }
  }
};

/// What each bin adds to the squared error. Halves are rounded away from zero,
/// as std::round() does, in a form that vectors have: the greatest number below
/// a half carries what is a half or more, and nothing else.
PARALLAX_SIMD void squaredErrors(const double *centres, const double *counts,
                                 size_t bins, double step, double zeroPoint,
                                 double last, double *errors) {
  constexpr double half = 0x1.fffffffffffffp-2;
  for (size_t i = 0; i < bins; ++i) {
    double value = centres[i], steps = value / step;
    double code = __builtin_trunc(steps + __builtin_copysign(half, steps));
    code += zeroPoint;
    code = code < 0 ? 0 : code;
    code = code > last ? last : code;
    double error = (code - zeroPoint) * step;
    error -= value;
    errors[i] = counts[i] * error * error;
  }
}

/// It stops where it has passed `limit`: sums of squares never fall.
double squaredError(const FilledBins &bins, Interval range, int64_t levels,
                    double limit) {
  constexpr size_t block = 128;
  double step = (range.high - range.low) / double(levels - 1);
  double zeroPoint = std::round(-range.low / step);
  double sum = 0, errors[block];
  for (size_t begin = 0; begin < bins.counts.size() && !(sum >= limit);
       begin += block) {
    size_t count = std::min(block, bins.counts.size() - begin);
    squaredErrors(bins.centres.data() + begin, bins.counts.data() + begin,
                  count, step, zeroPoint, double(levels - 1), errors);
    for (size_t i = 0; i < count; ++i)
      sum += errors[i];
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
  const FilledBins bins(histogram);
  return searchRange(histogram, [&](Interval range, double limit) {
    return squaredError(bins, range, levels, limit);
  });
}

Interval klRange(const Histogram &histogram, int64_t levels) {
  if (levels >= int64_t(histogram.counts().size()))
    return minMaxRange(histogram);
  return searchRange(histogram, [&](Interval range, double) {
    return relativeEntropy(histogram, range, levels);
  });
}

} // namespace parallax
