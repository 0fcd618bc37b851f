//===- PackedWeights.cpp - Weights in the order of their use --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Lays weights out in panels, and proves on the weights themselves how many
// products can be added in 32 bits. Real weights are mostly small, so the proof
// allows sums several times as long as their type alone would.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/Kernels/InstructionSet.h"
#include "parallax/Backend/NPU/Kernels/PackedGemm.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>

namespace parallax::npu {

/// Sums are bounded, and panels cut, at multiples of so many pairs.
static constexpr int64_t stepPairs = 16;
/// So many pairs of a panel stay in the first-level cache, beside the rows.
static constexpr int64_t cachedPairs = 256;

static int64_t roundedToQuads(int64_t lines) { return (lines + 3) / 4 * 4; }

static bool isEightBit(DType type) {
  return type == DType::U8 || type == DType::I8;
}

WeightView rowMajorWeights(const Tensor &w, int32_t zeroPoint) {
  int64_t columns = w.dim(0);
  int64_t depth = columns == 0 ? 0 : w.size() / columns;
  return {.data = w.rawData(),
          .type = w.dtype(),
          .zeroPoint = zeroPoint,
          .columns = columns,
          .channels = depth,
          .columnStride = depth};
}

WeightView convolutionWeights(const Tensor &w, int32_t zeroPoint) {
  int64_t taps = elementCount(std::span(w.shape()).subspan(2));
  return {.data = w.rawData(),
          .type = w.dtype(),
          .zeroPoint = zeroPoint,
          .columns = w.dim(0),
          .taps = taps,
          .channels = w.dim(1),
          .columnStride = w.dim(1) * taps,
          .tapStride = 1,
          .channelStride = taps};
}

/// The largest magnitude of the operand. Weights are worth a look; activations,
/// which come anew with every run, are taken for the worst of their type.
template <typename T> static int64_t largestMagnitude(const WeightView &view) {
  T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  if (std::is_same_v<T, int16_t> && view.zeroPoint == 0) {
    low = high = 0;
    const T *data = static_cast<const T *>(view.data);
    for (int64_t column = 0; column < view.columns; ++column)
      for (int64_t tap = 0; tap < view.taps; ++tap) {
        const T *from =
            data + column * view.columnStride + tap * view.tapStride;
        for (int64_t channel = 0; channel < view.channels; ++channel) {
          T value = from[channel * view.channelStride];
          low = std::min(low, value);
          high = std::max(high, value);
        }
      }
  }
  return std::max(std::abs(int64_t(low) - view.zeroPoint),
                  std::abs(int64_t(high) - view.zeroPoint));
}

namespace {
/// Follows the sums of the magnitudes in each column of a panel, and cuts it
/// before one of them could exceed the limit.
class Cutter {
public:
  Cutter(int64_t limit, std::vector<PackedWeights::Piece> &pieces)
      : limit(limit), pieces(pieces) {}

  void endStep(int64_t pairs, const int32_t *magnitudes) {
    bool fits = true;
    for (int64_t c = 0; c < PackedWeights::panelWidth; ++c)
      fits &= totals[c] + magnitudes[c] <= limit;
    if (!fits)
      close(true);
    else if (open + pairs > cachedPairs)
      close(false);
    open += pairs;
    for (int64_t c = 0; c < PackedWeights::panelWidth; ++c)
      totals[c] += magnitudes[c];
  }

  void close(bool isLastOfSum) {
    if (open > 0)
      pieces.push_back({int32_t(open), isLastOfSum});
    else if (isLastOfSum && !pieces.empty())
      pieces.back().isLastOfSum = true;
    open = 0;
    if (isLastOfSum)
      std::fill_n(totals, PackedWeights::panelWidth, 0);
  }

private:
  int64_t limit;
  std::vector<PackedWeights::Piece> &pieces;
  int64_t open = 0;
  int64_t totals[PackedWeights::panelWidth] = {};
};
} // namespace

namespace {
/// One step of a panel: numbers [k][column], zero where there are none.
class Step {
public:
  static constexpr int64_t columns = PackedWeights::panelWidth;

  template <typename T>
  void readRow(int64_t k, const T *from, int64_t stride, int64_t count,
               int32_t zeroPoint) {
    for (int64_t c = 0; c < count; ++c)
      values[k][c] = int32_t(from[c * stride]) - zeroPoint;
  }
  void clearRow(int64_t k) { std::fill_n(values[k], columns, 0); }

  void addTo(int64_t *sums, int64_t rows, int64_t width) const {
    int32_t own[columns] = {};
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t c = 0; c < columns; ++c)
        own[c] += values[k][c];
    for (int64_t c = 0; c < width; ++c)
      sums[c] += own[c];
  }

  /// Low parts in [-128, 127] to the first half, high parts to the second.
  void split(int64_t rows) {
    constexpr int64_t half = columns / 2;
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t c = 0; c < half; ++c) {
        int32_t high = (values[k][c] + 128) >> 8;
        values[k][c] -= 256 * high;
        values[k][c + half] = high;
      }
  }

