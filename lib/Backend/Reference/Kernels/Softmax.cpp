//===- Softmax.cpp - Reference kernels: softmax and hardmax ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Along the innermost axis a row is reduced by lanes; along any other axis the
// columns beside each other are, so both forms vectorise.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/FastMath.h"
#include "parallax/Backend/Reference/Kernels/KernelSupport.h"
#include "parallax/Backend/Reference/Kernels/Normalize.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cmath>

namespace parallax::kernels {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();
constexpr int64_t columnBlock = 64;

PARALLAX_SIMD void softmaxRow(const float *x, float *y, int64_t count) {
  float top = laneMax(x, count, lowest);
  for (int64_t i = 0; i < count; ++i)
    y[i] = fastExp(x[i] - top);
  float inverse = float(1.0 / laneSum(y, count, [](float v) { return v; }));
  for (int64_t i = 0; i < count; ++i)
    y[i] *= inverse;
}

PARALLAX_SIMD void logSoftmaxRow(const float *x, float *y, int64_t count) {
  float top = laneMax(x, count, lowest);
  for (int64_t i = 0; i < count; ++i)
    y[i] = fastExp(x[i] - top);
  float shift = float(std::log(laneSum(y, count, [](float v) { return v; })));
  for (int64_t i = 0; i < count; ++i)
    y[i] = (x[i] - top) - shift;
}

PARALLAX_SIMD void softmaxColumns(const float *x, float *y, int64_t count,
                                  int64_t stride, int64_t width, bool log) {
  float top[columnBlock], factor[columnBlock];
  double sums[columnBlock] = {};
  std::fill_n(top, columnBlock, lowest);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < width; ++i)
      top[i] = maxOrNan(top[i], x[k * stride + i]);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < width; ++i) {
      float e = fastExp(x[k * stride + i] - top[i]);
      y[k * stride + i] = e;
      sums[i] += e;
    }
  for (int64_t i = 0; i < width; ++i)
    factor[i] = float(log ? std::log(sums[i]) : 1.0 / sums[i]);
  for (int64_t k = 0; k < count; ++k) {
    const float *from = x + k * stride;
    float *to = y + k * stride;
    if (log)
      for (int64_t i = 0; i < width; ++i)
        to[i] = (from[i] - top[i]) - factor[i];
    else
      for (int64_t i = 0; i < width; ++i)
        to[i] *= factor[i];
  }
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
