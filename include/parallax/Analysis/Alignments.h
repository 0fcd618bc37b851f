//===- Alignments.h - What becomes of tensors that meet --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators such as Concat need one scale for all codes that meet in them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_ALIGNMENTS_H
#define PARALLAX_ANALYSIS_ALIGNMENTS_H

#include <string>

namespace parallax {

enum class Alignment {
  /// The tensor has the common scale from the start.
  Shared,
  /// It has its own, and is rounded to the common one for the operator.
  Requantized,
  /// It has its own, and the operator gets floats.
  Float
};

/// What was decided for one tensor that meets others in a layer.
struct AlignmentChoice {
  std::string layer, tensor;
  Alignment decision = Alignment::Shared;
  float ownScale = 0, sharedScale = 0;
  std::string reason;
  /// Of the codes.
  int bits = 8;
  /// What became of 16 bits where 8 leave too few steps; empty elsewhere.
  std::string wideCodes = {};

  /// How many steps of the common scale cover what all of its own do.
  double stepsLeft() const {
    double steps = double((1 << bits) - 1);
    return sharedScale > 0 ? steps * double(ownScale) / double(sharedScale)
                           : steps;
  }
};

/// With fewer steps than this, a tensor is as good as constant.
inline constexpr double fewestSteps = 8;

} // namespace parallax

#endif // PARALLAX_ANALYSIS_ALIGNMENTS_H
