//===- QuantParams.h - Scales and zero points from ranges ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How activations and weights become codes. Activations are affine, one scale
// per tensor; weights are symmetric, one scale per output channel.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_QUANTPARAMS_H
#define PARALLAX_ANALYSIS_QUANTPARAMS_H

#include "parallax/Analysis/RangeSearch.h"
#include "parallax/Config/Enums.h"
#include "parallax/Support/AffineParams.h"
#include "parallax/Support/Tensor.h"

#include <vector>

namespace parallax {

/// True for U8, S8, U16 and S16: the types that codes have.
bool isCodeType(DataType type);
/// 8 or 16.
int bitsOf(DataType type);

/// The parameters with which codes of `type` cover a range. The range is
/// widened to include 0, which always has a code of its own. Every code stands
/// for a finite float, whatever the range.
AffineParams affineParams(Interval range, DataType type);

/// Weights as codes; `scales` has one entry per channel.
struct WeightCodes {
  Tensor codes; ///< I8 or I16.
  std::vector<float> scales;
  /// The sum of squared differences that rounding has made.
  double squaredError = 0;
};

struct WeightOptions {
  /// S8 or S16. The most negative code is not used, so that a negated weight
  /// is always a weight.
  DataType type = DataType::S8;
  /// A range narrower than that of the weights is taken if it lowers the mean
  /// squared error by more than this part of the mean square; negative keeps
  /// the whole range.
  double refineThreshold = 1e-6;
  /// Lower bounds of the scales, for channels whose bias would overflow
  /// otherwise; empty for none.
  std::vector<float> minScales;
};

/// Quantizes along dimension `axis`, each entry of which is a channel. The
/// result does not depend on the number of threads.
WeightCodes quantizeWeights(const Tensor &weights, int64_t axis,
                            const WeightOptions &options);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_QUANTPARAMS_H
