//===- RangeSearch.h - The range that a tensor is quantized to -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A narrower range has finer steps, but cuts off what lies outside. The methods
// differ in what they weigh against what. Every range contains 0.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_RANGESEARCH_H
#define PARALLAX_ANALYSIS_RANGESEARCH_H

#include "parallax/Analysis/Histogram.h"

namespace parallax {

struct Interval {
  double low = 0, high = 0;

  bool operator==(const Interval &) const = default;
};

/// All values.
Interval minMaxRange(const Histogram &histogram);

/// All but a fraction of 1 - `percentile` of the values at either end, to the
/// nearest bin outwards.
Interval percentileRange(const Histogram &histogram, double percentile);

/// The range with the least mean squared error of `levels` codes, among 100
/// ranges from a hundredth of the whole to all of it.
Interval mseRange(const Histogram &histogram, int64_t levels);

/// The same for the least relative entropy between the distribution and what
/// `levels` codes leave of it. With at least as many codes as bins nothing is
/// lost, and the range is that of all values.
Interval klRange(const Histogram &histogram, int64_t levels);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_RANGESEARCH_H
