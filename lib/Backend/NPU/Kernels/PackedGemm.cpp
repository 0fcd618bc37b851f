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
#include "PanelSums.h"
#include "TapRuns.h"

namespace parallax::npu {

static constexpr int64_t maxBlockBytes = 256 * 1024;
static constexpr int64_t cacheLine = 64;

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
          if (isBytes)
            return copyRows({from, step, run.rows, codes, to + at, stride});
          for (int64_t r = 0; r < run.rows; ++r)
            widen(from + r * step, codes, reading.offset,
                  reinterpret_cast<int16_t *>(to + r * stride) + at);
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

namespace {
/// A panel on its way over a block of rows.
template <typename Acc> struct PanelWalk {
  PanelSums<Acc> sums;
  std::span<const PackedWeights::Piece> pieces;
  const int8_t *weights = nullptr;
  /// Of the first piece.
  int64_t left = 0;

  void begin(const PackedWeights &w, int64_t panel, int64_t residue) {
    sums.begin(w, panel, residue);
    pieces = w.pieces(panel);
    weights = w.panel(panel);
    left = pieces.front().pairs;
  }
  void advance(const MultiplyAdd &loops, const PackedWeights &w, int64_t pairs,
               int64_t rows) {
    weights += w.groups(pairs) * PackedWeights::groupSize;
    left -= pairs;
    sums.endPiece(loops, left == 0 && pieces.front().isLastOfSum, w.isSplit(),
                  rows);
    if (left > 0)
      return;
    pieces = pieces.subspan(1);
    left = pieces.empty() ? 0 : pieces.front().pairs;
  }
};

/// The products of a block of rows with panels, one or two at a time.
template <typename Acc> class BlockProduct {
public:
  BlockProduct(const PackedWeights &w, int64_t residue, int64_t tileRows)
      : w(w), residue(residue), tileRows(tileRows) {}

  /// Whether two panels can be multiplied together.
  bool hasTwins() const { return loops.twinTile[w.isBytes()][1]; }

  /// With `count` panels.
  void multiply(const RowBlock &block, int64_t rows, int64_t panel,
                int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      walks[i].begin(w, panel + i, residue);
    // Tiles of nearly equal height: one of a single row wastes the registers.
    const int64_t tiles = (rows + tileRows - 1) / tileRows;
    const char *codes = block.codes;
    // A sum of nothing is a piece, too.
    do {
      const int64_t pairs =
          count == 1 ? walks[0].left
                     : std::min({walks[0].left, walks[1].left, cachedTwins});
      const int64_t groups = w.groups(pairs);
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t from = rows * tile / tiles;
        const int64_t height = rows * (tile + 1) / tiles - from;
        multiplyTile(codes + from * block.stride, block.stride, groups, from,
                     height, count);
      }
      codes += groups * 4;
      for (int64_t i = 0; i < count; ++i)
        walks[i].advance(loops, w, pairs, rows);
    } while (!walks[0].pieces.empty());
  }

  const PanelSums<Acc> &sums(int64_t i) const { return walks[i].sums; }

private:
  /// So many pairs of two panels stay in the first-level cache; a multiple of
  /// what pieces are cut at.
  static constexpr int64_t cachedTwins = 128;

  void multiplyTile(const char *codes, int64_t stride, int64_t groups,
                    int64_t row, int64_t height, int64_t count) {
    auto tileOf = [&](PanelWalk<Acc> &walk) {
      return PanelTile{walk.weights, walk.sums.partStart(),
                       walk.sums.part(row)};
    };
    const PanelTile own = tileOf(walks[0]);
    if (count == 2)
      loops.twinTile[w.isBytes()][height](codes, stride, groups, own,
                                          tileOf(walks[1]));
    else if (w.isBytes())
      loops.quadTile[height](reinterpret_cast<const uint8_t *>(codes), stride,
                             own.panel, groups, own.start, own.sums);
    else
      loops.tile[height](reinterpret_cast<const int16_t *>(codes), stride / 2,
                         reinterpret_cast<const int16_t *>(own.panel), groups,
                         own.start, own.sums);
  }

  const MultiplyAdd &loops = multiplyAdd();
  const PackedWeights &w;
  const int64_t residue, tileRows;
  PanelWalk<Acc> walks[2];
};
} // namespace

template <typename Acc>
void gemm(const RowSource &x, const PackedWeights &w,
          const SumSink<Acc> &sink) {
  const Reading reading(x.type, x.zeroPoint, w.isBytes());
  checkTypes<Acc>(x, w);
  if (w.depthwiseTaps())
    throw Error("weights of a depthwise convolution meet a product");
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
    BlockProduct<Acc> product(w, reading.residue, tileRows);
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
      const int64_t end = tasks.firstPanel(group + 1);
      for (int64_t panel = tasks.firstPanel(group); panel < end;) {
        const int64_t count = product.hasTwins() && panel + 1 < end ? 2 : 1;
        product.multiply(found, rows, panel, count);
        for (int64_t i = 0; i < count; ++i, ++panel)
          emit(sink, w, panel, firstRow, rows, product.sums(i));
      }
    }
  });
}

template void gemm(const RowSource &, const PackedWeights &,
                   const SumSink<int32_t> &);
template void gemm(const RowSource &, const PackedWeights &,
                   const SumSink<int64_t> &);

} // namespace parallax::npu
