//===- Examine.h - A second look at layers that differ ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts do not say why codes differ. The few layers that are worth it run once
// more, on one sample in which they differ, and their codes are looked at.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_BITS_EXAMINE_H
#define PARALLAX_LIB_PASSES_ANALYZE_BITS_EXAMINE_H

#include "../Sweep/Combine.h"

#include "parallax/Analysis/BitEvidence.h"
#include "parallax/Support/Samples.h"

namespace parallax::analyze {

struct ExaminedLayer {
  /// The result on both engines, in the combined function.
  Value reference, machine;
  /// None for integers and truth values that are not codes.
  std::optional<AffineParams> codes;
  BitCounts counts;
  bool isFirst = false;

  // What comes out.
  DifferenceClass difference = DifferenceClass::RoundingTie;
  std::vector<DifferenceExample> examples = {};
  /// Whether the engines got other codes, so that nothing can be said of it.
  bool hasOtherOperands = false;
};

struct ExamineOptions {
  /// How many of the first layers on their branches, and of those with most
  /// differences, are looked at beside suspects.
  size_t worst = 8;
  int multiplierBits = 31;
};

/// Gives each layer its class, and those that it looks at examples. The layers
/// are of a combination whose function still exists.
void examine(const Combination &combination,
             MutableArrayRef<ExaminedLayer> layers, const Samples &samples,
             const ExamineOptions &options);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_BITS_EXAMINE_H
