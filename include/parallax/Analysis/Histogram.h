//===- Histogram.h - How values are distributed ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts values in one pass, without knowing their range. The width of a bin is
// a power of two and bins start at its multiples, so that a wider range means
// merging pairs of bins, which is exact: the result is the same as if the range
// had been known from the start, whatever the order of the values.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_HISTOGRAM_H
#define PARALLAX_ANALYSIS_HISTOGRAM_H

#include "parallax/Analysis/Extremes.h"

#include <optional>
#include <vector>

namespace parallax {

class Histogram {
public:
  /// At most `bins` bins (at least 2); 0 keeps the extremes alone.
  explicit Histogram(int64_t bins = 0) : maxBins(bins) {}

  struct Form;
  Form form() const;
  /// Nothing if no histogram has that form.
  static std::optional<Histogram> restore(const Form &form);

  void add(std::span<const float> values) { add(values, extremesOf(values)); }
  /// The same, where the extremes are known already: those of the values, or
  /// of more that are all finite.
  void add(std::span<const float> values, const Extremes &extremes);
  /// The same for a number of finite values, where there are no bins.
  void addExtremes(int64_t count, const Extremes &extremes);
  /// Adds what another histogram of as many bins has counted.
  void merge(const Histogram &other);

  bool isWithoutBins() const { return maxBins == 0; }
  /// The number of finite values.
  int64_t count() const { return finite; }
  int64_t nanCount() const { return nans; }
  int64_t infCount() const { return infs; }
  /// Of the finite values; 0 if there are none.
  double min() const { return finite > 0 ? lowest : 0; }
  double max() const { return finite > 0 ? highest : 0; }

  double binWidth() const;
  /// Where bin `i` starts.
  double binStart(size_t i) const;
  std::span<const int64_t> counts() const { return bins; }

  /// All of it, for another process (Support/Bytes.h).
  template <typename Archive> void transfer(Archive &archive) {
    archive(maxBins, exponent, first, bins, finite, nans, infs, lowest,
            highest);
  }

private:
  /// Makes room for [low, high].
  void cover(double low, double high);
  void halve();
  void countFinite(std::span<const float> values, float scale);
  int64_t indexOf(double value) const;

  int64_t maxBins;
  /// The width is 2^exponent; bins[0] starts at first * width.
  int exponent = 0;
  int64_t first = 0;
  std::vector<int64_t> bins;
  int64_t finite = 0, nans = 0, infs = 0;
  float lowest = std::numeric_limits<float>::infinity();
  float highest = -std::numeric_limits<float>::infinity();
};

/// All of it as plain numbers, for files.
struct Histogram::Form {
  double min = 0, max = 0;
  int64_t nans = 0, infs = 0;
  double start = 0, width = 1;
  std::vector<int64_t> counts;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_HISTOGRAM_H
