//===- TapTables.h - The pixels under a window -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// With the channels innermost, what a window covers is a list of pixels, which
// is the same for all channels. Two tables make it cheap to write.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_TAPTABLES_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_TAPTABLES_H

#include "Windows.h"

#include <algorithm>

namespace parallax::npu {

/// Where the taps of an output lie, as numbers of pixels. All axes but the last
/// share one table, so that a window of any rank has two parts.
struct TapTables {
  int64_t outerTaps = 1, innerTaps = 1, innerOut = 1;
  int64_t pixels = 1, positions = 1;
  int64_t lineIn = 1;                // pixels along the last axis
  std::vector<int64_t> outer, inner; // -1 outside of the input
  /// From each place of a line, how many outputs have taps that are all
  /// `runStep` pixels further than those of the output before.
  std::vector<int64_t> runs;
  int64_t runStep = 0;

  explicit TapTables(const WindowShape &shape) {
    size_t last = shape.kernel.size() - 1;
    Windows lines = part(shape, 0, last), columns = part(shape, last, 1);
    outerTaps = lines.taps();
    innerTaps = columns.taps();
    innerOut = shape.out[last];
    lineIn = shape.in[last];
    int64_t outerOut = elementCount(shape.out.first(last));
    positions = outerOut * innerOut;
    pixels = elementCount(shape.in);
    fill(lines, outerOut, shape.in[last], outer);
    fill(columns, innerOut, 1, inner);
    findRuns();
  }

  /// The tables of some lines and columns of outputs, without taps that never
  /// fall into the input there. `kept` receives the numbers of the other taps.
  TapTables select(std::span<const int64_t> lines,
                   std::span<const int64_t> columns,
                   std::vector<int64_t> &kept) const {
    TapTables part(*this);
    std::vector<int64_t> keptOuter = hitTaps(outer, outerTaps, lines);
    std::vector<int64_t> keptInner = hitTaps(inner, innerTaps, columns);
    part.outer = selectFrom(outer, outerTaps, lines, keptOuter);
    part.inner = selectFrom(inner, innerTaps, columns, keptInner);
    part.outerTaps = int64_t(keptOuter.size());
    part.innerTaps = int64_t(keptInner.size());
    part.innerOut = int64_t(columns.size());
    part.positions = int64_t(lines.size() * columns.size());
    for (int64_t o : keptOuter)
      for (int64_t i : keptInner)
        kept.push_back(o * innerTaps + i);
    part.findRuns();
    return part;
  }

  /// Writes the pixels under the window at `position` and returns their number.
  int64_t pixelsOf(int64_t position, int64_t *to) const {
    const int64_t *line = outer.data() + position / innerOut * outerTaps;
    const int64_t *column = inner.data() + position % innerOut * innerTaps;
    int64_t count = 0;
    for (int64_t o = 0; o < outerTaps; ++o)
      for (int64_t i = 0; i < innerTaps; ++i)
        if ((line[o] | column[i]) >= 0)
          to[count++] = line[o] + column[i];
    return count;
  }

private:
  /// How far all taps of output `at` move to the next one; -1 if they don't
  /// move alike, or one of them enters or leaves the input.
  int64_t stepAfter(int64_t at) const {
    const int64_t *from = inner.data() + at * innerTaps, *to = from + innerTaps;
    int64_t step = 0;
    for (int64_t i = 0; i < innerTaps; ++i) {
      if (from[i] < 0 && to[i] < 0)
        continue;
      if (from[i] < 0 || to[i] <= from[i] || (step && to[i] - from[i] != step))
        return -1;
      step = to[i] - from[i];
    }
    return step;
  }
  void findRuns() {
    runs.assign(size_t(innerOut), 1);
    runStep = 0;
    for (int64_t at = innerOut - 1; at-- > 0;) {
      int64_t step = stepAfter(at);
      if (step > 0 && runStep == 0)
        runStep = step;
      if (step == 0 || step == runStep)
        runs[size_t(at)] = runs[size_t(at) + 1] + 1;
    }
  }

  static std::vector<int64_t> hitTaps(const std::vector<int64_t> &table,
                                      int64_t taps,
                                      std::span<const int64_t> outputs) {
    std::vector<int64_t> result;
    for (int64_t t = 0; t < taps; ++t)
      if (std::ranges::any_of(outputs, [&](int64_t o) {
            return table[size_t(o * taps + t)] >= 0;
          }))
        result.push_back(t);
    return result;
  }
  static std::vector<int64_t> selectFrom(const std::vector<int64_t> &table,
                                         int64_t taps,
                                         std::span<const int64_t> outputs,
                                         std::span<const int64_t> kept) {
    std::vector<int64_t> result;
    for (int64_t o : outputs)
      for (int64_t t : kept)
        result.push_back(table[size_t(o * taps + t)]);
    return result;
  }
  static Windows part(const WindowShape &shape, size_t first, size_t count) {
    auto some = [&](const Shape &values) {
      return Shape(values.begin() + int64_t(first),
                   values.begin() + int64_t(first + count));
    };
    return Windows({shape.in.subspan(first, count),
                    shape.out.subspan(first, count),
                    some(shape.kernel),
                    some(shape.strides),
                    some(shape.dilations),
                    some(shape.padsBegin),
                    {},
                    shape.transposed});
  }
  static void fill(const Windows &windows, int64_t out, int64_t scale,
                   std::vector<int64_t> &table) {
    table.resize(size_t(out * windows.taps()));
    for (int64_t o = 0; o < out; ++o)
      windows.inputsOf(o, table.data() + o * windows.taps());
    for (int64_t &entry : table)
      entry = entry < 0 ? -1 : entry * scale;
  }
};

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_TAPTABLES_H
