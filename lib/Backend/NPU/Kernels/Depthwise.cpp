//===- Depthwise.cpp - Exact depthwise convolutions -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each channel has a kernel of its own, so that codes are used where they lie:
// 16 channels of a tap are a vector.
//===----------------------------------------------------------------------===//
#include "PanelSums.h"
#include "TapRuns.h"

namespace parallax::npu {

namespace {
/// Rows whose last channels are brought together.
constexpr int64_t maxTailRows = 4;

/// The last channels, if they don't fill a panel, for some rows: as numbers of
/// 16 bits, or as the bytes that they are.
class TailTaps {
public:
  TailTaps(const RowSource &x, int64_t width, bool isBytes)
      : isBytes(isBytes), tapBytes(width * (isBytes ? 1 : 2)),
        taps(size_t(x.tapCount)),
        steps(size_t(x.tapCount), x.tapCount * tapBytes),
        codes(size_t(maxTailRows * x.tapCount * tapBytes)) {
    for (size_t t = 0; t < taps.size(); ++t)
      taps[t] = codes.data() + int64_t(t) * tapBytes;
  }

  TapRows take(WidenLoop widen, const TapRows &from, int64_t channels) {
    char *to = codes.data();
    for (int64_t r = 0; r < from.rows; ++r)
      for (int64_t t = 0; t < int64_t(taps.size()); ++t, to += tapBytes)
        if (t >= from.count)
          continue;
        else if (isBytes)
          copyRows({from.tap(t) + r * from.steps[t], 0, 1, channels, to, 0});
        else
          widen(from.tap(t) + r * from.steps[t], channels, from.offset,
                reinterpret_cast<int16_t *>(to));
    return {taps.data(), steps.data(), 0, from.rows, from.count, 0, 0};
  }

private:
  bool isBytes;
  int64_t tapBytes;
  std::vector<const char *> taps;
  std::vector<int64_t> steps;
  std::vector<char> codes;
};

/// The products of one panel with blocks of rows.
template <typename Acc> class DepthwisePanels {
public:
  DepthwisePanels(const RowSource &x, const PackedWeights &w)
      : x(x), w(w), reading(x.type, x.zeroPoint, w.isBytes()),
        tail(x, w.columnsPerPanel(), w.isBytes()) {}

  const PanelSums<Acc> &multiply(const TapRuns &runs, int64_t panel,
                                 int64_t rows) {
    const int64_t channel = panel * w.columnsPerPanel();
    const int64_t count = std::min(w.columnsPerPanel(), x.channels - channel);
    isCopied = count < w.columnsPerPanel() && !x.hasSlack;
    channels = count;
    byteOffset = channel * reading.codeSize;
    sums.begin(w, panel, reading.residue);
    const int8_t *weights = w.panel(panel);
    int64_t tap = 0;
    for (PackedWeights::Piece piece : w.pieces(panel)) {
      // Columns of bytes are one piece, of which some rows may be of zeros.
      const int64_t taps =
          w.isBytes() ? x.tapCount
                      : std::min<int64_t>(2 * piece.pairs, x.tapCount - tap);
      int64_t row = 0;
      for (const TapRun &run : runs.all()) {
        multiply(run, tap, taps, weights, row);
        row += run.rows;
      }
      sums.endPiece(loops, piece.isLastOfSum, w.isSplit(), rows);
      tap += taps;
      weights += w.groups(piece.pairs) * PackedWeights::groupSize;
    }
    return sums;
  }

private:
  void multiply(const TapRun &run, int64_t tap, int64_t taps,
                const int8_t *weights, int64_t row) {
    const int64_t most = isCopied ? maxTailRows : run.rows;
    for (int64_t r = 0; r < run.rows; r += most) {
      TapRows some{.taps = run.taps + tap,
                   .steps = run.steps + tap,
                   .first = r,
                   .rows = std::min(most, run.rows - r),
                   .count = taps,
                   .byteOffset = byteOffset,
                   .offset = reading.offset};
      CodeKind kind = reading.kind;
      if (isCopied) {
        some = tail.take(loops.widen[kind], some, channels);
        kind = Code16;
      }
      int32_t *to = sums.part(row + r);
      if (w.isBytes())
        loops.depthwiseQuads(some, w.depthwiseTaps()->lines,
                             w.depthwiseTaps()->columns, weights,
                             sums.partStart(), to);
      else
        loops.depthwise[kind][w.isSplit()](
            some, reinterpret_cast<const int16_t *>(weights), sums.partStart(),
            to);
    }
  }

  const MultiplyAdd &loops = multiplyAdd();
  const RowSource &x;
  const PackedWeights &w;
  const Reading reading;
  TailTaps tail;
  PanelSums<Acc> sums;
  bool isCopied = false;
  int64_t channels = 0, byteOffset = 0;
};
} // namespace

template <typename Acc>
void depthwise(const RowSource &x, const PackedWeights &w,
               const SumSink<Acc> &sink) {
  checkTypes<Acc>(x, w);
  if (!w.depthwiseTaps())
    throw Error("weights of a depthwise convolution must be packed for it");
  if (x.tapCount != w.depth() || x.channels != w.columns() ||
      !(x.taps || x.finder))
    throw Error(fmt::format("a depthwise convolution of {} channels with {} "
                            "taps meets weights of {} channels with {} taps",
                            x.channels, x.tapCount, w.columns(), w.depth()));
  const Tasks tasks(x.rows, 1, maxBlockRows);
  const int64_t grain = std::max<int64_t>(
      1, grainProducts / (maxBlockRows * w.columns() * w.depth() + 1));

  parallelFor(tasks.count(), grain, [&](int64_t begin, int64_t end) {
    DepthwisePanels<Acc> panels(x, w);
    TapRuns runs(x, int64_t(sizeOf(x.type)));
    for (int64_t block = begin; block < end; ++block) {
      const int64_t firstRow = tasks.firstRow(block);
      const int64_t rows = tasks.firstRow(block + 1) - firstRow;
      runs.find(firstRow, rows);
      for (int64_t panel = 0; panel < w.panels(); ++panel)
        emit(sink, w, panel, firstRow, rows,
             panels.multiply(runs, panel, rows));
    }
  });
}

template void depthwise(const RowSource &, const PackedWeights &,
                        const SumSink<int32_t> &);
template void depthwise(const RowSource &, const PackedWeights &,
                        const SumSink<int64_t> &);

} // namespace parallax::npu
