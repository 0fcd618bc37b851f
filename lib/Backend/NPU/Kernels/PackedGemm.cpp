//===- PackedGemm.cpp - Exact integer products of matrices ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of rows come together in a buffer that fits the second-level cache,
// widened to 16 bits unless weights are bytes; taps of a convolution are then
// rows of a matrix. Each panel of weights passes over the block, piece by
// piece.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/PackedGemm.h"
#include "MultiplyAdd.h"
#include "TapRuns.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Support/Parallel.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace parallax::npu {

static_assert(panelColumns == PackedWeights::panelWidth);

/// Rows whose sums are kept while a panel passes over them.
static constexpr int64_t maxBlockRows = 96;
static constexpr int64_t maxBlockBytes = 256 * 1024;
static constexpr int64_t cacheLine = 64;
/// Products that make it worth to wake another thread.
static constexpr int64_t grainProducts = 1 << 18;

namespace {
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
  }
  /// What sums of bytes begin with; null if they go on.
  const int32_t *partStart() const { return hasPart ? nullptr : narrowStart; }
  int32_t *part(int64_t row) { return narrow + row * panelColumns; }
  bool accumulates() const { return hasPart; }
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
} // namespace

template <typename Acc>
static void checkTypes(const RowSource &x, const PackedWeights &w) {
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
static void emit(const SumSink<Acc> &sink, const PackedWeights &w,
                 int64_t panel, int64_t row, int64_t rows,
                 const PanelSums<Acc> &sums) {
  int64_t width = w.columnsPerPanel(), column = panel * width;
  sink.take({row, rows, column, std::min(width, w.columns() - column),
             sums.sums(), width});
}

/// Copies bytes; runs are as short as those that are widened.
static void copyBytes(const char *from, int64_t count, char *to) {
  auto inPacks = [&]<int64_t size>(std::integral_constant<int64_t, size>) {
    for (int64_t i = 0; i + size < count; i += size)
      std::memcpy(to + i, from + i, size);
    std::memcpy(to + count - size, from + count - size, size);
  };
  if (count >= 16)
    return inPacks(std::integral_constant<int64_t, 16>());
  if (count >= 4)
    return inPacks(std::integral_constant<int64_t, 4>());
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i];
}

/// Rows of codes, ready for tiles.
struct RowBlock {
  const char *codes;
  int64_t stride; // in bytes
};

/// Brings the rows of all taps together in `to`. What follows a row whose depth
/// is not a multiple of two, or four, meets weights of zero.
static void gatherRows(const MultiplyAdd &loops, const TapRuns &runs,
                       const Reading &reading, bool isBytes, char *to,
                       int64_t stride) {
  WidenLoop widen = loops.widen[reading.kind];
  for (const TapRun &run : runs.all()) {
    runs.forEachPiece(
        run, [&](const char *from, int64_t step, int64_t codes, int64_t at) {
          for (int64_t r = 0; r < run.rows; ++r) {
            char *row = to + r * stride;
            if (isBytes)
              copyBytes(from + r * step, codes, row + at);
            else
              widen(from + r * step, codes, reading.offset,
                    reinterpret_cast<int16_t *>(row) + at);
          }
        });
    to += run.rows * stride;
  }
}

/// A buffer of this thread, with at least `size` elements.
static char *threadBuffer(int64_t size) {
  static thread_local std::vector<char> buffer;
  if (int64_t(buffer.size()) < size)
    buffer.resize(size);
  return buffer.data();
}

