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

/// Both sums in one pass, by blocks as in laneSum.
PARALLAX_SIMD void deviationSums(const float *x, int64_t count, float pivot,
                                 DeviationSums &total) {
  constexpr int64_t lanes = 8, packs = 4, block = 1024;
  int64_t i = 0;
  while (count - i >= lanes) {
    FloatPack sums[packs] = {}, squares[packs] = {};
    auto add = [&](int64_t pack, int64_t at) PARALLAX_INLINE_LAMBDA {
      FloatPack d;
      loadPack(d, x + at);
      d -= pivot;
      sums[pack] += d;
      squares[pack] += d * d;
    };
    int64_t end = i + std::min(block, (count - i) / lanes * lanes);
    for (; i + packs * lanes <= end; i += packs * lanes)
      for (int64_t pack = 0; pack < packs; ++pack)
        add(pack, i + pack * lanes);
    for (; i < end; i += lanes)
      add(0, i);
    total.sum += sumOfPack((sums[0] + sums[1]) + (sums[2] + sums[3]));
    total.squares +=
        sumOfPack((squares[0] + squares[1]) + (squares[2] + squares[3]));
  }
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
