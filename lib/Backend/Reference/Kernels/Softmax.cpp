//===- Softmax.cpp - Reference kernels: softmax and hardmax ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Along the innermost axis a row is reduced by lanes; along any other axis the
// columns beside each other are, so both forms vectorise.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/Kernels/VectorMath.h"
#include "parallax/Backend/Reference/Kernels/Normalize.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cmath>

namespace parallax::kernels {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();
constexpr int64_t columnBlock = 64;

/// y = exp(x - top).
PARALLAX_INLINE void expRow(const float *x, float *y, int64_t count,
                            float top) {
  PARALLAX_INDEPENDENT
  for (int64_t i = 0; i < count; ++i)
    y[i] = vm::exp(x[i] - top);
}

PARALLAX_INLINE double sumOfRow(const float *x, int64_t count) {
  return laneSum(x, count, PlainValue());
}

PARALLAX_SIMD void softmaxRow(const float *x, float *y, int64_t count) {
  expRow(x, y, count, laneMax(x, count));
  float inverse = float(1.0 / sumOfRow(y, count));
  for (int64_t i = 0; i < count; ++i)
    y[i] *= inverse;
}

/// In place, the exponentials of a piece at a time have to go elsewhere.
PARALLAX_SIMD void logSoftmaxRow(const float *x, float *y, int64_t count) {
  constexpr int64_t pieceLength = 2048;
  float exps[pieceLength], top = laneMax(x, count);
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += pieceLength) {
    int64_t length = std::min(pieceLength, count - begin);
    expRow(x + begin, exps, length, top);
    sum += sumOfRow(exps, length);
  }
  float shift = float(std::log(sum));
  PARALLAX_INDEPENDENT
  for (int64_t i = 0; i < count; ++i)
    y[i] = (x[i] - top) - shift;
}

/// The logarithm of a sum that is at least 1. What the sum loses when it
/// becomes a float is added again.
PARALLAX_INLINE float logOfSum(double sum) {
  float rounded = float(sum);
  return vm::log(rounded) + float(sum - double(rounded)) / rounded;
}

/// Neighbouring columns; a constant number lets the compiler unroll the loops.
/// Sums are kept in float over a few rows and in double over all.
template <typename Width>
PARALLAX_INLINE void softmaxColumnsLoop(const float *x, float *y, int64_t count,
                                        int64_t stride, Width columns,
                                        bool log) {
  const int64_t width = columns;
  constexpr int64_t rowsPerSum = 32;
  float top[columnBlock], factor[columnBlock], row[columnBlock];
  double sums[columnBlock] = {};
  std::fill_n(top, columnBlock, lowest);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < width; ++i)
      top[i] = maximum(x[k * stride + i], top[i]);
  for (int64_t first = 0; first < count; first += rowsPerSum) {
    float part[columnBlock] = {};
    int64_t end = std::min(first + rowsPerSum, count);
    for (int64_t k = first; k < end; ++k) {
      // Where a logarithm is wanted, y may be x and must still be read.
      float *exps = log ? row : y + k * stride;
      const float *from = x + k * stride;
      PARALLAX_INDEPENDENT
      for (int64_t i = 0; i < width; ++i)
        exps[i] = vm::exp(from[i] - top[i]);
      PARALLAX_INDEPENDENT
      for (int64_t i = 0; i < width; ++i)
        part[i] += exps[i];
    }
    for (int64_t i = 0; i < width; ++i)
      sums[i] += part[i];
  }
  if (log)
    for (int64_t i = 0; i < width; ++i)
      factor[i] = logOfSum(sums[i]);
  else
    for (int64_t i = 0; i < width; ++i)
      factor[i] = float(1.0 / sums[i]);
  for (int64_t k = 0; k < count; ++k) {
    const float *from = x + k * stride;
    float *to = y + k * stride;
    if (log) {
      PARALLAX_INDEPENDENT
      for (int64_t i = 0; i < width; ++i)
        to[i] = (from[i] - top[i]) - factor[i];
    } else {
      PARALLAX_INDEPENDENT
      for (int64_t i = 0; i < width; ++i)
        to[i] *= factor[i];
    }
  }
}

PARALLAX_SIMD void softmaxColumns(const float *x, float *y, int64_t count,
                                  int64_t stride, int64_t width, bool log) {
  if (width == columnBlock)
    softmaxColumnsLoop(x, y, count, stride,
                       std::integral_constant<int64_t, columnBlock>(), log);
  else
    softmaxColumnsLoop(x, y, count, stride, width, log);
}

void hardmaxColumn(const float *x, float *y, int64_t count, int64_t stride) {
  int64_t best = 0;
  for (int64_t k = 0; k < count; ++k) {
    y[k * stride] = 0;
    if (x[k * stride] > x[best * stride])
      best = k;
  }
  y[best * stride] = 1;
}

} // namespace

void softmax(const Tensor &x, Tensor &y, int64_t axis, bool log) {
  requireFloat(log ? "LogSoftmax" : "Softmax", x);
  auto [outer, count, inner] = splitAt(x.shape(), axis);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  int64_t size = count * inner;
  constexpr int64_t costOfExp = 8;
  if (inner == 1)
    return parallelFor(outer, grainFor(size * costOfExp),
                       [&, size](int64_t begin, int64_t end) {
                         auto row = log ? logSoftmaxRow : softmaxRow;
                         for (int64_t i = begin * size; i < end * size;
                              i += std::max<int64_t>(size, 1))
                           row(from + i, to + i, size);
                       });
  int64_t blocks = (inner + columnBlock - 1) / columnBlock;
  parallelFor(outer * blocks,
              grainFor(count * std::min(inner, columnBlock) * costOfExp),
              [&, count = count, inner = inner](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  int64_t column = i % blocks * columnBlock;
                  int64_t offset = i / blocks * size + column;
                  softmaxColumns(from + offset, to + offset, count, inner,
                                 std::min(columnBlock, inner - column), log);
                }
              });
}

void hardmax(const Tensor &x, Tensor &y, int64_t axis) {
  requireFloat("Hardmax", x);
  auto [outer, count, inner] = splitAt(x.shape(), axis);
  if (x.size() == 0)
    return;
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(outer * inner, grainFor(count),
              [&, count = count, inner = inner](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  int64_t offset = i / inner * count * inner + i % inner;
                  hardmaxColumn(from + offset, to + offset, count, inner);
                }
              });
}

} // namespace parallax::kernels
