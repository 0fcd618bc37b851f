//===- BitEvidence.h - How differing bits are classified -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts of all samples say that codes differ and by how much. Why they do is
// read off the codes of one sample, and off the exact results of some of its
// elements.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_BITEVIDENCE_H
#define PARALLAX_ANALYSIS_BITEVIDENCE_H

#include "parallax/Analysis/BitDifference.h"
#include "parallax/Support/AffineParams.h"
#include "parallax/Support/Tensor.h"

#include <algorithm>

namespace parallax {

/// How many elements differ in all samples, and how far.
struct BitCounts {
  int64_t elements = 0, differing = 0;
  /// Of machine - reference.
  int64_t low = 0, high = 0;
  /// Differing elements of which the reference is at an end of the codes.
  int64_t atEnds = 0;
  /// The first that differs; -1 if there is none.
  int64_t firstSample = -1;

  /// One sample of integers of equal type and shape; the number of elements is
  /// up to the caller.
  void add(const Tensor &reference, const Tensor &machine,
           const AffineParams &codes, int64_t sample);
  /// The samples that follow.
  void merge(const BitCounts &next);

  int64_t maxCodes() const { return std::max(-low, high); }
  double part() const {
    return elements > 0 ? double(differing) / double(elements) : 0;
  }
};

/// How the NPU computes a result.
enum class LayerArithmetic {
  /// Rounded once from what is exact but for multipliers.
  Exact,
  /// A table with an entry for every code.
  DirectTable,
  /// A table with lines between its entries.
  Interpolation,
  /// An algorithm of its own, or several roundings.
  Approximation,
};

/// A differing element, in units of codes.
struct ExactResult {
  int64_t index = 0;
  /// NaN if no number is right.
  double value = 0;
  /// How far multipliers can move the NPU away from it, and floats the
  /// reference.
  double machineBound = 0, referenceBound = 0;
  /// Whether the reference had a finite number before it was rounded.
  bool isReferenceFinite = true;
};

/// The codes of one layer on one sample.
struct BitEvidence {
  std::vector<int64_t> reference, machine;
  AffineParams codes;
  LayerArithmetic arithmetic = LayerArithmetic::Exact;
  /// How far a correct NPU may be from the exact result, beside what
  /// multipliers do: half a code where it rounds once.
  double tolerance = 0.5;
  std::vector<ExactResult> results;
};

DifferenceClass classify(const BitEvidence &evidence);

/// What counts alone tell about a layer.
struct CountedLayer {
  BitCounts counts;
  LayerArithmetic arithmetic = LayerArithmetic::Exact;
  double tolerance = 0.5;
  /// Whether codes have 16 bits.
  bool isWide = false;
};

/// Whether there are more differences, or larger ones, than the arithmetic of
/// the layer explains: then its codes have to be examined.
bool isSuspect(const CountedLayer &layer);

/// The class of a layer that needs no closer look.
DifferenceClass usualClassOf(LayerArithmetic arithmetic);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_BITEVIDENCE_H
