//===- PairColumns.cpp - Sums over columns of pairs -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// This runs on every layer of every sample: no branches. Products of floats are
// exact in double: whether a processor fuses them with the sum changes no bit,
// and no sum of finite floats overflows or vanishes. What has a NaN or an
// infinity makes a sum of squares so.
//===----------------------------------------------------------------------===//
#include "PairColumns.h"
#include "parallax/Support/Simd.h"

#include <algorithm>

namespace parallax {
namespace {

typedef float Floats __attribute__((vector_size(lanes * sizeof(float))));
typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));
typedef int32_t Ints __attribute__((vector_size(lanes * sizeof(int32_t))));

/// Adds rows. Two loops, since one would need more registers than there are:
/// the second finds its rows in the cache.
PARALLAX_SIMD void sumColumns(const float *a, const float *b, int64_t rows,
                              int64_t stride, PairColumns *columns) {
  auto copy = [](auto &to, const auto &from) __attribute__((always_inline)) {
    __builtin_memcpy(&to, &from, sizeof(to));
  };
  Doubles dot, squareA, squareB, squareError;
  copy(dot, columns->dot);
  copy(squareA, columns->squareA);
  copy(squareB, columns->squareB);
  copy(squareError, columns->squareError);
  for (int64_t i = 0; i < rows * stride; i += stride) {
    Floats x, y;
    __builtin_memcpy(&x, a + i, sizeof(x));
    __builtin_memcpy(&y, b + i, sizeof(y));
    Doubles wideX = __builtin_convertvector(x, Doubles);
    Doubles wideY = __builtin_convertvector(y, Doubles);
    Doubles error = __builtin_convertvector(x - y, Doubles);
    dot += wideX * wideY;
    squareA += wideX * wideX;
    squareB += wideY * wideY;
    squareError += error * error;
  }
  copy(columns->dot, dot);
  copy(columns->squareA, squareA);
  copy(columns->squareB, squareB);
  copy(columns->squareError, squareError);

  Floats minA, maxA, minB, maxB, maxAbs;
  copy(minA, columns->minA);
  copy(maxA, columns->maxA);
  copy(minB, columns->minB);
  copy(maxB, columns->maxB);
  copy(maxAbs, columns->maxAbs);
  for (int64_t i = 0; i < rows * stride; i += stride) {
    Floats x, y;
    __builtin_memcpy(&x, a + i, sizeof(x));
    __builtin_memcpy(&y, b + i, sizeof(y));
    Floats error = x - y, distance = error < 0 ? -error : error;
    minA = x < minA ? x : minA;
    maxA = x > maxA ? x : maxA;
    minB = y < minB ? y : minB;
    maxB = y > maxB ? y : maxB;
    maxAbs = distance > maxAbs ? distance : maxAbs;
  }
  copy(columns->minA, minA);
  copy(columns->maxA, maxA);
  copy(columns->minB, minB);
  copy(columns->maxB, maxB);
  copy(columns->maxAbs, maxAbs);
}

/// Adds the values of rows. Registers don't suffice to do it beside squares.
PARALLAX_SIMD void sumValues(const float *a, const float *b, int64_t rows,
                             int64_t stride, double *columnsA,
                             double *columnsB) {
  Doubles sumA, sumB;
  __builtin_memcpy(&sumA, columnsA, sizeof(sumA));
  __builtin_memcpy(&sumB, columnsB, sizeof(sumB));
  for (int64_t i = 0; i < rows * stride; i += stride) {
    Floats x, y;
    __builtin_memcpy(&x, a + i, sizeof(x));
    __builtin_memcpy(&y, b + i, sizeof(y));
    sumA += __builtin_convertvector(x, Doubles);
    sumB += __builtin_convertvector(y, Doubles);
  }
  __builtin_memcpy(columnsA, &sumA, sizeof(sumA));
  __builtin_memcpy(columnsB, &sumB, sizeof(sumB));
}

