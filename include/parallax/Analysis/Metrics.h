//===- Metrics.h - How far two tensors are apart ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every element is compared, and nothing is masked: NaN and Inf are counted,
// and a value that is not a number on one side only makes the comparison fail
// whatever the other metrics say.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_METRICS_H
#define PARALLAX_ANALYSIS_METRICS_H

#include "parallax/Support/Tensor.h"

namespace parallax {

/// A pair is equal if |a - b| <= absolute + relative * |b|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// The distance of a tensor A from a reference B. No field is ever NaN.
struct Metrics {
  int64_t count = 0;
  /// Pairs in which both values are finite; the averages and the cosine are
  /// over these. The others are in the counts of NaN and Inf below.
  int64_t measured = 0;

  /// Infinite if an Inf meets any other number; so are the means and errors.
  double maxAbs = 0;
  double meanAbs = 0;
  double mse = 0;
  double rmse = 0;
  /// 1 if both sides are all zero, 0 if only one is. Also 0 if no pair could
  /// be measured although the sides differ.
  double cosine = 1;

  /// Flat indices of the first such pair; -1 if no pair differs.
  int64_t maxAbsIndex = -1;
  int64_t firstDifferingIndex = -1;
  /// Pairs outside the tolerance, the unordered ones included.
  int64_t differing = 0;

  int64_t nanA = 0, nanB = 0, infA = 0, infB = 0;
  /// Pairs with NaN on exactly one side. NaN on both sides is equal, as is
  /// infinity of the same sign.
  int64_t unordered = 0;

  /// The fraction of rows of the last axis whose largest element (the first
  /// NaN, if there is one) is at the same place; 1 if there are no rows.
  double argmaxAgreement = 1;

  /// The extent of B without its NaNs; 0, 0 if nothing is left.
  double minB = 0, maxB = 0;

  bool withinTolerance() const { return differing == 0; }
};

/// The cosine of the angle between two vectors, from their products: 1 if both
/// are zero, 0 if only one is, and exactly 1 if they are equal.
double cosineOf(double dot, double squareA, double squareB);

/// How many rows along the last axis that has more than one element there are,
/// and how many have their largest element (the first NaN, if there is one) at
/// the same place. One is clearly moved if b has at its place in a less than
/// its largest element, by more than 1/16 of the range of the row.
struct RowAgreement {
  int64_t rows = 0, agreeing = 0, clearlyMoved = 0;
};
RowAgreement agreementOfRows(const Tensor &a, const Tensor &b);

/// The greatest difference as a part of the extent of the reference: of its
/// range, or of its magnitude if it has a single value. A difference in the
/// last bits of the magnitude does not count, however small the range.
double errorOfRange(double maxAbs, double minB, double maxB);

/// Compares tensors of equal shape and any types; throws Error if the shapes
/// differ. The result does not depend on the number of threads.
Metrics measure(const Tensor &a, const Tensor &b, Tolerance tolerance = {});

} // namespace parallax

#endif // PARALLAX_ANALYSIS_METRICS_H
