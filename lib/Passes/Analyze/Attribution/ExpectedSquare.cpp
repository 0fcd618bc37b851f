//===- ExpectedSquare.cpp - What a random vector says of an error ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sums are in double precision, in lanes whose order is always the same.
//===----------------------------------------------------------------------===//
#include "SecantKernels.h"

#include "parallax/Support/Simd.h"

namespace parallax::analyze {
namespace {

/// Adds products to the sums of the `block` channels that are neighbours, and
/// returns the sum of their squares.
template <size_t block>
inline __attribute__((always_inline)) double
addBlocks(const float *a, const float *b, size_t count, double *sums) {
  double own[block] = {}, squares[block] = {}, square = 0;
  for (size_t i = 0; i < count; ++i, a += block, b += block)
    for (size_t lane = 0; lane < block; ++lane) {
      float product = a[lane] * b[lane];
      double value = isNumber(product) ? product : 0;
      own[lane] += value;
      squares[lane] += value * value;
    }
  for (size_t lane = 0; lane < block; ++lane) {
    sums[lane] += own[lane];
    square += squares[lane];
  }
  return square;
}

PARALLAX_SIMD double addBlocks8(const float *a, const float *b, size_t count,
                                double *sums) {
  return addBlocks<8>(a, b, count, sums);
}

PARALLAX_SIMD double addBlocks16(const float *a, const float *b, size_t count,
                                 double *sums) {
  return addBlocks<16>(a, b, count, sums);
}

/// The same for channels that are not in blocks: a channel's elements are
/// neighbours.
PARALLAX_SIMD double addChannel(const float *a, const float *b, size_t count,
                                double *sum, size_t block) {
  double lanes[8] = {}, square = 0;
  size_t whole = block == 1 ? count / 8 : 0;
  square += addBlocks<8>(a, b, whole, lanes);
  for (double lane : lanes)
    sum[0] += lane;
  for (size_t i = 8 * whole; i < count; ++i) {
    float product = a[i] * b[i];
    double value = isNumber(product) ? product : 0;
    sum[i % block] += value;
    square += value * value;
  }
  return square;
}

} // namespace

double expectedSquare(Values probe, Values error, const ChannelBlocks &layout) {
  auto inner = size_t(layout.inner), block = size_t(layout.block);
  std::vector<double> sums(size_t(layout.blocks) * block);
  double apart = 0, together = 0;
  size_t at = 0;
  for (int64_t part = 0; part < layout.outer * layout.blocks; ++part) {
    double *sum = sums.data() + size_t(part % layout.blocks) * block;
    const float *a = probe.data() + at, *b = error.data() + at;
    if (block == 8)
      apart += addBlocks8(a, b, inner, sum);
    else if (block == 16)
      apart += addBlocks16(a, b, inner, sum);
    else
      apart += addChannel(a, b, inner * block, sum, block);
    at += inner * block;
  }
  for (double sum : sums)
    together += sum * sum;
  return (apart + together) / 2;
}

} // namespace parallax::analyze
