//===- PairColumns.h - Sums over columns of pairs --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of comparing tensors. A column is what the lanes of a vector
// see while rows go by: a part of one channel, or a channel of its own.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_ANALYSIS_PAIRCOLUMNS_H
#define PARALLAX_LIB_ANALYSIS_PAIRCOLUMNS_H

#include "parallax/Analysis/TensorComparison.h"

#include <cmath>

namespace parallax {

inline constexpr int64_t lanes = 8;

/// Some rows of at most `lanes` columns.
struct PairTile {
  const float *a, *b;
  int64_t rows = 1, stride = lanes;
  /// The columns that count.
  int64_t first = 0, last = lanes;
};

/// What one column, or all of them, adds up to.
struct ColumnSum {
  PairSums sums;
  ChannelExtent extent;
  float maxAbs;

  /// The difference of floats is a float here, so it may also be infinite.
  bool isFinite() const {
    return std::isfinite(sums.squareA + sums.squareB + sums.squareError);
  }
};

/// What each of some columns adds up to.
struct PairColumns {
  double dot[lanes] = {}, squareA[lanes] = {}, squareB[lanes] = {};
  double squareError[lanes] = {}, sumA[lanes] = {}, sumB[lanes] = {};
  float minA[lanes], maxA[lanes], minB[lanes], maxB[lanes];
  float maxAbs[lanes] = {};

  PairColumns() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < lanes; ++i) {
      minA[i] = minB[i] = infinity;
      maxA[i] = maxB[i] = -infinity;
    }
  }

  /// Adds the rows of all columns, whether they count or not; with what only
  /// summaries need.
  void add(const PairTile &tile, bool summarizes);
  /// The same on any processor, with the same bits.
  void addPortably(const PairTile &tile, bool summarizes);

  ColumnSum column(int64_t i) const {
    return {{dot[i], squareA[i], squareB[i], squareError[i], sumA[i], sumB[i]},
            {minA[i], maxA[i], minB[i], maxB[i]},
            maxAbs[i]};
  }
  /// What all columns add up to.
  ColumnSum fold() const;
};

/// Counts the values of the reference beyond `low` and `high`.
int64_t countBeyond(const PairTile &tile, float low, float high);

} // namespace parallax

#endif // PARALLAX_LIB_ANALYSIS_PAIRCOLUMNS_H
