//===- PanelSums.h - What products of panels share -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices and depthwise convolutions read codes, cut their work
// and keep sums in the same way.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_PANELSUMS_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_PANELSUMS_H

#include "MultiplyAdd.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/Kernels/PackedGemm.h"
#include "parallax/Support/Parallel.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace parallax::npu {

static_assert(panelColumns == PackedWeights::panelWidth);

/// Rows whose sums are kept while a panel passes over them.
inline constexpr int64_t maxBlockRows = 96;
/// Products that make it worth to wake another thread.
inline constexpr int64_t grainProducts = 1 << 18;

/// How codes become numbers: `code - offset`, in 16 bits, or without an offset
/// if they stay bytes. What of the zero point is left, `residue`, times the sum
/// of a column is added to its sums.
struct Reading {
  CodeKind kind;
  int64_t codeSize;
  int16_t offset;
  int64_t residue;

  Reading(DType type, int32_t zeroPoint, bool isBytes)
      : codeSize(sizeOf(type)) {
    dispatchCodes("a packed product", type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (zeroPoint < std::numeric_limits<T>::min() ||
          zeroPoint > std::numeric_limits<T>::max())
        throw Error(fmt::format("zero point {} is no code of type {}",
                                zeroPoint, nameOf(type)));
      constexpr bool isSigned = std::is_signed_v<T>;
      kind = sizeof(T) == 2 ? Code16 : isSigned ? CodeS8 : CodeU8;
      int32_t subtracted = isBytes          ? 0
                           : sizeof(T) == 1 ? zeroPoint
                           : isSigned       ? 0
                                            : 32768;
      offset = int16_t(subtracted);
      residue = subtracted - zeroPoint;
    });
  }
};

/// The sums of some rows with one panel: in 32 bits up to a cut, then in Acc.
template <typename Acc> class PanelSums {
public:
  void begin(const PackedWeights &w, int64_t panel, int64_t residue) {
    hasPart = hasSums = false;
    for (int64_t c = 0; c < w.columnsPerPanel(); ++c) {
      start[c] = residue * w.columnSums(panel)[c];
      narrowStart[c] = isWide ? 0 : int32_t(start[c]);
    }
    // Of columns with high parts, which are always added to wide sums.
    for (int64_t c = w.columnsPerPanel(); c < panelColumns; ++c)
      narrowStart[c] = 0;
  }
  /// What sums of a piece begin with; null if they go on.
  const int32_t *partStart() const { return hasPart ? nullptr : narrowStart; }
  int32_t *part(int64_t row) { return narrow + row * panelColumns; }
  void endPiece(const MultiplyAdd &loops, bool isLastOfSum, bool isSplit,
                int64_t rows) {
    hasPart = true;
    if (isWide && isLastOfSum) {
      loops.addSums[isSplit](narrow, rows, hasSums ? nullptr : start, wide);
      hasPart = false;
      hasSums = true;
    }
  }
  const Acc *sums() const {
    if constexpr (isWide)
      return wide;
    else
      return narrow;
  }

private:
  static constexpr bool isWide = std::is_same_v<Acc, int64_t>;
  static constexpr int64_t size = maxBlockRows * panelColumns;
  alignas(64) int32_t narrow[size];
  alignas(64) int64_t wide[isWide ? size : 1];
  int64_t start[panelColumns];
  int32_t narrowStart[panelColumns];
  bool hasPart = false, hasSums = false;
};

/// The work as tasks: blocks of rows, times groups of panels where there are
/// too few blocks to keep all threads busy.
struct Tasks {
  int64_t rows, panels, blocks, groups;

  Tasks(int64_t rows, int64_t panels, int64_t rowsPerBlock)
      : rows(rows), panels(panels),
        blocks((rows + rowsPerBlock - 1) / rowsPerBlock), groups(1) {
    int64_t threads = threadCount();
    if (threads > 1 && blocks < 4 * threads)
      groups = std::min(panels, threads);
  }
  int64_t count() const { return blocks * groups; }
  int64_t firstRow(int64_t block) const { return rows * block / blocks; }
  int64_t firstPanel(int64_t group) const { return panels * group / groups; }
};
template <typename Acc>
void checkTypes(const RowSource &x, const PackedWeights &w) {
  if (w.isBytes() ? x.type != w.activations()
                  : sizeOf(x.type) != sizeOf(w.activations()))
    throw Error(fmt::format("weights were packed for {} activations and meet "
                            "{}; pack them for this type",
                            nameOf(w.activations()), nameOf(x.type)));
  if (std::is_same_v<Acc, int32_t> && !w.fitsInt32())
    throw Error(fmt::format("sums of {} products of these weights may exceed "
                            "32 bits; use 64-bit sums",
                            w.depth()));
}

template <typename Acc>
void emit(const SumSink<Acc> &sink, const PackedWeights &w, int64_t panel,
          int64_t row, int64_t rows, const PanelSums<Acc> &sums) {
  int64_t width = w.columnsPerPanel(), column = panel * width;
  sink.take({row, rows, column, std::min(width, w.columns() - column),
             sums.sums(), width});
}

/// Bytes of some rows, `step` and `stride` apart.
struct RowCopy {
  const char *from;
  int64_t step, rows, count;
  char *to;
  int64_t stride;

  /// In packs, the last of which overlaps the one before it.
  template <int64_t size> void inPacks() const {
    for (int64_t r = 0; r < rows; ++r) {
      const char *source = from + r * step;
      char *row = to + r * stride;
      for (int64_t i = 0; i + size < count; i += size)
        std::memcpy(row + i, source + i, size);
      std::memcpy(row + count - size, source + count - size, size);
    }
  }
};

/// Runs are often short, such as three channels of a few taps.
inline void copyRows(const RowCopy &rows) {
  if (rows.count >= 16)
    return rows.inPacks<16>();
  if (rows.count >= 8)
    return rows.inPacks<8>();
  if (rows.count >= 4)
    return rows.inPacks<4>();
  if (rows.count >= 1)
    return rows.inPacks<1>();
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_PANELSUMS_H
