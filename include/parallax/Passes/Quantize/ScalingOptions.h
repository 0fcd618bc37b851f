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

/// What the changes are measured on. Memory does not grow with the number of
/// samples: a few hundred rows of a tensor are kept.
struct MeasuredSamples : Samples {
  int threads = 1;
  /// Not more samples than these are run, evenly spread.
  size_t limit = 8;
};

struct ScalingOptions {
  MeasuredSamples samples;
  /// See WeightOptions.
  double refineWeightThreshold = 1e-6;
};

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_SCALINGOPTIONS_H
