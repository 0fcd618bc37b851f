//===- PackedWeights.cpp - Weights in the order of their use --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Lays weights out in panels, and proves on the weights themselves how many
// products can be added in 32 bits. Real weights are mostly small, so the proof
// allows sums several times as long as their type alone would.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/PackedGemm.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace parallax::npu {

/// Sums are bounded, and panels cut, at multiples of so many pairs.
static constexpr int64_t stepPairs = 16;
/// So many pairs of a panel stay in the first-level cache, beside the rows.
static constexpr int64_t cachedPairs = 256;

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

template <typename T>
static int64_t largestMagnitude(const WeightView &view) {
  T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::min();
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

template <typename T> void PackedWeights::packAs(const WeightView &view) {
  const int64_t maxActivation = isEightBit(activationType) ? 255 : 32768;
  const int64_t limit = std::numeric_limits<int32_t>::max() / maxActivation;
  const int64_t largest = columnCount && depthCount
                              ? largestMagnitude<T>(view)
                              : int64_t(0);
  // Unsplit, several steps must fit between two cuts.
  split = largest > std::numeric_limits<int16_t>::max() ||
          largest * 2 * stepPairs * 2 > limit;

  const int64_t width = columnsPerPanel(), panelSize = pairs() * 2 * panelWidth;
  if (codes.isNull() || codes.size() < panels() * panelSize)
    codes = Tensor(DType::I16, {panels() * panelSize});
  sums.assign(panels() * width, 0);
  allPieces.clear();
  firstPiece.assign(1, 0);

  int64_t largestSum = 0;
  for (int64_t p = 0; p < panels(); ++p) {
    const T *data =
        static_cast<const T *>(view.data) + p * width * view.columnStride;
    const int64_t count = std::min(width, columnCount - p * width);
    int16_t *to = codes.data<int16_t>() + p * panelSize;
    if (count < width || depthCount % 2)
      std::fill_n(to, panelSize, int16_t(0));
    int64_t *columnSum = sums.data() + p * width;
    int64_t magnitudeSums[panelWidth] = {};
    Cutter cutter(limit, allPieces);

    int32_t magnitudes[panelWidth] = {};
    int64_t k = 0, stepBegin = 0;
    auto endStep = [&] {
      cutter.endStep((k - stepBegin + 1) / 2, magnitudes);
      for (int64_t c = 0; c < panelWidth; ++c)
        magnitudeSums[c] += std::exchange(magnitudes[c], 0);
      stepBegin = k;
    };
    auto put = [&](int64_t column, int32_t value) {
      to[k / 2 * 2 * panelWidth + column * 2 + k % 2] = int16_t(value);
      magnitudes[column] += std::abs(value);
    };
    for (int64_t tap = 0; tap < view.taps; ++tap)
      for (int64_t channel = 0; channel < view.channels; ++channel) {
        const T *from =
            data + tap * view.tapStride + channel * view.channelStride;
        for (int64_t c = 0; c < count; ++c) {
          int32_t value = int32_t(from[c * view.columnStride]) - view.zeroPoint;
          columnSum[c] += value;
          if (split) {
            // The low part is in [-128, 127].
            int32_t high = (value + 128) >> 8;
            put(c, value - 256 * high);
            put(c + width, high);
          } else {
            put(c, value);
          }
        }
        if (++k - stepBegin == 2 * stepPairs)
          endStep();
      }
    if (k > stepBegin)
      endStep();
    cutter.close(true);
    firstPiece.push_back(int64_t(allPieces.size()));
    largestSum = std::max(largestSum,
                          *std::max_element(magnitudeSums,
                                            magnitudeSums + panelWidth));
  }
  sumsFitInt32 = !split && isEightBit(activationType) && largestSum <= limit;
}

void PackedWeights::pack(const WeightView &view, DType activations) {
  columnCount = view.columns;
  depthCount = view.taps * view.channels;
  activationType = activations;
  dispatchCodes("a packed product", view.type, [&](auto tag) {
    packAs<typename decltype(tag)::type>(view);
  });
}

} // namespace parallax::npu
