//===- Moments.cpp - Mean and variance of contiguous runs -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The vector loops below every normalization kernel, compiled once.
//===----------------------------------------------------------------------===//
#include "Moments.h"

#include "parallax/Support/Simd.h"

namespace parallax::kernels {
namespace {

PARALLAX_SIMD double plainSum(const float *x, int64_t count) {
  return laneSum(x, count, PlainValue());
}

PARALLAX_SIMD double squareSum(const float *x, int64_t count) {
  return laneSum(x, count, SquareValue());
}

/// Both sums in one pass.
PARALLAX_SIMD void deviationSums(const float *x, int64_t count, float pivot,
                                 DeviationSums &total) {
  struct BothSums {
    PackSums plain, squares;
  };
  auto add = [&](BothSums &sums, int64_t pack, const float *from)
                 PARALLAX_INLINE_LAMBDA {
                   FloatPack d;
                   loadPack(d, from);
                   d -= pivot;
                   sums.plain.sums[pack] += d;
                   sums.squares.sums[pack] += d * d;
                 };
  auto finish = [&](const BothSums &sums) PARALLAX_INLINE_LAMBDA {
    total.sum += sums.plain.total();
    total.squares += sums.squares.total();
  };
  int64_t i = sumByBlocks<BothSums, 1024>(x, count, add, finish);
  for (; i < count; ++i) {
    double d = double(x[i]) - double(pivot);
    total.sum += d;
    total.squares += d * d;
  }
}

PARALLAX_SIMD void affineRun(const float *x, float *y, int64_t count, Mean mean,
                             float mul, float add) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = mean.deviation(x[i]) * mul + add;
}

PARALLAX_SIMD void scaledRun(const float *x, float *y, int64_t count, Mean mean,
                             float inv, const float *scale, const float *bias) {
  if (bias)
    for (int64_t i = 0; i < count; ++i)
      y[i] = mean.deviation(x[i]) * inv * scale[i] + bias[i];
  else
    for (int64_t i = 0; i < count; ++i)
      y[i] = mean.deviation(x[i]) * inv * scale[i];
}

} // namespace

double sumOf(const float *x, int64_t count) { return plainSum(x, count); }

double sumOfSquares(const float *x, int64_t count) {
  return squareSum(x, count);
}

DeviationSums deviationsOf(const float *x, int64_t count, float pivot) {
  DeviationSums sums;
  deviationSums(x, count, pivot, sums);
  return sums;
}

Moments momentsOf(const float *x, int64_t count) {
  float pivot = float(plainSum(x, count) / double(count));
  return Moments(pivot, deviationsOf(x, count, pivot), count);
}

void normalizeRun(const float *x, float *y, int64_t count, Mean mean, float mul,
                  float add) {
  affineRun(x, y, count, mean, mul, add);
}

void normalizeRun(const float *x, float *y, int64_t count, Mean mean, float inv,
                  const float *scale, const float *bias) {
  scaledRun(x, y, count, mean, inv, scale, bias);
}

} // namespace parallax::kernels
