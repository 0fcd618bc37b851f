//===- ScalingOptions.h - How changes of a network are measured -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Scales can be moved between layers, and biases corrected, so that a network
// loses less when it is quantized. Each such change is measured on samples and
// only kept if it helps; this is what they have in common.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_SCALINGOPTIONS_H
#define PARALLAX_PASSES_QUANTIZE_SCALINGOPTIONS_H

#include "parallax/Support/Samples.h"

namespace parallax {

struct ScalingOptions {
  /// What the changes are measured on.
  Samples samples;
  int threads = 1;
  /// See WeightOptions.
  double refineWeightThreshold = 1e-6;
};

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_SCALINGOPTIONS_H
