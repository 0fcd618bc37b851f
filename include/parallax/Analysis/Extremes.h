//===- Extremes.h - The extremes of values and channels --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration looks at every value of every layer, so that this is its inner
// loop: one pass gives the extremes of all channels and those of all values.
// A zero has no sign here: which of -0 and 0 comes first would depend on the
// layout and on the order of samples.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_EXTREMES_H
#define PARALLAX_ANALYSIS_EXTREMES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace parallax {

/// The extremes of finite values: infinite, the wrong way round, if there are
/// none.
struct Extremes {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  int64_t special = 0; ///< The number of values that are not finite.

  void merge(const Extremes &other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    special += other.special;
  }
};
Extremes extremesOf(std::span<const float> values);

/// Where the channels of a tensor lie: it is [outer, channels / block, inner,
/// block], and what its last block has beyond the channels doesn't count. A
/// block is a power of two, of at most 32.
struct ChannelLayout {
  size_t outer = 1, channels = 1, inner = 1, block = 1;

  size_t blocks() const { return (channels + block - 1) / block; }
  /// How many channels a block has.
  size_t channelsOf(size_t index) const {
    return std::min(block, channels - index * block);
  }
};

/// Widens the extremes of each channel by those of finite values, and returns
/// the extremes of all values.
Extremes widenChannels(std::span<const float> values,
                       const ChannelLayout &layout, std::span<float> low,
                       std::span<float> high);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_EXTREMES_H
