//===- MultiplyAdd.cpp - The innermost loops of products ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// With MultiplyAddAvx512.cpp, all that has instructions of a processor. Each
// loop has a portable twin that computes the same integers; loops that the
// compiler vectorises well are written once and compiled for both.
//===----------------------------------------------------------------------===//
#include "MultiplyAdd.h"
#include "CodeLoops.h"
#include "Vectorize.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace parallax::npu {

//===----------------------------------------------------------------------===//
// Portable
//===----------------------------------------------------------------------===//

struct Portable {
  template <int rows>
  static void tile(const int16_t *a, int64_t stride, const int16_t *panel,
                   int64_t pairs, const int32_t *start, int32_t *sums) {
    for (int64_t r = 0; r < rows; ++r) {
      int32_t row[panelColumns];
      std::copy_n(start ? start : sums + r * panelColumns, panelColumns, row);
      for (int64_t p = 0; p < pairs; ++p) {
        int32_t first = a[r * stride + 2 * p],
                second = a[r * stride + 2 * p + 1];
        const int16_t *b = panel + p * 2 * panelColumns;
        for (int64_t c = 0; c < panelColumns; ++c)
          row[c] += first * b[2 * c] + second * b[2 * c + 1];
      }
      for (int64_t c = 0; c < panelColumns; ++c)
        sums[r * panelColumns + c] = row[c];
    }
  }

  template <int rows>
  static void quadTile(const uint8_t *a, int64_t stride, const int8_t *panel,
                       int64_t quads, const int32_t *start, int32_t *sums) {
    for (int64_t r = 0; r < rows; ++r, sums += panelColumns)
      for (int64_t c = 0; c < panelColumns; ++c) {
        int32_t sum = start ? start[c] : sums[c];
        for (int64_t k = 0; k < 4 * quads; ++k)
          sum +=
              a[r * stride + k] * panel[(k / 4 * panelColumns + c) * 4 + k % 4];
        sums[c] = sum;
      }
  }

  static void depthwiseQuads(const TapRows &rows, int64_t lines,
                             int64_t columns, const int8_t *panel,
                             const int32_t *start, int32_t *sums) {
    const int64_t quads = (lines + 3) / 4;
    for (int64_t r = 0; r < rows.rows; ++r, sums += panelColumns)
      for (int64_t c = 0; c < panelColumns; ++c) {
        int32_t sum = start ? start[c] : sums[c];
        for (int64_t t = 0; t < lines * columns; ++t) {
          const int64_t line = t / columns, column = t % columns;
          const int64_t quad = column * quads + line / 4;
          auto *codes = reinterpret_cast<const uint8_t *>(rows.tap(t) +
                                                          r * rows.steps[t]);
          sum += codes[c] * panel[(quad * panelColumns + c) * 4 + line % 4];
        }
        sums[c] = sum;
      }
  }

  template <CodeKind kind, bool split>
  static void depthwise(const TapRows &rows, const int16_t *panel,
                        const int32_t *start, int32_t *sums) {
    using Code = CodeOf<kind>;
    constexpr int64_t columns = split ? splitColumns : panelColumns;
    for (int64_t r = 0; r < rows.rows; ++r) {
      int32_t row[panelColumns];
      std::copy_n(start ? start : sums + r * panelColumns, panelColumns, row);
      for (int64_t t = 0; t < rows.count; ++t) {
        const Code *codes =
            reinterpret_cast<const Code *>(rows.tap(t) + r * rows.steps[t]);
        const int16_t *b = panel + t / 2 * 2 * panelColumns + t % 2;
        for (int64_t c = 0; c < panelColumns; ++c)
          row[c] +=
              int16_t(uint16_t(codes[c % columns]) - uint16_t(rows.offset)) *
              b[2 * c];
      }
      for (int64_t c = 0; c < panelColumns; ++c)
        sums[r * panelColumns + c] = row[c];
    }
  }

  template <CodeKind kind>
  static void widen(const void *from, int64_t count, int16_t offset,
                    int16_t *to) {
    widenCodes<CodeOf<kind>>(from, count, offset, to);
  }

  template <bool split>
  static void add(const int32_t *sums, int64_t rows, const int64_t *start,
                  int64_t *wide) {
    addSums<split>(sums, rows, start, wide);
  }
};

