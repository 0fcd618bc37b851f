//===- ExtremesTest.cpp - The extremes of values and channels -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Against a loop over single values, in every layout that a layer may have.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Extremes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace parallax;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Channels {
  std::vector<float> low, high;
  Extremes all;
};

Channels measure(const std::vector<float> &values,
                 const ChannelLayout &layout) {
  Channels result{std::vector(layout.channels, infinity),
                  std::vector(layout.channels, -infinity),
                  {}};
  result.all = widenChannels(values, layout, result.low, result.high);
  return result;
}

/// Fills the place of every element by a function of its position, and the
/// padding with what must not be seen.
template <typename Fill>
std::vector<float> fill(const ChannelLayout &layout, Fill value) {
  std::vector<float> values;
  for (size_t outer = 0; outer < layout.outer; ++outer)
    for (size_t block = 0; block < layout.blocks(); ++block)
      for (size_t inner = 0; inner < layout.inner; ++inner)
        for (size_t lane = 0; lane < layout.block; ++lane)
          values.push_back(
              lane < layout.channelsOf(block)
                  ? value(outer, block * layout.block + lane, inner)
                  : NAN);
  return values;
}

float wave(size_t outer, size_t channel, size_t inner) {
  return std::sin(float(outer * 7919 + channel * 104 + inner)) *
         float(channel + 1);
}

const ChannelLayout layouts[] = {
    {1, 1, 1, 1},  {1, 3, 50, 1},   {2, 5, 33, 1},  {3, 7, 1, 1},
    {40, 4, 1, 1}, {9, 200, 1, 1},  {1, 16, 25, 8}, {2, 12, 25, 8},
    {1, 5, 3, 8},  {1, 20, 49, 16}, {2, 11, 1, 8},  {1, 2, 64, 16},
};

TEST(ExtremesTest, AreThoseOfEveryChannel) {
  for (const ChannelLayout &layout : layouts) {
    Channels actual = measure(fill(layout, wave), layout);
    Extremes all;
    for (size_t channel = 0; channel < layout.channels; ++channel) {
      Extremes expected;
      for (size_t outer = 0; outer < layout.outer; ++outer)
        for (size_t inner = 0; inner < layout.inner; ++inner) {
          float value = wave(outer, channel, inner);
          expected.merge({value, value});
        }
      EXPECT_EQ(actual.low[channel], expected.low) << channel;
      EXPECT_EQ(actual.high[channel], expected.high) << channel;
      all.merge(expected);
    }
    EXPECT_EQ(actual.all.low, all.low);
    EXPECT_EQ(actual.all.high, all.high);
    EXPECT_EQ(actual.all.special, 0);
  }
}

TEST(ExtremesTest, LeaveOutWhatIsNotFinite) {
  for (const ChannelLayout &layout : layouts)
    for (float special : {NAN, infinity, -infinity}) {
      // All of the last channel.
      auto value = [&](size_t outer, size_t channel, size_t inner) {
        return channel + 1 == layout.channels ? special
                                              : wave(outer, channel, inner);
      };
      Channels actual = measure(fill(layout, value), layout);
      EXPECT_EQ(actual.all.special, int64_t(layout.outer * layout.inner));
      EXPECT_EQ(actual.low.back(), infinity);
      EXPECT_EQ(actual.high.back(), -infinity);
      for (size_t i = 0; i + 1 < layout.channels; ++i)
        EXPECT_LE(actual.high[i], float(i + 1));
    }
}

TEST(ExtremesTest, WidenWhatIsThere) {
  std::vector<float> values = {1, 2}, low = {-3, 5}, high = {-2, 6};
  Extremes all = widenChannels(values, {.channels = 2}, low, high);
  EXPECT_EQ(low, (std::vector<float>{-3, 2}));
  EXPECT_EQ(high, (std::vector<float>{1, 6}));
  EXPECT_EQ(all.low, 1);
  EXPECT_EQ(all.high, 2);
}

TEST(ExtremesTest, ZeroHasNoSign) {
  for (size_t first : {0, 1}) {
    std::vector<float> values(70, 0.0f);
    for (size_t i = first; i < values.size(); i += 2)
      values[i] = -0.0f;
    Extremes extremes = extremesOf(values);
    EXPECT_FALSE(std::signbit(extremes.low));
    EXPECT_FALSE(std::signbit(extremes.high));
    values.push_back(NAN);
    EXPECT_FALSE(std::signbit(extremesOf(values).low));
  }
  EXPECT_EQ(extremesOf({}).low, infinity);
}

} // namespace
