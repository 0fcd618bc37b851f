//===- Correlation.cpp - How well numbers follow others -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Straight from the definitions.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parallax {

std::vector<double> ranksOf(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]])
      ++end;
    // Equal values share the mean of their ranks.
    for (size_t i = first; i < end; ++i)
      ranks[order[i]] = double(first + end + 1) / 2;
    first = end;
  }
  return ranks;
}

double correlationOf(std::span<const double> a, std::span<const double> b) {
  double n = double(a.size());
  double meanA = std::accumulate(a.begin(), a.end(), 0.0) / n;
  double meanB = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double product = 0, squareA = 0, squareB = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - meanA) * (b[i] - meanB);
    squareA += (a[i] - meanA) * (a[i] - meanA);
    squareB += (b[i] - meanB) * (b[i] - meanB);
  }
  // What does not vary has no order to follow.
  return squareA > 0 && squareB > 0 ? product / std::sqrt(squareA * squareB)
                                    : 0;
}

} // namespace parallax
