//===- Moments.h - Mean and variance of contiguous runs --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The statistics that the normalizations share. A mean rounded to one float
// would shift every result when it is large against the deviation. So a first
// pass finds a pivot near the mean, and a second one sums deviations from it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_MOMENTS_H
#define PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_MOMENTS_H

#include "parallax/Backend/Kernels/KernelSupport.h"

namespace parallax::kernels {

/// A mean whose rounding error `low` takes up.
struct Mean {
  float high = 0, low = 0;

  PARALLAX_INLINE float deviation(float x) const { return (x - high) - low; }
};

/// Sums of x - pivot and of its square. With a pivot near the mean, both are
/// free of cancellation.
struct DeviationSums {
  double sum = 0, squares = 0;
};

struct Moments {
  Mean mean;
  double variance = 0;

  /// From the sums of `count` deviations from `pivot`.
  Moments(float pivot, DeviationSums sums, int64_t count) {
    double shift = sums.sum / double(count);
    mean = {pivot, float(shift)};
    variance = std::max(sums.squares / double(count) - shift * shift, 0.0);
  }
};

double sumOf(const float *x, int64_t count);
double sumOfSquares(const float *x, int64_t count);
DeviationSums deviationsOf(const float *x, int64_t count, float pivot);
Moments momentsOf(const float *x, int64_t count);

/// y = deviation * mul + add; in place if y is x.
void normalizeRun(const float *x, float *y, int64_t count, Mean mean, float mul,
                  float add);
/// y = deviation * inv * scale[i] + bias[i]; `bias` may be null.
void normalizeRun(const float *x, float *y, int64_t count, Mean mean, float inv,
                  const float *scale, const float *bias);

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_MOMENTS_H
