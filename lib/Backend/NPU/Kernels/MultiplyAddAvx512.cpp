//===- MultiplyAddAvx512.cpp - Products of AVX-512 with VNNI --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One register holds the sums of all 16 columns, and one instruction multiplies
// and adds for each of them: two products of 16 bits, or four of bytes. It adds
// in 32 bits and never saturates, so it is as exact as any sum of integers.
//===----------------------------------------------------------------------===//
#include "CodeLoops.h"
#include "MultiplyAdd.h"
#include "Vectorize.h"

#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>

namespace parallax::npu {

/// The products of some rows with one panel or two: of pairs, or of quads.
template <bool isBytes, int rows, int panels>
PARALLAX_AVX512 static PARALLAX_INLINE void
multiplyTile(const char *a, int64_t stride, int64_t groups,
             const PanelTile *tiles) {
  __m512i own[panels][rows];
#pragma unroll
  for (int p = 0; p < panels; ++p)
#pragma unroll
    for (int r = 0; r < rows; ++r)
      own[p][r] = _mm512_loadu_si512(
          tiles[p].start ? tiles[p].start : tiles[p].sums + r * panelColumns);
  constexpr int64_t groupSize = 4 * panelColumns;
  for (int64_t at = 0; at < groups * groupSize; at += groupSize, a += 4) {
    __m512i b[panels];
#pragma unroll
    for (int p = 0; p < panels; ++p)
      b[p] = _mm512_loadu_si512(tiles[p].panel + at);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int32_t group;
      std::memcpy(&group, a + r * stride, sizeof(group));
      const __m512i codes = _mm512_set1_epi32(group);
#pragma unroll
      for (int p = 0; p < panels; ++p)
        own[p][r] = isBytes ? _mm512_dpbusd_epi32(own[p][r], codes, b[p])
                            : _mm512_dpwssd_epi32(own[p][r], codes, b[p]);
    }
  }
#pragma unroll
  for (int p = 0; p < panels; ++p)
#pragma unroll
    for (int r = 0; r < rows; ++r)
      _mm512_storeu_si512(tiles[p].sums + r * panelColumns, own[p][r]);
}

template <int rows>
PARALLAX_AVX512 static void pairTile(const int16_t *a, int64_t stride,
                                     const int16_t *panel, int64_t pairs,
                                     const int32_t *start, int32_t *sums) {
  const PanelTile tile = {reinterpret_cast<const int8_t *>(panel), start, sums};
  multiplyTile<false, rows, 1>(reinterpret_cast<const char *>(a), 2 * stride,
                               pairs, &tile);
}

template <int rows>
PARALLAX_AVX512 static void quadTile(const uint8_t *a, int64_t stride,
                                     const int8_t *panel, int64_t quads,
                                     const int32_t *start, int32_t *sums) {
  const PanelTile tile = {panel, start, sums};
  multiplyTile<true, rows, 1>(reinterpret_cast<const char *>(a), stride, quads,
                              &tile);
}

template <bool isBytes, int rows>
PARALLAX_AVX512 static void twinTile(const char *a, int64_t stride,
                                     int64_t groups, const PanelTile &first,
                                     const PanelTile &second) {
  const PanelTile tiles[] = {first, second};
  multiplyTile<isBytes, rows, 2>(a, stride, groups, tiles);
}

//===----------------------------------------------------------------------===//
// Depthwise
//===----------------------------------------------------------------------===//

/// Codes of 16 channels from up to four lines, line l at taps[l * pitch] +
/// offsets[l]: [channel][line].
template <int lines>
PARALLAX_AVX512 static PARALLAX_INLINE __m512i
loadQuad(const char *const *taps, int64_t pitch, const int64_t *offsets) {
  auto line = [=](int64_t l) PARALLAX_AVX512 {
    return _mm_loadu_si128(
        reinterpret_cast<const __m128i *>(taps[l * pitch] + offsets[l]));
  };
  // First four channels of each line come together, then four lines of each.
  const __m512i fours =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i channels = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  __m512i all = _mm512_zextsi128_si512(line(0));
  if constexpr (lines > 1)
    all = _mm512_inserti32x4(all, line(1), 1);
  if constexpr (lines > 2)
    all = _mm512_inserti32x4(all, line(2), 2);
  if constexpr (lines > 3)
    all = _mm512_inserti32x4(all, line(3), 3);
  return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(fours, all), channels);
}

PARALLAX_AVX512 static PARALLAX_INLINE __m512i
loadQuad(int64_t lines, const char *const *taps, const int64_t *offsets) {
  switch (lines) {
  case 1:
    return loadQuad<1>(taps, 1, offsets);
  case 2:
    return loadQuad<2>(taps, 1, offsets);
  case 3:
    return loadQuad<3>(taps, 1, offsets);
  default:
    return loadQuad<4>(taps, 1, offsets);
  }
}