  void addMagnitudes(int64_t rows, int32_t *magnitudes) const {
    int32_t own[columns] = {};
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t c = 0; c < columns; ++c)
        own[c] += std::abs(values[k][c]);
    std::copy_n(own, columns, magnitudes);
  }

  void writePairs(int64_t pairs, int16_t *to) const {
    for (int64_t p = 0; p < pairs; ++p, to += 2 * columns) {
      const int32_t *first = values[2 * p], *second = values[2 * p + 1];
      for (int64_t c = 0; c < columns; ++c) {
        to[2 * c] = int16_t(first[c]);
        to[2 * c + 1] = int16_t(second[c]);
      }
    }
  }

  /// Writes four rows at a time, as bytes.
  void writeBytes(int64_t quads, int8_t *to) const {
    for (int64_t q = 0; q < quads; ++q)
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t k = 0; k < 4; ++k)
          *to++ = int8_t(values[4 * q + k][c]);
  }

private:
  alignas(64) int32_t values[2 * stepPairs][columns] = {};
};
} // namespace

template <typename T> void PackedWeights::packAs(const WeightView &view) {
  const int64_t maxActivation = isEightBit(activationType) ? 255 : 32768;
  const int64_t limit = std::numeric_limits<int32_t>::max() / maxActivation;
  const int64_t largest = largestMagnitude<T>(view);
  // Unsplit, several steps must fit between two cuts.
  split = largest > std::numeric_limits<int16_t>::max() ||
          largest * 2 * stepPairs * 2 > limit;

  const int64_t width = columnsPerPanel();
  const int64_t panelSize = groups(pairs()) * groupSize;
  if (codes.isNull() || codes.size() < panels() * panelSize)
    codes = Tensor(DType::I8, {panels() * panelSize});
  sums.assign(panels() * width, 0);
  allPieces.clear();
  firstPiece.assign(1, 0);

  const bool inColumns = bytes && depthwise;
  const int64_t paddedLines = inColumns ? roundedToQuads(depthwise->lines) : 0;
  int64_t largestColumn = 0;
  for (int64_t p = 0; p < panels(); ++p) {
    const T *data =
        static_cast<const T *>(view.data) + p * width * view.columnStride;
    const int64_t count = std::min(width, columnCount - p * width);
    int8_t *to = codes.data<int8_t>() + p * panelSize;
    int64_t magnitudeSums[panelWidth] = {};
    Cutter cutter(limit, allPieces);
    Step step;
    int64_t tap = 0, channel = 0;
    for (int64_t k = 0; k < packedDepth; k += 2 * stepPairs) {
      const int64_t rows = std::min(2 * stepPairs, packedDepth - k);
      for (int64_t row = 0; row < rows; ++row) {
        if (inColumns) {
          int64_t line = (k + row) % paddedLines;
          tap = line * depthwise->columns + (k + row) / paddedLines;
          if (line >= depthwise->lines) {
            step.clearRow(row);
            continue;
          }
        }
        step.readRow(row,
                     data + tap * view.tapStride + channel * view.channelStride,
                     view.columnStride, count, view.zeroPoint);
        if (++channel == view.channels) {
          channel = 0;
          ++tap;
        }
      }
      for (int64_t row = rows; row % 4; ++row)
        step.clearRow(row);
      step.addTo(sums.data() + p * width, rows, width);
      if (split)
        step.split(rows);
      int32_t magnitudes[panelWidth];
      const int64_t stepSize = (rows + 1) / 2;
      step.addMagnitudes(rows, magnitudes);
      if (bytes)
        step.writeBytes(groups(stepSize), to);
      else
        step.writePairs(stepSize, reinterpret_cast<int16_t *>(to));
      to += groups(stepSize) * groupSize;
      cutter.endStep(stepSize, magnitudes);
      for (int64_t c = 0; c < panelWidth; ++c)
        magnitudeSums[c] += magnitudes[c];
    }
    cutter.close(true);
    // A sum of nothing is computed like any other.
    if (packedDepth == 0)
      allPieces.push_back({0, true});
    firstPiece.push_back(int64_t(allPieces.size()));
    largestColumn =
        std::max(largestColumn,
                 *std::max_element(magnitudeSums, magnitudeSums + panelWidth));
  }
  // Less a zero point, 16-bit codes have 17 bits.
  const int64_t maxNumber = isEightBit(activationType) ? 255 : 65535;
  largestSum = largestColumn * maxNumber;
  hasNarrowSums = !split && largestSum <= std::numeric_limits<int32_t>::max();
}

void PackedWeights::pack(const WeightView &view, DType activations,
                         std::optional<DepthwiseTaps> taps) {
  bytes = activations == DType::U8 && view.type == DType::I8 &&
          view.zeroPoint == 0 && instructionSet() == InstructionSet::AVX512;
  columnCount = view.columns;
  depthCount = packedDepth = view.taps * view.channels;
  activationType = activations;
  depthwise = taps;
  if (taps && bytes) {
    packedDepth = roundedToQuads(taps->lines) * taps->columns;
    // They are one piece, or as others are.
    bytes = packedDepth > 0 && packedDepth <= 2 * cachedPairs;
    packedDepth = bytes ? packedDepth : depthCount;
  }
  dispatchCodes("a packed product", view.type,
                [&](auto tag) { packAs<typename decltype(tag)::type>(view); });
}

} // namespace parallax::npu
