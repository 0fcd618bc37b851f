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
#include <utility>
#include <vector>

namespace parallax {
namespace {

Interval withZero(double low, double high) {
  return {std::min(low, 0.0), std::max(high, 0.0)};
}

/// Whether there is nothing to choose from.
bool isPoint(const Histogram &histogram) {
  Interval whole = minMaxRange(histogram);
  return histogram.count() == 0 || whole.high == whole.low;
}

/// The candidates of a search: the whole range, shrunk towards zero, from wide
/// to narrow. Of equally good ranges, the widest is taken.
template <typename Fn> void forEachCandidate(Interval whole, Fn fn) {
  constexpr int steps = 100;
  fn(whole);
  for (int step = steps - 1; step > 0; --step) {
    double factor = double(step) / steps;
    fn(Interval{whole.low * factor, whole.high * factor});
  }
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
class RelativeEntropy {
public:
  RelativeEntropy(const Histogram &histogram, int64_t levels)
      : histogram(histogram), levels(levels),
        counts(histogram.counts().begin(), histogram.counts().end()),
        total(double(histogram.count())) {
    if (histogram.min() <= 0 && histogram.max() >= 0) {
      total -= double(counts[binOf(0)]);
      counts[binOf(0)] = 0;
    }
    before.resize(counts.size() + 1);
    for (size_t i = 0; i < counts.size(); ++i) {
      auto count = double(counts[i]);
      before[i + 1] = {before[i].mass + count, before[i].filled + (count > 0),
                       before[i].own + timesLog(count, count)};
    }
  }

  /// In one logarithm per code, so with other roundings than exactly().
  double roughly(Interval range) const {
    auto [begin, end] = binsOf(range);
    if (end - begin < 2)
      return exactly(range);
    // What is cut off comes to the first bin and the last.
    const std::pair<size_t, double> cuts[] = {
        {begin, before[begin].mass},
        {end - 1, before.back().mass - before[end].mass}};
    double sum = between(begin, end).own;
    forEachCode(begin, end, [&](size_t from, size_t to) {
      Sums code = between(from, to);
      if (code.filled == 0)
        return;
      double q = code.mass / code.filled;
      sum -= timesLog(code.mass, q);
      for (auto [bin, cut] : cuts)
        if (bin >= from && bin < to && counts[bin] > 0 && cut > 0) {
          auto count = double(counts[bin]);
          sum += timesLog(count + cut, count + cut) - timesLog(count, count) -
                 timesLog(cut, q);
        }
    });
    // Where no code stands for it.
    for (auto [bin, cut] : cuts)
      if (counts[bin] == 0 && cut > 0)
        sum += timesLog(cut, cut / nothing);
    return sum / total;
  }

  double exactly(Interval range) const {
    auto [begin, end] = binsOf(range);
    std::vector<double> p(end - begin, 0);
    for (size_t i = 0; i < counts.size(); ++i)
      p[std::clamp(i, begin, end - 1) - begin] += double(counts[i]);
    double entropy = 0;
    forEachCode(begin, end, [&, begin = begin](size_t from, size_t to) {
      double mass = 0, filled = 0;
      for (size_t i = from; i < to; ++i) {
        // What was cut off is in p, but no code stands for it.
        mass += double(counts[i]);
        filled += counts[i] > 0;
      }
      for (size_t i = from; i < to; ++i) {
        double part = p[i - begin];
        if (part == 0)
          continue;
        double q = filled > 0 && counts[i] > 0 ? mass / filled : 0;
        entropy += part / total * std::log(part / std::max(q, nothing));
      }
    });
    return entropy;
  }

private:
  /// Of a value, so that logarithms are finite.
  static constexpr double nothing = 1e-9;

  struct Sums {
    /// `own` is the sum of n log(n).
    double mass = 0, filled = 0, own = 0;
  };

  static double timesLog(double factor, double value) {
    return factor > 0 ? factor * std::log(value) : 0;
  }

  size_t binOf(double value) const {
    double bin = (value - histogram.binStart(0)) / histogram.binWidth();
    return size_t(std::clamp(bin, 0.0, double(counts.size() - 1)));
  }
  std::pair<size_t, size_t> binsOf(Interval range) const {
    return {binOf(range.low), binOf(range.high) + 1};
  }
  Sums between(size_t from, size_t to) const {
    const Sums &a = before[from], &b = before[to];
    return {b.mass - a.mass, b.filled - a.filled, b.own - a.own};
  }
  template <typename Fn>
  void forEachCode(size_t begin, size_t end, Fn fn) const {
    auto bins = int64_t(end - begin);
    for (int64_t code = 0; code < levels; ++code)
      fn(begin + size_t(code * bins / levels),
         begin + size_t((code + 1) * bins / levels));
  }

  const Histogram &histogram;
  int64_t levels;
  std::vector<int64_t> counts;
  double total;
  /// Of all bins before one.
  std::vector<Sums> before;
};

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
  Interval whole = minMaxRange(histogram), best = whole;
  if (isPoint(histogram))
    return whole;
  FilledBins bins(histogram);
  double least = std::numeric_limits<double>::infinity();
  forEachCandidate(whole, [&](Interval range) {
    if (double error = squaredError(bins, range, levels, least);
        error < least) {
      least = error;
      best = range;
    }
  });
  return best;
}

Interval klRange(const Histogram &histogram, int64_t levels) {
  Interval whole = minMaxRange(histogram), best = whole;
  if (levels >= int64_t(histogram.counts().size()) || isPoint(histogram))
    return whole;
  RelativeEntropy entropy(histogram, levels);
  std::vector<std::pair<double, Interval>> rough;
  double leastRough = std::numeric_limits<double>::infinity();
  forEachCandidate(whole, [&](Interval range) {
    rough.emplace_back(entropy.roughly(range), range);
    leastRough = std::min(leastRough, rough.back().first);
  });
  // Roundings decide among a few at most.
  constexpr double far = 1e-7;
  double least = std::numeric_limits<double>::infinity();
  for (auto [error, range] : rough)
    if (!(error > leastRough + far * (1 + std::abs(leastRough))))
      if (double exact = entropy.exactly(range); exact < least) {
        least = exact;
        best = range;
      }
  return best;
}

} // namespace parallax