/// Rows whose pixels nobody shares.
PARALLAX_AVX512 static void eachRow(const TapRows &rows, int64_t lines,
                                    int64_t columns, const int8_t *panel,
                                    const int32_t *start, int32_t *sums) {
  for (int64_t r = 0; r < rows.rows; ++r, sums += panelColumns) {
    __m512i own = _mm512_loadu_si512(start ? start : sums);
    const int8_t *weights = panel;
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t l = 0; l < lines; l += 4, weights += 4 * panelColumns) {
        // A tap in the padding stays where it is.
        const char *taps[4];
        int64_t offsets[4];
        const int64_t count = lines - l < 4 ? lines - l : 4;
        for (int64_t i = 0; i < count; ++i) {
          const int64_t t = (l + i) * columns + c;
          taps[i] = rows.tap(t);
          offsets[i] = r * rows.steps[t];
        }
        own = _mm512_dpbusd_epi32(own, loadQuad(count, taps, offsets),
                                  _mm512_loadu_si512(weights));
      }
    _mm512_storeu_si512(sums, own);
  }
}

/// Rows that move by `stride` columns: each of them sees so many more, and all
/// others of those that the row before has seen. A line in the padding stays
/// where it is.
template <int lines, int columns, int stride>
PARALLAX_AVX512 static void slide(const TapRows &rows, const int8_t *panel,
                                  const int32_t *start, int32_t *sums) {
  constexpr int quads = (lines + 3) / 4;
  __m512i weights[columns][quads], seen[columns][quads];
#pragma unroll
  for (int c = 0; c < columns; ++c)
#pragma unroll
    for (int q = 0; q < quads; ++q)
      weights[c][q] =
          _mm512_loadu_si512(panel + (c * quads + q) * 4 * panelColumns);
  int64_t steps[lines], at[lines];
#pragma unroll
  for (int l = 0; l < lines; ++l) {
    steps[l] = rows.steps[l * columns];
    at[l] = rows.first * steps[l] + rows.byteOffset;
  }
  auto load = [&](int column) PARALLAX_AVX512 {
    seen[column][0] =
        loadQuad<(lines < 4 ? lines : 4)>(rows.taps + column, columns, at);
    if constexpr (quads > 1)
      seen[column][1] = loadQuad<lines - 4>(rows.taps + 4 * columns + column,
                                            columns, at + 4);
  };
  // What the first row moves to where it belongs.
#pragma unroll
  for (int c = columns - 1; c >= stride; --c) {
    load(c - stride);
#pragma unroll
    for (int q = 0; q < quads; ++q)
      seen[c][q] = seen[c - stride][q];
  }
  for (int64_t r = 0; r < rows.rows; ++r, sums += panelColumns) {
#pragma unroll
    for (int c = stride; c < columns; ++c)
#pragma unroll
      for (int q = 0; q < quads; ++q)
        seen[c - stride][q] = seen[c][q];
#pragma unroll
    for (int c = columns - stride; c < columns; ++c)
      load(c);
    __m512i own = _mm512_loadu_si512(start ? start : sums);
#pragma unroll
    for (int c = 0; c < columns; ++c)
#pragma unroll
      for (int q = 0; q < quads; ++q)
        own = _mm512_dpbusd_epi32(own, seen[c][q], weights[c][q]);
    _mm512_storeu_si512(sums, own);
#pragma unroll
    for (int l = 0; l < lines; ++l)
      at[l] += steps[l];
  }
}

/// By how many columns each row moves; 0 if its taps don't move together.
static int64_t columnsPerRow(const TapRows &rows, int64_t lines,
                             int64_t columns) {
  int64_t stride = 0;
  for (int64_t t = 0; t < lines * columns; ++t) {
    if (t % columns == 0)
      continue;
    const int64_t step = rows.steps[t], pixel = rows.taps[t] - rows.taps[t - 1];
    if (step != rows.steps[t - 1])
      return 0;
    // A line of padding is alike wherever it is read.
    if (step == 0 && pixel == 0)
      continue;
    if (pixel <= 0 || step % pixel != 0 || (stride && step / pixel != stride))
      return 0;
    stride = step / pixel;
  }
  return stride;
}

static void depthwiseQuads(const TapRows &rows, int64_t lines, int64_t columns,
                           const int8_t *panel, const int32_t *start,
                           int32_t *sums) {
  const int64_t stride = rows.rows > 1 && lines == columns
                             ? columnsPerRow(rows, lines, columns)
                             : 0;
  if (stride == 1 && columns == 3)
    return slide<3, 3, 1>(rows, panel, start, sums);
  if (stride == 1 && columns == 5)
    return slide<5, 5, 1>(rows, panel, start, sums);
  if (stride == 1 && columns == 7)
    return slide<7, 7, 1>(rows, panel, start, sums);
  if (stride == 2 && columns == 3)
    return slide<3, 3, 2>(rows, panel, start, sums);
  if (stride == 2 && columns == 5)
    return slide<5, 5, 2>(rows, panel, start, sums);
  eachRow(rows, lines, columns, panel, start, sums);
}

