//===- Extremes.cpp - The extremes of values and channels -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Values are seen as rows of columns that repeat: the channels of a block, the
// channels of a row, or any number of columns where all are of one channel. A
// loop over rows keeps one extreme per column, without branches.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Extremes.h"
#include "parallax/Support/Simd.h"

#include <cassert>
#include <cmath>
#include <vector>

namespace parallax {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr uint32_t infinityBits = 0x7f800000;

/// NaN is left out because comparing with it is false. The largest magnitude,
/// as bits, tells of it: those of NaN are beyond those of infinity.
inline __attribute__((always_inline)) void
widen(float value, float &low, float &high, uint32_t &magnitude) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value) & 0x7fffffff;
  low = value < low ? value : low;
  high = value > high ? value : high;
  magnitude = bits > magnitude ? bits : magnitude;
}

/// As many columns as the registers of a processor hold extremes of.
constexpr size_t extremeLanes = 32;

/// The extremes of columns.
struct Columns {
  float *low, *high;
  uint32_t *magnitude;
};

/// Replaces what is there by the extremes of `columns` columns, a power of two
/// of at most `extremeLanes`.
PARALLAX_SIMD void findColumns(const float *values, size_t count,
                               size_t columns, Columns result) {
  float low[extremeLanes], high[extremeLanes];
  uint32_t magnitude[extremeLanes];
  for (size_t i = 0; i < extremeLanes; ++i) {
    low[i] = __builtin_inff();
    high[i] = -__builtin_inff();
    magnitude[i] = 0;
  }
  size_t begin = 0;
  for (; begin + extremeLanes <= count; begin += extremeLanes)
    for (size_t i = 0; i < extremeLanes; ++i)
      widen(values[begin + i], low[i], high[i], magnitude[i]);
  for (size_t i = 0; begin + i < count; ++i)
    widen(values[begin + i], low[i], high[i], magnitude[i]);
  for (size_t half = extremeLanes / 2; half >= columns; half /= 2)
    for (size_t i = 0; i < half; ++i) {
      low[i] = low[i + half] < low[i] ? low[i + half] : low[i];
      high[i] = high[i + half] > high[i] ? high[i + half] : high[i];
      magnitude[i] = magnitude[i + half] > magnitude[i] ? magnitude[i + half]
                                                        : magnitude[i];
    }
  for (size_t i = 0; i < columns; ++i) {
    result.low[i] = low[i];
    result.high[i] = high[i];
    result.magnitude[i] = magnitude[i];
  }
}

PARALLAX_SIMD void widenRow(const float *__restrict row, size_t columns,
                            float *__restrict low, float *__restrict high,
                            uint32_t *__restrict magnitude) {
  for (size_t i = 0; i < columns; ++i)
    widen(row[i], low[i], high[i], magnitude[i]);
}

/// Widens the extremes of channels: column i is of channel i % period, if there
/// is one. False if a value is not finite.
bool foldColumns(const Columns &columns, size_t count, size_t period,
                 std::span<float> low, std::span<float> high, Extremes &all) {
  uint32_t magnitude = 0;
  for (size_t first = 0; first < count; first += period)
    for (size_t channel = 0; channel < low.size(); ++channel) {
      size_t i = first + channel;
      // The sum of -0 and 0 is 0.
      Extremes column{columns.low[i] + 0.0f, columns.high[i] + 0.0f};
      low[channel] = std::min(low[channel], column.low);
      high[channel] = std::max(high[channel], column.high);
      magnitude = std::max(magnitude, columns.magnitude[i]);
      all.merge(column);
    }
  return magnitude < infinityBits;
}

/// One value after the other, for tensors with NaN or infinity.
Extremes widenByFinite(const float *values, const ChannelLayout &layout,
                       std::span<float> low, std::span<float> high) {
  Extremes all;
  for (size_t i = 0; i < layout.outer * layout.blocks(); ++i) {
    size_t block = i % layout.blocks(), first = block * layout.block;
    for (size_t row = 0; row < layout.inner; ++row, values += layout.block)
      for (size_t lane = 0; lane < layout.channelsOf(block); ++lane)
        if (float value = values[lane] + 0.0f; std::isfinite(value)) {
          all.merge({value, value});
          low[first + lane] = std::min(low[first + lane], value);
          high[first + lane] = std::max(high[first + lane], value);
        } else {
          ++all.special;
        }
  }
  return all;
}

/// Rows of channels that lie side by side. Of few channels, several rows make
/// one that is worth a loop.
bool widenByRows(std::span<const float> values, const ChannelLayout &layout,
                 std::span<float> low, std::span<float> high, Extremes &all) {
  size_t period = layout.blocks() * layout.block;
  size_t rows = std::clamp<size_t>(128 / period, 1, layout.outer);
  size_t count = rows * period;
  std::vector<float> least(count, infinity), most(count, -infinity);
  std::vector<uint32_t> magnitude(count, 0);
  for (size_t begin = 0; begin < values.size(); begin += count)
    widenRow(values.data() + begin, std::min(count, values.size() - begin),
             least.data(), most.data(), magnitude.data());
  return foldColumns({least.data(), most.data(), magnitude.data()}, count,
                     period, low, high, all);
}

/// Blocks of channels; plain tensors have blocks of one.
bool widenByBlocks(std::span<const float> values, const ChannelLayout &layout,
                   std::span<float> low, std::span<float> high, Extremes &all) {
  float least[extremeLanes], most[extremeLanes];
  uint32_t magnitude[extremeLanes];
  Columns columns{least, most, magnitude};
  bool areFinite = true;
  size_t run = layout.inner * layout.block;
  for (size_t i = 0; i < layout.outer * layout.blocks(); ++i) {
    size_t block = i % layout.blocks(), first = block * layout.block;
    size_t count = layout.channelsOf(block);
    findColumns(values.data() + i * run, run, layout.block, columns);
    areFinite &=
        foldColumns(columns, layout.block, layout.block,
                    low.subspan(first, count), high.subspan(first, count), all);
  }
  return areFinite;
}

} // namespace

Extremes widenChannels(std::span<const float> values,
                       const ChannelLayout &layout, std::span<float> low,
                       std::span<float> high) {
  if (values.empty())
    return {};
  assert(extremeLanes % layout.block == 0);
  Extremes all;
  std::vector<float> least(layout.channels, infinity);
  std::vector<float> most(layout.channels, -infinity);
  auto widenAll = layout.inner == 1 ? widenByRows : widenByBlocks;
  if (!widenAll(values, layout, least, most, all)) {
    std::ranges::fill(least, infinity);
    std::ranges::fill(most, -infinity);
    all = widenByFinite(values.data(), layout, least, most);
  }
  for (size_t i = 0; i < layout.channels; ++i) {
    low[i] = std::min(low[i], least[i]);
    high[i] = std::max(high[i], most[i]);
  }
  return all;
}

Extremes extremesOf(std::span<const float> values) {
  float low = infinity, high = -infinity;
  return widenChannels(values, {.inner = values.size()}, {&low, 1}, {&high, 1});
}

} // namespace parallax