#if defined(__x86_64__)
/// All of the above in one loop: with AVX-512, registers suffice.
template <bool values>
__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))) void
sumAtOnce(const PairTile &tile, PairColumns *columns) {
  auto copy = [](auto &to, const auto &from) __attribute__((always_inline)) {
    __builtin_memcpy(&to, &from, sizeof(to));
  };
  Doubles dot, squareA, squareB, squareError, sumA, sumB;
  copy(dot, columns->dot);
  copy(squareA, columns->squareA);
  copy(squareB, columns->squareB);
  copy(squareError, columns->squareError);
  copy(sumA, columns->sumA);
  copy(sumB, columns->sumB);
  Floats minA, maxA, minB, maxB, maxAbs;
  copy(minA, columns->minA);
  copy(maxA, columns->maxA);
  copy(minB, columns->minB);
  copy(maxB, columns->maxB);
  copy(maxAbs, columns->maxAbs);
  for (int64_t i = 0; i < tile.rows * tile.stride; i += tile.stride) {
    Floats x, y;
    __builtin_memcpy(&x, tile.a + i, sizeof(x));
    __builtin_memcpy(&y, tile.b + i, sizeof(y));
    Floats error = x - y, distance = error < 0 ? -error : error;
    Doubles wideX = __builtin_convertvector(x, Doubles);
    Doubles wideY = __builtin_convertvector(y, Doubles);
    Doubles wideError = __builtin_convertvector(error, Doubles);
    dot += wideX * wideY;
    squareA += wideX * wideX;
    squareB += wideY * wideY;
    squareError += wideError * wideError;
    if constexpr (values) {
      sumA += wideX;
      sumB += wideY;
    }
    minA = x < minA ? x : minA;
    maxA = x > maxA ? x : maxA;
    minB = y < minB ? y : minB;
    maxB = y > maxB ? y : maxB;
    maxAbs = distance > maxAbs ? distance : maxAbs;
  }
  copy(columns->dot, dot);
  copy(columns->squareA, squareA);
  copy(columns->squareB, squareB);
  copy(columns->squareError, squareError);
  copy(columns->sumA, sumA);
  copy(columns->sumB, sumB);
  copy(columns->minA, minA);
  copy(columns->maxA, maxA);
  copy(columns->minB, minB);
  copy(columns->maxB, maxB);
  copy(columns->maxAbs, maxAbs);
}

bool hasWideRegisters() {
  static const bool has = __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  return has;
}
#endif

/// Counts, by column, what is beyond `low` and `high`.
PARALLAX_SIMD void countByColumn(const float *values, int64_t rows,
                                 int64_t stride, float low, float high,
                                 Ints *result) {
  Ints count{};
  for (int64_t i = 0; i < rows * stride; i += stride) {
    Floats x;
    __builtin_memcpy(&x, values + i, sizeof(x));
    // What is true is -1.
    count -= (x < low) | (x > high);
  }
  *result = count;
}

} // namespace

void PairColumns::add(const PairTile &tile, bool summarizes) {
#if defined(__x86_64__)
  // Products of floats are exact in double precision, so the sums are the same.
  if (hasWideRegisters())
    return summarizes ? sumAtOnce<true>(tile, this)
                      : sumAtOnce<false>(tile, this);
#endif
  addPortably(tile, summarizes);
}

void PairColumns::addPortably(const PairTile &tile, bool summarizes) {
  sumColumns(tile.a, tile.b, tile.rows, tile.stride, this);
  if (summarizes)
    sumValues(tile.a, tile.b, tile.rows, tile.stride, sumA, sumB);
}

ColumnSum PairColumns::fold() const {
  auto foldBy = [](const auto &values, auto combine) {
    static_assert(lanes == 8);
    auto pair = [&](int i) { return combine(values[i], values[i + 4]); };
    return combine(combine(pair(0), pair(2)), combine(pair(1), pair(3)));
  };
  auto sum = [&](const auto &values) {
    return foldBy(values, [](double a, double b) { return a + b; });
  };
  auto least = [&](const auto &values) {
    return foldBy(values, [](float a, float b) { return std::min(a, b); });
  };
  auto most = [&](const auto &values) {
    return foldBy(values, [](float a, float b) { return std::max(a, b); });
  };
  return {{sum(dot), sum(squareA), sum(squareB), sum(squareError), sum(sumA),
           sum(sumB)},
          {least(minA), most(maxA), least(minB), most(maxB)},
          most(maxAbs)};
}

int64_t countBeyond(const PairTile &tile, float low, float high) {
  Ints beyond;
  countByColumn(tile.b, tile.rows, tile.stride, low, high, &beyond);
  int64_t count = 0;
  for (int64_t i = tile.first; i < tile.last; ++i)
    count += beyond[i];
  return count;
}

} // namespace parallax