//===----------------------------------------------------------------------===//
// Depthwise, of 16 bits
//===----------------------------------------------------------------------===//

/// The codes of two taps as pairs: those of 16 channels, or of the same 8
/// twice.
template <bool split>
PARALLAX_AVX512 static PARALLAX_INLINE __m512i loadPairs(const char *first,
                                                         const char *second,
                                                         __m512i order) {
  if constexpr (!split) {
    auto wide = [](const char *from) PARALLAX_AVX512 {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
    };
    return _mm512_permutexvar_epi16(
        order, _mm512_inserti64x4(_mm512_castsi256_si512(wide(first)),
                                  wide(second), 1));
  }
  return _mm512_permutexvar_epi16(
      order, _mm512_castsi256_si512(_mm256_loadu2_m128i(
                 reinterpret_cast<const __m128i *>(second),
                 reinterpret_cast<const __m128i *>(first))));
}

template <bool split, int rowCount>
PARALLAX_AVX512 static PARALLAX_INLINE void
pairRows(const TapRows &rows, const int16_t *panel, const int32_t *start,
         int32_t *sums) {
  // Which code goes into each half of a pair: that of its channel, of either
  // tap.
  constexpr int channels = split ? 8 : 16;
  alignas(64) int16_t places[2 * panelColumns];
#pragma unroll
  for (int i = 0; i < 2 * panelColumns; ++i)
    places[i] = int16_t(i / 2 % channels + i % 2 * channels);
  const __m512i order = _mm512_load_si512(places);
  const __m512i offset = _mm512_set1_epi16(rows.offset);
  __m512i own[rowCount];
#pragma unroll
  for (int r = 0; r < rowCount; ++r)
    own[r] = _mm512_loadu_si512(start ? start : sums + r * panelColumns);
  for (int64_t t = 0; t < rows.count; t += 2, panel += 2 * panelColumns) {
    const __m512i weights = _mm512_loadu_si512(panel);
    // An odd last tap is its own partner, whose weight is zero.
    const int64_t partner = t + 1 < rows.count ? t + 1 : t;
    const char *first = rows.tap(t), *second = rows.tap(partner);
    const int64_t step = rows.steps[t], partnerStep = rows.steps[partner];
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
      own[r] = _mm512_dpwssd_epi32(
          own[r],
          _mm512_sub_epi16(loadPairs<split>(first + r * step,
                                            second + r * partnerStep, order),
                           offset),
          weights);
  }
#pragma unroll
  for (int r = 0; r < rowCount; ++r)
    _mm512_storeu_si512(sums + r * panelColumns, own[r]);
}

template <bool split>
PARALLAX_AVX512 static void
depthwisePairs(const TapRows &rows, const int16_t *panel, const int32_t *start,
               int32_t *sums) {
  constexpr int64_t most = 8;
  TapRows some = rows;
  int64_t rest = rows.rows;
  for (; rest >= most; rest -= most, some.first += most) {
    pairRows<split, most>(some, panel, start, sums);
    sums += most * panelColumns;
  }
  for (; rest >= 2; rest -= 2, some.first += 2) {
    pairRows<split, 2>(some, panel, start, sums);
    sums += 2 * panelColumns;
  }
  if (rest > 0)
    pairRows<split, 1>(some, panel, start, sums);
}

template <CodeKind kind>
PARALLAX_AVX512 static void widen(const void *from, int64_t count,
                                  int16_t offset, int16_t *to) {
  widenCodes<CodeOf<kind>>(from, count, offset, to);
}

template <bool split>
PARALLAX_AVX512 static void add(const int32_t *sums, int64_t rows,
                                const int64_t *start, int64_t *wide) {
  addSums<split>(sums, rows, start, wide);
}

template <int... less>
static void setTiles(MultiplyAdd &loops, std::integer_sequence<int, less...>) {
  ((loops.tile[less + 1] = pairTile<less + 1>), ...);
  ((loops.quadTile[less + 1] = quadTile<less + 1>), ...);
  ((loops.twinTile[false][less + 1] = twinTile<false, less + 1>), ...);
  ((loops.twinTile[true][less + 1] = twinTile<true, less + 1>), ...);
}

bool hasAvx512() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

void setAvx512(MultiplyAdd &loops) {
  loops.tileRows = maxTileRows;
  loops.depthwiseQuads = depthwiseQuads;
  loops.depthwise[Code16][false] = depthwisePairs<false>;
  loops.depthwise[Code16][true] = depthwisePairs<true>;
  loops.widen[CodeU8] = widen<CodeU8>;
  loops.widen[CodeS8] = widen<CodeS8>;
  loops.widen[Code16] = widen<Code16>;
  loops.addSums[false] = add<false>;
  loops.addSums[true] = add<true>;
  setTiles(loops, std::make_integer_sequence<int, int(maxTileRows)>());
}

} // namespace parallax::npu
#endif