//===----------------------------------------------------------------------===//
// AVX2
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
struct Avx2 {
  /// Two registers of sums per row, two of weights, one pair of codes for all
  /// 16 columns, and one for products: six rows use all 16 registers.
  template <int rows>
  PARALLAX_AVX2 static void tile(const int16_t *a, int64_t stride,
                                 const int16_t *panel, int64_t pairs,
                                 const int32_t *start, int32_t *sums) {
    __m256i low[rows], high[rows];
    __m256i *to = reinterpret_cast<__m256i *>(sums);
    auto *from = reinterpret_cast<const __m256i *>(start);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      low[r] = _mm256_loadu_si256(start ? from : to + 2 * r);
      high[r] = _mm256_loadu_si256(start ? from + 1 : to + 2 * r + 1);
    }
    const __m256i *b = reinterpret_cast<const __m256i *>(panel);
    for (int64_t p = 0; p < pairs; ++p, b += 2, a += 2) {
      __m256i b0 = _mm256_loadu_si256(b), b1 = _mm256_loadu_si256(b + 1);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int32_t pair;
        std::memcpy(&pair, a + r * stride, sizeof(pair));
        __m256i x = _mm256_set1_epi32(pair);
        low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(x, b0));
        high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(x, b1));
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      _mm256_storeu_si256(to + 2 * r, low[r]);
      _mm256_storeu_si256(to + 2 * r + 1, high[r]);
    }
  }

  /// The codes of two taps as pairs: those of 8 channels in each register, or
  /// of the same 8 in both.
  template <CodeKind kind, bool split>
  PARALLAX_AVX2 static PARALLAX_INLINE void
  loadPairs(const char *first, const char *second, __m256i &x0, __m256i &x1) {
    auto narrow = [](const char *from) __attribute__((target("avx2"))) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
    };
    if constexpr (kind == Code16 && split) {
      __m128i a = narrow(first), b = narrow(second);
      x0 = x1 =
          _mm256_set_m128i(_mm_unpackhi_epi16(a, b), _mm_unpacklo_epi16(a, b));
    } else if constexpr (kind == Code16) {
      // Unpacking stays within halves of 128 bits, so their quarters swap
      // first.
      __m256i a = _mm256_permute4x64_epi64(
          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(first)), 0xd8);
      __m256i b = _mm256_permute4x64_epi64(
          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(second)), 0xd8);
      x0 = _mm256_unpacklo_epi16(a, b);
      x1 = _mm256_unpackhi_epi16(a, b);
    } else {
      auto widen = [](__m128i bytes) __attribute__((target("avx2"))) {
        return kind == CodeU8 ? _mm256_cvtepu8_epi16(bytes)
                              : _mm256_cvtepi8_epi16(bytes);
      };
      __m128i a, b;
      if constexpr (split) {
        a = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(first));
        b = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(second));
      } else {
        a = narrow(first);
        b = narrow(second);
      }
      x0 = widen(_mm_unpacklo_epi8(a, b));
      x1 = split ? x0 : widen(_mm_unpackhi_epi8(a, b));
    }
  }

  template <CodeKind kind, bool split, int rowCount>
  PARALLAX_AVX2 static PARALLAX_INLINE void
  depthwiseRows(const TapRows &rows, const int16_t *panel, const int32_t *start,
                int32_t *sums) {
    __m256i low[rowCount], high[rowCount];
    __m256i *to = reinterpret_cast<__m256i *>(sums);
    auto *from = reinterpret_cast<const __m256i *>(start);
#pragma unroll
    for (int r = 0; r < rowCount; ++r) {
      low[r] = _mm256_loadu_si256(start ? from : to + 2 * r);
      high[r] = _mm256_loadu_si256(start ? from + 1 : to + 2 * r + 1);
    }
    const __m256i offset = _mm256_set1_epi16(rows.offset);
    const __m256i *b = reinterpret_cast<const __m256i *>(panel);
    for (int64_t t = 0; t < rows.count; t += 2, b += 2) {
      __m256i b0 = _mm256_loadu_si256(b), b1 = _mm256_loadu_si256(b + 1);
      // An odd last tap is its own partner, whose weight is zero.
      int64_t partner = t + 1 < rows.count ? t + 1 : t;
      const char *first = rows.tap(t), *second = rows.tap(partner);
#pragma unroll
      for (int r = 0; r < rowCount; ++r) {
        __m256i x0, x1;
        loadPairs<kind, split>(first + r * rows.steps[t],
                               second + r * rows.steps[partner], x0, x1);
        x0 = _mm256_sub_epi16(x0, offset);
        x1 = _mm256_sub_epi16(x1, offset);
        low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(x0, b0));
        high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(x1, b1));
      }
    }
