//===- MultiplyAddAvx512.cpp - Products of AVX-512 with VNNI --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One register holds the sums of all 16 columns, and one instruction multiplies
// and adds for each of them: two products of 16 bits, or four of bytes. It adds
// in 32 bits and never saturates, so it is as exact as any sum of integers.
//===----------------------------------------------------------------------===//
#include "MultiplyAdd.h"

#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>

#define PARALLAX_AVX512                                                        \
  __attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vnni")))

namespace parallax::npu {

template <int rows>
PARALLAX_AVX512 static void pairTile(const int16_t *a, int64_t stride,
                                     const int16_t *panel, int64_t pairs,
                                     int32_t *sums, bool accumulate) {
  __m512i own[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r)
    own[r] = accumulate ? _mm512_loadu_si512(sums + r * panelColumns)
                        : _mm512_setzero_si512();
  for (int64_t p = 0; p < pairs; ++p, a += 2, panel += 2 * panelColumns) {
    __m512i b = _mm512_loadu_si512(panel);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int32_t pair;
      std::memcpy(&pair, a + r * stride, sizeof(pair));
      own[r] = _mm512_dpwssd_epi32(own[r], _mm512_set1_epi32(pair), b);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r)
    _mm512_storeu_si512(sums + r * panelColumns, own[r]);
}

template <int rows>
PARALLAX_AVX512 static void quadTile(const uint8_t *a, int64_t stride,
                                     const int8_t *panel, int64_t quads,
                                     const int32_t *start, int32_t *sums) {
  __m512i own[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r)
    own[r] = _mm512_loadu_si512(start ? start : sums + r * panelColumns);
  for (int64_t q = 0; q < quads; ++q, a += 4, panel += 4 * panelColumns) {
    __m512i b = _mm512_loadu_si512(panel);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int32_t quad;
      std::memcpy(&quad, a + r * stride, sizeof(quad));
      own[r] = _mm512_dpbusd_epi32(own[r], _mm512_set1_epi32(quad), b);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r)
    _mm512_storeu_si512(sums + r * panelColumns, own[r]);
}

template <int... less>
static void setTiles(MultiplyAdd &loops, std::integer_sequence<int, less...>) {
  ((loops.tile[less + 1] = pairTile<less + 1>), ...);
  ((loops.quadTile[less + 1] = quadTile<less + 1>), ...);
}

bool hasAvx512() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

void setAvx512(MultiplyAdd &loops) {
  loops.tileRows = maxTileRows;
  setTiles(loops, std::make_integer_sequence<int, int(maxTileRows)>());
}

} // namespace parallax::npu
#endif
