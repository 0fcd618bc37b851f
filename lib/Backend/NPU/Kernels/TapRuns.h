//===- TapRuns.h - Rows whose taps move alike ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Next to each other, windows cover pixels next to each other: but at the edges
// of a picture, all taps of a row are those of the row before, some bytes
// further. So taps are looked up once for such a run of rows, and so is which
// of them lie together in memory.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_TAPRUNS_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_TAPRUNS_H

#include "parallax/Backend/NPU/Kernels/PackedGemm.h"

namespace parallax::npu {

/// Tap t of row r is at taps[t] + r * steps[t]; steps are in bytes.
struct TapRun {
  int64_t rows;
  const char *const *taps;
  const int64_t *steps;
};

/// The runs of a block of rows. A matrix is one run of one tap.
class TapRuns {
public:
  TapRuns(const RowSource &x, int64_t codeSize)
      : x(x), codeSize(codeSize), isMatrix(!x.taps && !x.finder),
        tapCount(isMatrix ? 1 : x.tapCount) {}

  void find(int64_t firstRow, int64_t rows) {
    runs.clear();
    taps.resize(size_t(rows * tapCount));
    steps.resize(size_t(rows * tapCount));
    const char **to = taps.data();
    int64_t *step = steps.data();
    while (rows > 0) {
      int64_t count = findRun(firstRow, rows, to, step);
      runs.push_back({count, to, step});
      to += tapCount;
      step += tapCount;
      firstRow += count;
      rows -= count;
    }
  }
  std::span<const TapRun> all() const { return runs; }

  /// Calls fn(from, step, codes, at) for taps of a run that follow each other:
  /// so many codes of its first row, which are the codes from `at` of a sum.
  template <typename Fn> void forEachPiece(const TapRun &run, Fn fn) const {
    const int64_t bytes = x.channels * codeSize;
    for (int64_t t = 0; t < tapCount;) {
      int64_t next = t + 1;
      while (next < tapCount && run.steps[next] == run.steps[t] &&
             run.taps[next] == run.taps[next - 1] + bytes)
        ++next;
      fn(run.taps[t], run.steps[t], (next - t) * x.channels, t * x.channels);
      t = next;
    }
  }

private:
  int64_t findRun(int64_t row, int64_t rows, const char **to,
                  int64_t *step) const {
    const int64_t skip = x.firstChannel * codeSize;
    int64_t count = 1;
    if (isMatrix) {
      *step = x.rowStride * codeSize;
      *to = static_cast<const char *>(x.data) + row * *step;
      count = rows;
    } else if (x.finder) {
      count = x.finder->find(row, rows, to, step);
    } else {
      for (int64_t t = 0; t < tapCount; ++t)
        to[t] = static_cast<const char *>(x.taps[row * tapCount + t]);
      std::fill_n(step, tapCount, 0);
    }
    for (int64_t t = 0; t < tapCount; ++t)
      to[t] += skip;
    return count;
  }

  const RowSource &x;
  int64_t codeSize;
  bool isMatrix;
  int64_t tapCount;
  std::vector<TapRun> runs;
  std::vector<const char *> taps;
  std::vector<int64_t> steps;
};

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_TAPRUNS_H
