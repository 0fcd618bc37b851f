//===- Correlation.h - How well numbers follow others ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pearson's coefficient, which of ranks is Spearman's.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_CORRELATION_H
#define PARALLAX_ANALYSIS_CORRELATION_H

#include <span>
#include <vector>

namespace parallax {

/// From 1 on; equal values share the mean of their ranks. No value may be NaN.
std::vector<double> ranksOf(std::span<const double> values);

/// Between -1 and 1; 0 if one side does not vary.
double correlationOf(std::span<const double> a, std::span<const double> b);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_CORRELATION_H