#pragma unroll
    for (int r = 0; r < rowCount; ++r) {
      _mm256_storeu_si256(to + 2 * r, low[r]);
      _mm256_storeu_si256(to + 2 * r + 1, high[r]);
    }
  }

  template <CodeKind kind, bool split>
  PARALLAX_AVX2 static void depthwise(const TapRows &rows, const int16_t *panel,
                                      const int32_t *start, int32_t *sums) {
    TapRows some = rows;
    for (int64_t rest = rows.rows; rest > 0; rest -= 4, some.first += 4) {
      switch (rest) {
      case 1:
        return depthwiseRows<kind, split, 1>(some, panel, start, sums);
      case 2:
        return depthwiseRows<kind, split, 2>(some, panel, start, sums);
      case 3:
        return depthwiseRows<kind, split, 3>(some, panel, start, sums);
      default:
        depthwiseRows<kind, split, 4>(some, panel, start, sums);
      }
      sums += 4 * panelColumns;
    }
  }

  template <CodeKind kind>
  PARALLAX_AVX2 static void widen(const void *from, int64_t count,
                                  int16_t offset, int16_t *to) {
    widenCodes<CodeOf<kind>>(from, count, offset, to);
  }

  template <bool split>
  PARALLAX_AVX2 static void add(const int32_t *sums, int64_t rows,
                                const int64_t *start, int64_t *wide) {
    addSums<split>(sums, rows, start, wide);
  }
};
#endif

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Only AVX-512 is fast with bytes; elsewhere these are for comparison.
template <int... less>
static constexpr void setQuadTiles(MultiplyAdd &loops,
                                   std::integer_sequence<int, less...>) {
  loops.depthwiseQuads = Portable::depthwiseQuads;
  ((loops.quadTile[less + 1] = Portable::quadTile<less + 1>), ...);
}

template <typename Loops>
static constexpr MultiplyAdd pairLoops = {
    6,
    {nullptr, Loops::template tile<1>, Loops::template tile<2>,
     Loops::template tile<3>, Loops::template tile<4>, Loops::template tile<5>,
     Loops::template tile<6>},
    {},
    {},
    {{Loops::template depthwise<CodeU8, false>,
      Loops::template depthwise<CodeU8, true>},
     {Loops::template depthwise<CodeS8, false>,
      Loops::template depthwise<CodeS8, true>},
     {Loops::template depthwise<Code16, false>,
      Loops::template depthwise<Code16, true>}},
    nullptr,
    {Loops::template widen<CodeU8>, Loops::template widen<CodeS8>,
     Loops::template widen<Code16>},
    {Loops::template add<false>, Loops::template add<true>}};

template <typename Loops>
static constexpr MultiplyAdd table = [] {
  MultiplyAdd loops = pairLoops<Loops>;
  setQuadTiles(loops, std::make_integer_sequence<int, int(maxTileRows)>());
  return loops;
}();

static bool isAvailable(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::AVX512)
    return hasAvx512();
  if (set == InstructionSet::AVX2)
    return __builtin_cpu_supports("avx2");
#endif
  return set == InstructionSet::Portable;
}

static std::atomic<InstructionSet> &current() {
  static std::atomic<InstructionSet> set = [] {
    const char *portable = std::getenv("PARALLAX_PORTABLE");
    bool isForced = portable && std::string_view(portable) != "0";
    InstructionSet best = InstructionSet::Portable;
    for (InstructionSet each : {InstructionSet::AVX2, InstructionSet::AVX512})
      if (!isForced && isAvailable(each))
        best = each;
    return best;
  }();
  return set;
}

InstructionSet instructionSet() { return current(); }

void setInstructionSet(InstructionSet set) {
  if (isAvailable(set))
    current() = set;
}

const MultiplyAdd &multiplyAdd() {
#if defined(__x86_64__)
  static const MultiplyAdd avx512 = [] {
    MultiplyAdd loops = table<Avx2>;
    setAvx512(loops);
    return loops;
  }();
  if (instructionSet() == InstructionSet::AVX512)
    return avx512;
  if (instructionSet() == InstructionSet::AVX2)
    return table<Avx2>;
#endif
  return table<Portable>;
}

} // namespace parallax::npu
