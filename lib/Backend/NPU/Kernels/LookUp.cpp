//===- LookUp.cpp - Tables of bytes ---------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 VBMI selects from 128 bytes at once. AVX2 selects from 16, and gives
// zero for an index whose highest bit is set: the 16 results of a code, of
// which all but one are zero, are put together.
//===----------------------------------------------------------------------===//
#include "LookUp.h"
#include "Vectorize.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace parallax::npu {

/// Bytes could overlap anything if nobody said that they don't.
static void lookUpEach(const uint8_t *x, int64_t count,
                       const uint8_t *__restrict table, uint8_t *__restrict y) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = table[x[i]];
}

#if defined(__x86_64__)
#define PARALLAX_VBMI                                                          \
  __attribute__((target("avx2,avx512f,avx512bw,avx512vbmi")))

PARALLAX_VBMI static void lookUpVbmi(const uint8_t *x, int64_t count,
                                     const uint8_t *table, uint8_t *y) {
  __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 64),
          t2 = _mm512_loadu_si512(table + 128),
          t3 = _mm512_loadu_si512(table + 192);
  for (int64_t i = 0; i < count; i += 64) {
    int64_t rest = count - i;
    __mmask64 lanes = rest < 64 ? (__mmask64(1) << rest) - 1 : ~__mmask64(0);
    __m512i codes = _mm512_maskz_loadu_epi8(lanes, x + i);
    __m512i low = _mm512_permutex2var_epi8(t0, codes, t1);
    __m512i high = _mm512_permutex2var_epi8(t2, codes, t3);
    _mm512_mask_storeu_epi8(
        y + i, lanes,
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high));
  }
}

PARALLAX_AVX2 static void lookUpAvx2(const uint8_t *x, int64_t count,
                                     const uint8_t *table, uint8_t *y) {
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __m256i codes =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(x + i));
    __m256i result = _mm256_setzero_si256();
#pragma unroll
    for (int part = 0; part < 16; ++part) {
      __m256i entries = _mm256_broadcastsi128_si256(_mm_loadu_si128(
          reinterpret_cast<const __m128i *>(table + 16 * part)));
      // Below 16 for codes of this part; 112 more is 128 and more for others.
      __m256i index =
          _mm256_xor_si256(codes, _mm256_set1_epi8(char(16 * part)));
      index = _mm256_adds_epu8(index, _mm256_set1_epi8(112));
      result = _mm256_or_si256(result, _mm256_shuffle_epi8(entries, index));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(y + i), result);
  }
  lookUpEach(x + i, count - i, table, y + i);
}
#endif

void lookUpBytes(const uint8_t *x, int64_t count, const uint8_t *table,
                 uint8_t *y) {
#if defined(__x86_64__)
  static const bool hasVbmi = __builtin_cpu_supports("avx512vbmi") &&
                              __builtin_cpu_supports("avx512bw");
  if (instructionSet() == InstructionSet::AVX512 && hasVbmi)
    return lookUpVbmi(x, count, table, y);
  if (instructionSet() >= InstructionSet::AVX2)
    return lookUpAvx2(x, count, table, y);
#endif
  lookUpEach(x, count, table, y);
}

} // namespace parallax::npu
