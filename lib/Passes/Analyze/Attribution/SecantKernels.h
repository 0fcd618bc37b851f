//===- SecantKernels.h - Kernels of secants --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A secant is the linear function through two points at which a layer is known:
// the tensors of the float network, and those of the quantized one. What is
// here are transposes of secants: from what each result is worth to what each
// operand is worth. No kernel makes a NaN or an infinity out of one.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_SECANTKERNELS_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_SECANTKERNELS_H

#include "parallax/Support/AffineParams.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace parallax::analyze {

/// False for NaN and infinities; the compiler vectorizes it.
inline bool isNumber(float value) { return value - value == 0; }

using Values = std::span<const float>;
using Results = std::span<float>;

/// (y2 - y1) / (x2 - x1); 0 where the points are one. A run that is far shorter
/// than usual counts as longer: what a step or a rounded float makes of it is
/// no slope.
void slope(Values x2, Values x1, Values y2, Values y1, Results result);
/// A small step from f in the direction of q: an eighth of the typical error of
/// all elements, and enough to be seen in the slope of a float.
void nearby(Values q, Values f, Results result);
/// Half way between two points.
void midpoint(Values a, Values b, Results result);
/// The nearest value that codes have.
void rounded(Values f, const AffineParams &codes, Results result);
/// a - b, and 0 where that is not a number.
void difference(Values a, Values b, Results result);
/// a + factor * b.
void addMultiple(Values a, float factor, Values b, Results result);
/// The sum of products in double precision.
double innerProduct(Values a, Values b);
/// The sum of the sizes of products.
double sizeOfProducts(Values a, Values b);

/// 1 - the cosine of two vectors. `gradient` is such that its inner product
/// with q - f is that loss. NaN and a gradient of zeros if one of the vectors
/// has no direction.
double cosineLoss(Values q, Values f, Results gradient);

/// A random vector v: on average over many, the square of its inner product
/// with a small error of f is the loss that this error makes by itself. The
/// last bits of f don't choose it, so that another processor finds the same.
void probe(Values f, uint64_t seed, Results result);
/// The same where errors of elements are worth different amounts.
void weightedProbe(Values f, Values weights, uint64_t seed, Results result);

/// The sum of the squares of products of elements.
double squareOfProducts(Values a, Values b);
/// Numbers of one size and random signs.
void randomSigns(float size, uint64_t seed, Results result);

/// A tensor as [outer, channels / block, inner, block].
struct ChannelBlocks {
  int64_t outer = 1, blocks = 1, inner = 1, block = 1;
};
/// What the square of the inner product of a probe and an error is on average:
/// half way between errors of which no two elements have anything to do with
/// each other, and errors that are the same thing all over a channel.
double expectedSquare(Values probe, Values error, const ChannelBlocks &layout);

/// A tensor as [outer, extent, inner], to be walked along the extent.
struct AxisExtent {
  int64_t outer = 1, extent = 1, inner = 1;
};

/// Of softmax and its logarithm along an axis.
void softmaxBack(Values g, Values q, Values f, Results result,
                 const AxisExtent &axis, bool isLog);

struct NormKind {
  /// Whether the mean is subtracted first.
  bool centers = true;
  /// Whether squares are summed instead of averaged.
  bool sums = false;
  double epsilon = 0;
};
/// Of x / sqrt(mean of squares + epsilon) along an axis. Of two points the one
/// with larger squares, where the function is less steep, decides.
void normBack(Values g, Values q, Values f, Results result,
              const AxisExtent &axis, const NormKind &kind);

/// Which elements of an operand each element of a result is computed from. A
/// tensor is a number of planes that are all alike.
struct Windows {
  int64_t inputs = 0, outputs = 0; ///< Of one plane.
  /// Output o has the taps from begin[o] to begin[o + 1].
  std::vector<int64_t> begin = {0};
  std::vector<int32_t> taps;
  /// By output: the factor of all its taps.
  std::vector<float> weights;
};
/// Of weighted sums over windows.
void sumBack(Values g, Results result, const Windows &windows);
/// Of the largest value of each window, or of the smallest. If it is another
/// element in q than in f, the two share what the result is worth so that the
/// change of the result is explained exactly.
void extremeBack(Values g, Values q, Values f, Results result,
                 const Windows &windows, bool isMax);

/// Of moved elements: result i is element sources[i] of the operand; less than
/// 0 for what comes from elsewhere. Adds.
void moveBack(Values g, std::span<const int32_t> sources, Results result);

/// Of a weighted sum along an axis: output o has `taps` pairs of an index and a
/// weight.
struct AxisTaps {
  AxisExtent from; ///< With the extent of the operand.
  int64_t outputs = 1, taps = 1;
  std::span<const int32_t> index;
  std::span<const float> weight;
};
void alongAxisBack(Values g, Results result, const AxisTaps &axis);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_SECANTKERNELS_H