template <typename Acc>
void gemm(const RowSource &x, const PackedWeights &w,
          const SumSink<Acc> &sink) {
  const Reading reading(x.type, x.zeroPoint, w.isBytes());
  checkTypes<Acc>(x, w);
  const int64_t depth = w.depth();
  const bool hasTaps = x.taps || x.finder;
  if ((hasTaps ? x.tapCount * x.channels : x.channels) != depth)
    throw Error(fmt::format("rows of {} codes meet weights of depth {}",
                            x.channels * (hasTaps ? x.tapCount : 1), depth));
  const MultiplyAdd &loops = multiplyAdd();
  const bool isBytes = w.isBytes();
  const int64_t rowBytes = w.groups(w.pairs()) * 4;
  const int64_t tileRows = isBytes ? maxTileRows : loops.tileRows;
  // An odd number of cache lines, so that rows don't compete for one set.
  const int64_t stride =
      ((rowBytes + cacheLine - 1) / cacheLine | 1) * cacheLine;
  const int64_t blockRows =
      std::clamp(maxBlockBytes / stride, 2 * tileRows, maxBlockRows);
  // Rows of bytes that need no more than they have stay where they are.
  const bool isReady = isBytes && !hasTaps && depth == rowBytes &&
                       x.rowStride % (cacheLine * 8) != 0;
  const Tasks tasks(x.rows, w.panels(), blockRows);
  const int64_t products =
      x.rows * w.columns() * depth / std::max<int64_t>(tasks.count(), 1);
  const int64_t grain =
      std::max<int64_t>(1, grainProducts / std::max<int64_t>(products, 1));

  parallelFor(tasks.count(), grain, [&](int64_t begin, int64_t end) {
    char *buffer = isReady ? nullptr : threadBuffer(blockRows * stride);
    RowBlock found{buffer, stride};
    TapRuns runs(x, reading.codeSize);
    PanelSums<Acc> sums;
    int64_t gathered = -1;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t block = task / tasks.groups, group = task % tasks.groups;
      const int64_t firstRow = tasks.firstRow(block);
      const int64_t rows = tasks.firstRow(block + 1) - firstRow;
      if (isReady) {
        found = {static_cast<const char *>(x.data) + x.firstChannel +
                     firstRow * x.rowStride,
                 x.rowStride};
      } else if (gathered != block) {
        runs.find(firstRow, rows);
        gatherRows(loops, runs, reading, isBytes, buffer, stride);
      }
      gathered = block;
      // Tiles of nearly equal height: a tile of one row wastes the registers.
      const int64_t tiles = (rows + tileRows - 1) / tileRows;
      for (int64_t panel = tasks.firstPanel(group);
           panel < tasks.firstPanel(group + 1); ++panel) {
        sums.begin(w, panel, reading.residue);
        const int8_t *weights = w.panel(panel);
        const char *codes = found.codes;
        for (PackedWeights::Piece piece : w.pieces(panel)) {
          const int64_t groups = w.groups(piece.pairs);
          for (int64_t tile = 0; tile < tiles; ++tile) {
            const int64_t from = rows * tile / tiles;
            const int64_t height = rows * (tile + 1) / tiles - from;
            const char *own = codes + from * found.stride;
            if (isBytes)
              loops.quadTile[height](reinterpret_cast<const uint8_t *>(own),
                                     found.stride, weights, groups,
                                     sums.partStart(), sums.part(from));
            else
              loops.tile[height](reinterpret_cast<const int16_t *>(own),
                                 found.stride / 2,
                                 reinterpret_cast<const int16_t *>(weights),
                                 groups, sums.part(from), sums.accumulates());
          }
          sums.endPiece(loops, piece.isLastOfSum, w.isSplit(), rows);
          codes += groups * 4;
          weights += groups * PackedWeights::groupSize;
        }
        emit(sink, w, panel, firstRow, rows, sums);
      }
    }
  });
}

namespace {
/// The last channels, if they don't fill a panel, for some rows.
class TailTaps {
public:
  TailTaps(const RowSource &x, int64_t width)
      : taps(size_t(x.tapCount)),
        steps(size_t(x.tapCount), x.tapCount * width * 2),
        codes(size_t(maxDepthwiseRows * x.tapCount * width)) {
    for (size_t t = 0; t < taps.size(); ++t)
      taps[t] = reinterpret_cast<const char *>(codes.data() + t * width);
    this->width = width;
  }

