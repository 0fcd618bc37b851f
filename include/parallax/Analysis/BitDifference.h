//===- BitDifference.h - Where NPU and reference differ --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Both engines get the same codes, so a layer whose codes differ computes
// differently. The class of a difference tells a harmless tie of rounding from
// a broken kernel.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_BITDIFFERENCE_H
#define PARALLAX_ANALYSIS_BITDIFFERENCE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

enum class DifferenceClass {
  /// One code apart, where the exact result lies so close to the middle between
  /// two codes that the multiplier of the NPU, or the floats of the
  /// reference, decide.
  RoundingTie,
  /// One side is at the end of its codes, and the other is not.
  Saturation,
  /// A table with interpolation between its entries, within its bound.
  TableInterpolation,
  /// All differing elements are apart by one number, or in one proportion.
  ScaleOrZeroPoint,
  /// A sum went wrong: overflow, wrong multipliers of channels.
  Accumulator,
  /// The NPU has the exact result, the floats of the reference do not.
  ReferenceSum,
  /// The floats of the reference are NaN or infinite, and the NPU has the exact
  /// result, or there is none.
  ReferenceNotFinite,
  /// An integer algorithm that approximates a function, within its bound.
  Approximation,
  /// The NPU is within one code of the exact result, but has not taken the
  /// nearest.
  Rounding,
  /// A table gives something else than its function.
  TableEntries,
  /// The same values in another order.
  Layout,
};

std::string_view nameOf(DifferenceClass difference);

/// Whether the NPU breaks its specification.
bool isFault(DifferenceClass difference);

/// Whether the reference does not compute what it should, and the NPU does.
bool isFaultOfReference(DifferenceClass difference);

/// One element that differs.
struct DifferenceExample {
  int64_t sample = 0;
  /// Coordinates in the tensor.
  std::vector<int64_t> index;
  int64_t reference = 0, machine = 0;
  /// The result in units of codes before it was rounded, in exact arithmetic.
  double exact = 0;
  /// The operands that produced it, in words: "x = 12 13 255 …, w = …, sum =".
  std::string operands;
};

struct BitDifference {
  std::string node, tensor, type;
  /// Of all samples.
  int64_t elements = 0, differing = 0;
  /// The largest difference in codes.
  int64_t maxCodes = 0;
  DifferenceClass difference = DifferenceClass::RoundingTie;
  /// Whether this is the first such layer on its branch, end to end: all its
  /// inputs have the same bits on both engines.
  bool isFirst = false;
  std::vector<DifferenceExample> examples;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_BITDIFFERENCE_H
