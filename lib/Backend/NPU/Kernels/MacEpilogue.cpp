//===- MacEpilogue.cpp - What follows a product ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the width of sums and the sink.
//===----------------------------------------------------------------------===//
#include "MacEpilogue.h"

#include <cstdlib>
#include <type_traits>

namespace parallax::npu {

std::vector<int64_t> biasValues(const Tensor *bias) {
  std::vector<int64_t> values;
  if (!bias)
    return values;
  if (bias->dtype() == DType::I32)
    values.assign(bias->data<int32_t>(), bias->data<int32_t>() + bias->size());
  else
    values.assign(bias->data<int64_t>(), bias->data<int64_t>() + bias->size());
  return values;
}

/// The entries of some columns; one entry for all columns stays one.
template <typename T>
static std::vector<T> entriesOf(std::span<const T> all, int64_t first,
                                int64_t columns) {
  if (all.size() <= 1)
    return {all.begin(), all.end()};
  return {all.begin() + first, all.begin() + first + columns};
}

MacEpilogue::MacEpilogue(const MacOutput &output,
                         std::span<const int64_t> allBias, DType type,
                         int64_t first, int64_t columns)
    : type(type) {
  if (!allBias.empty())
    bias.assign(allBias.begin() + first, allBias.begin() + first + columns);
  for (int64_t value : bias)
    largestBias = std::max<int64_t>(largestBias, std::abs(value));
  if (type == DType::F32) {
    scales = entriesOf<double>(output.scales, first, columns);
    return;
  }
  std::vector<Multiplier> multipliers =
      entriesOf<Multiplier>(output.multipliers, first, columns);
  narrow.emplace(columns, multipliers, bias, output.codes);
  wide.emplace(columns, multipliers, bias, output.codes);
}

namespace {
/// Float results (C26).
template <typename Acc> class ScaleSums : public SumSink<Acc> {
public:
  ScaleSums(std::span<const double> scales, std::span<const int64_t> bias,
            const MacEpilogue::Places &places)
      : scales(scales), bias(bias), places(places) {}

  void take(const SumTile<Acc> &tile) const override {
    float *y = static_cast<float *>(places.y);
    for (int64_t c = 0; c < tile.columns; ++c) {
      int64_t column = tile.column + c;
      int64_t addend = bias.empty() ? 0 : bias[column];
      double scale = scales[scales.size() == 1 ? 0 : size_t(column)];
      for (int64_t r = 0; r < tile.rows; ++r) {
        int64_t sum = int64_t(tile.sums[r * tile.stride + c]) + addend;
        int64_t picture = (tile.row + r) / places.pictureRows;
        int64_t row = (tile.row + r) % places.pictureRows;
        y[picture * places.pictureStride + row * places.rowStride +
          column * places.columnStride] = float(double(sum) * scale);
      }
    }
  }

private:
  std::span<const double> scales;
  std::span<const int64_t> bias;
  MacEpilogue::Places places;
};
} // namespace

template <typename Acc>
void MacEpilogue::run(const RowSource &x, const PackedWeights &w,
                      const Places &places, bool isDepthwise) const {
  auto into = [&](const SumSink<Acc> &sink) {
    isDepthwise ? depthwise<Acc>(x, w, sink) : gemm<Acc>(x, w, sink);
  };
  if (type == DType::F32)
    return into(ScaleSums<Acc>(scales, bias, places));
  if constexpr (std::is_same_v<Acc, int32_t>)
    into(RequantizeSums<Acc>(*narrow, type, places.y, places.rowStride));
  else
    into(RequantizeSums<Acc>(*wide, type, places.y, places.rowStride));
}

void MacEpilogue::multiply(const RowSource &x, const PackedWeights &w,
                           const Places &places, bool isDepthwise) const {
  // Wide sums can also have the small shifts of large factors.
  bool needsWide = wide && wide->isOrdinary() && !narrow->isOrdinary();
  if (w.fitsInt32(largestBias) && !needsWide)
    run<int32_t>(x, w, places, isDepthwise);
  else
    run<int64_t>(x, w, places, isDepthwise);
}

} // namespace parallax::npu