  TapRows widen(WidenLoop loop, const TapRows &from, int64_t channels) {
    for (int64_t r = 0; r < from.rows; ++r)
      for (int64_t t = 0; t < from.count; ++t)
        loop(from.tap(t) + r * from.steps[t], channels, from.offset,
             codes.data() + (r * int64_t(taps.size()) + t) * width);
    return {taps.data(), steps.data(), 0, from.rows, from.count, 0, 0};
  }

private:
  std::vector<const char *> taps;
  std::vector<int64_t> steps;
  std::vector<int16_t> codes;
  int64_t width;
};
} // namespace

template <typename Acc>
void depthwise(const RowSource &x, const PackedWeights &w,
               const SumSink<Acc> &sink) {
  const Reading reading(x.type, x.zeroPoint, false);
  checkTypes<Acc>(x, w);
  if (w.isBytes())
    throw Error("weights of a depthwise convolution must be packed for it");
  if (x.tapCount != w.depth() || x.channels != w.columns() ||
      !(x.taps || x.finder))
    throw Error(fmt::format("a depthwise convolution of {} channels with {} "
                            "taps meets weights of {} channels with {} taps",
                            x.channels, x.tapCount, w.columns(), w.depth()));
  const MultiplyAdd &loops = multiplyAdd();
  const Tasks tasks(x.rows, 1, maxBlockRows);
  const int64_t width = w.columnsPerPanel();
  const int64_t grain = std::max<int64_t>(
      1, grainProducts / (maxBlockRows * w.columns() * w.depth() + 1));

  parallelFor(tasks.count(), grain, [&](int64_t begin, int64_t end) {
    TailTaps tail(x, width);
    TapRuns runs(x, reading.codeSize);
    PanelSums<Acc> sums;
    for (int64_t block = begin; block < end; ++block) {
      const int64_t firstRow = tasks.firstRow(block);
      const int64_t rows = tasks.firstRow(block + 1) - firstRow;
      runs.find(firstRow, rows);
      for (int64_t panel = 0; panel < w.panels(); ++panel) {
        const int64_t channel = panel * width;
        const int64_t count = std::min(width, x.channels - channel);
        sums.begin(w, panel, reading.residue);
        auto *weights = reinterpret_cast<const int16_t *>(w.panel(panel));
        int64_t tap = 0;
        for (PackedWeights::Piece piece : w.pieces(panel)) {
          const int64_t pieceTaps =
              std::min<int64_t>(2 * piece.pairs, x.tapCount - tap);
          int64_t row = 0;
          for (const TapRun &run : runs.all())
            for (int64_t r = 0; r < run.rows; r += maxDepthwiseRows) {
              TapRows some{.taps = run.taps + tap,
                           .steps = run.steps + tap,
                           .first = r,
                           .rows = std::min(maxDepthwiseRows, run.rows - r),
                           .count = pieceTaps,
                           .byteOffset = channel * reading.codeSize,
                           .offset = reading.offset};
              CodeKind kind = reading.kind;
              if (count < width && !x.hasSlack) {
                some = tail.widen(loops.widen[kind], some, count);
                kind = Code16;
              }
              loops.depthwise[kind][w.isSplit()](some, weights, sums.part(row),
                                                 sums.accumulates());
              row += some.rows;
            }
          sums.endPiece(loops, piece.isLastOfSum, w.isSplit(), rows);
          tap += pieceTaps;
          weights += 2 * piece.pairs * panelColumns;
        }
        emit(sink, w, panel, firstRow, rows, sums);
      }
    }
  });
}

template void gemm(const RowSource &, const PackedWeights &,
                   const SumSink<int32_t> &);
template void gemm(const RowSource &, const PackedWeights &,
                   const SumSink<int64_t> &);
template void depthwise(const RowSource &, const PackedWeights &,
                        const SumSink<int32_t> &);
template void depthwise(const RowSource &, const PackedWeights &,
                        const SumSink<int64_t> &);

} // namespace parallax::npu
