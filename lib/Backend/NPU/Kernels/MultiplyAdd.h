//===- MultiplyAdd.h - The innermost loops of products ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Everything that the products of matrices need of a processor: loops over
// pairs of 16-bit numbers, or over four bytes, whose products are added in 32
// bits. The caller has proven that no such sum overflows.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_MULTIPLYADD_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_MULTIPLYADD_H

#include <cstdint>

namespace parallax::npu {

/// Columns of a panel, and of a row of sums.
inline constexpr int64_t panelColumns = 16;
/// Rows of x whose sums fit into the registers of any processor.
inline constexpr int64_t maxTileRows = 12;

/// How codes are read: 16-bit codes are the same bits with either sign.
enum CodeKind { CodeU8, CodeS8, Code16, CodeKinds };

/// sums[r][column] = start[column] + the products of `pairs` pairs of row r,
/// which begins at a + r * stride, with a panel. If `start` is null, sums begin
/// with what they hold.
using TileLoop = void (*)(const int16_t *a, int64_t stride,
                          const int16_t *panel, int64_t pairs,
                          const int32_t *start, int32_t *sums);

/// The same for four bytes at a time.
using QuadTileLoop = void (*)(const uint8_t *a, int64_t stride,
                              const int8_t *panel, int64_t quads,
                              const int32_t *start, int32_t *sums);

/// What one of two panels brings to a tile, and its sums, as above.
struct PanelTile {
  const int8_t *panel;
  const int32_t *start;
  int32_t *sums;
};

/// Both at once, so that each group of codes is read once for two panels:
/// `groups` pairs or quads of rows that are `stride` bytes apart.
using TwinLoop = void (*)(const char *a, int64_t stride, int64_t groups,
                          const PanelTile &first, const PanelTile &second);

/// The taps of some rows of a depthwise convolution: tap t of row r, of
/// `count` taps, is at taps[t] + (first + r) * steps[t] + byteOffset.
struct TapRows {
  const char *const *taps;
  const int64_t *steps;
  int64_t first, rows, count, byteOffset;
  /// Subtracted from each code, modulo 2^16.
  int16_t offset;

  const char *tap(int64_t t) const {
    return taps[t] + first * steps[t] + byteOffset;
  }
};

/// sums[r][column] = start[column] + the products of code `column` of each tap
/// with a panel. If it is split, there are 8 codes, and columns 8 to 15 are the
/// products with the high parts. Sums begin as those of TileLoop.
using DepthwiseLoop = void (*)(const TapRows &rows, const int16_t *panel,
                               const int32_t *start, int32_t *sums);

/// The same for a kernel of bytes, in columns of four lines each.
using DepthwiseQuadLoop = void (*)(const TapRows &rows, int64_t lines,
                                   int64_t columns, const int8_t *panel,
                                   const int32_t *start, int32_t *sums);

/// to[i] = from[i] - offset, modulo 2^16.
using WidenLoop = void (*)(const void *from, int64_t count, int16_t offset,
                           int16_t *to);

/// wide[r][column] += sums[r][column], or, if the panel is split,
/// wide[r][column] += sums[r][column] + 256 * sums[r][column + 8].
/// If `start` is given, start[column] takes the place of what `wide` holds.
using AddSumsLoop = void (*)(const int32_t *sums, int64_t rows,
                             const int64_t *start, int64_t *wide);

struct MultiplyAdd {
  /// How many rows `tile` has loops for.
  int64_t tileRows;
  TileLoop tile[maxTileRows + 1];
  QuadTileLoop quadTile[maxTileRows + 1];
  /// Of pairs, then of quads; null where registers don't suffice.
  TwinLoop twinTile[2][maxTileRows + 1];
  DepthwiseLoop depthwise[CodeKinds][2];
  DepthwiseQuadLoop depthwiseQuads;
  WidenLoop widen[CodeKinds];
  AddSumsLoop addSums[2];
};

#if defined(__x86_64__)
bool hasAvx512();
/// Replaces what AVX-512 has better loops for.
void setAvx512(MultiplyAdd &loops);
#endif

/// The loops of the instruction set in use.
const MultiplyAdd &multiplyAdd();

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_MULTIPLYADD_H
