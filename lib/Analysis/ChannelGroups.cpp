//===- ChannelGroups.cpp - Channels of an output that compare -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The similarity of a sample is its cosine, with two exceptions: silence is not
// compared with silence, and a handful of numbers has no direction.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/ChannelGroups.h"
#include "parallax/Support/Sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace parallax {
namespace {

/// A gap of 4 bits between the largest magnitudes of channels: the smaller ones
/// have at most 4 of 8 bits if all share their codes.
constexpr double widestGap = 16;
/// Channels below this part of the largest one, or of a probability, hold
/// nothing but rounding errors: they have no group of their own.
constexpr double dust = 0x1p-16;
/// Channels that vary by less than this part of what their group holds may
/// become constant.
constexpr double visiblePart = 1.0 / 16;
/// The cosine of fewer values says little, that of one only its sign.
constexpr int64_t fewestOfACosine = 8;
/// Channels with fewer values have no range of their own in one sample.
constexpr int64_t fewestOfARange = 8;

double magnitudeOf(const ChannelExtent &extent) {
  return std::max({double(extent.maxB), -double(extent.minB), 0.0});
}

/// Numbers from 0 to 1 are probabilities, and compare as they are, however
/// small the largest one of a class is.
bool isProbability(const ChannelExtent &extent) {
  return extent.minB >= 0 && extent.maxB <= 1;
}

void append(std::vector<ChannelRange> &ranges, int64_t channel) {
  if (!ranges.empty() && ranges.back().last + 1 == channel)
    ranges.back().last = channel;
  else
    ranges.push_back({channel, channel});
}

void addLost(LostChannels &lost, int64_t channel, const ChannelExtent &extent) {
  bool isFirst = lost.channels.empty();
  append(lost.channels, channel);
  lost.min = isFirst ? extent.minB : std::min(lost.min, double(extent.minB));
  lost.max = isFirst ? extent.maxB : std::max(lost.max, double(extent.maxB));
  lost.areZero &= extent.maxA == 0;
}

/// `energy` is that of a usual sample of the float network. A sample with much
/// less has nothing in it, and the noise of nothing has any direction.
double similarityOfSample(const PairSums &sums, int64_t count, double energy) {
  if (sums.unequal > 0)
    return 0;
  double own = std::max(sums.squareA, sums.squareB);
  if (own == 0)
    return 1;
  if (count < fewestOfACosine)
    return 1 - sums.squareError / (2 * std::max(own, energy));
  return 1 - (1 - sums.cosine()) * (own < energy ? own / energy : 1);
}

} // namespace

std::optional<ChannelGroups::Partition>
ChannelGroups::partitionOf(const TensorComparison &sample) {
  const std::vector<ChannelExtent> &extents = sample.channelExtents();
  // Of scores and features, one that is small in this sample may be large in
  // the next one: they have no range yet.
  if (sample.valueCount() < fewestOfARange * int64_t(extents.size()))
    return std::nullopt;
  if (std::ranges::all_of(extents, [](const ChannelExtent &extent) {
        return magnitudeOf(extent) == 0;
      }))
    return std::nullopt;
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), size_t(0));
  sortByKey(order,
            [&](size_t channel) { return -magnitudeOf(extents[channel]); });
  // From the largest to the smallest: what is zero joins the last group.
  std::vector<size_t> place(extents.size());
  size_t last = 0;
  bool areProbabilities = isProbability(extents[order[0]]);
  for (size_t i = 1; i < order.size(); ++i) {
    double before = magnitudeOf(extents[order[i - 1]]);
    double now = magnitudeOf(extents[order[i]]);
    if (before > widestGap * now && !areProbabilities) {
      bool arePossible = std::all_of(
          order.begin() + long(i), order.end(),
          [&](size_t channel) { return isProbability(extents[channel]); });
      if (now >= dust * (arePossible ? 1 : magnitudeOf(extents[order[0]]))) {
        ++last;
        areProbabilities = arePossible;
      }
    }
    place[order[i]] = last;
  }
  // Numbered as their first channels come.
  std::vector<size_t> number(last + 1, last + 1);
  Partition result{0, std::move(place)};
  for (size_t &group : result.groups) {
    if (number[group] > last)
      number[group] = result.count++;
    group = number[group];
  }
  return result;
}

size_t ChannelGroups::groupCount() const {
  return decided ? decided->count : 1;
}

size_t ChannelGroups::groupOf(size_t channel) const {
  return decided && channel < decided->groups.size() ? decided->groups[channel]
                                                     : 0;
}

/// Of groups that were apart in the sample that decided, the larger channels
/// stay clearly larger in all others.
void ChannelGroups::findTogether(const TensorComparison &sample) {
  constexpr double narrowestGap = 4;
  struct Magnitudes {
    double low = std::numeric_limits<double>::infinity(), high = 0;
  };
  std::vector<Magnitudes> groups(groupCount());
  const std::vector<ChannelExtent> &extents = sample.channelExtents();
  for (size_t i = 0; i < extents.size(); ++i) {
    Magnitudes &group = groups[groupOf(i)];
    group.low = std::min(group.low, magnitudeOf(extents[i]));
    group.high = std::max(group.high, magnitudeOf(extents[i]));
  }
  bool isEmpty = std::ranges::all_of(
      groups, [](const Magnitudes &group) { return group.high == 0; });
  for (size_t a = 0; a < groups.size() && !isEmpty; ++a)
    for (size_t b = 0; b < groups.size(); ++b)
      if (!(groups[a].low > narrowestGap * groups[b].high))
        together.emplace(a, b);
}

std::vector<ChannelGroup>
ChannelGroups::stableResult(const TensorComparison &total) const {
  if (samples.size() < 2)
    return {};
  ChannelGroups coarse = *this;
  if (!decided)
    return coarse.result(total);
  // Each group goes to the first one that it is not apart from, by way of
  // others if need be.
  std::vector<size_t> first(decided->count);
  std::iota(first.begin(), first.end(), size_t(0));
  for (auto [a, b] : together)
    if (a < b && together.contains({b, a})) {
      size_t from = std::max(first[a], first[b]);
      std::ranges::replace(first, from, std::min(first[a], first[b]));
    }
  std::vector<size_t> number(decided->count);
  coarse.decided->count = 0;
  for (size_t group = 0; group < first.size(); ++group)
    number[group] =
        first[group] == group ? coarse.decided->count++ : number[first[group]];
  for (size_t &group : coarse.decided->groups)
    group = number[group];
  for (std::vector<SampleSums> &sample : coarse.samples) {
    std::vector<SampleSums> merged(coarse.decided->count);
    for (size_t group = 0; group < sample.size(); ++group) {
      merged[number[group]].sums.add(sample[group].sums);
      merged[number[group]].count += sample[group].count;
    }
    sample = std::move(merged);
  }
  return coarse.result(total);
}

std::vector<ChannelGroups::SampleSums>
ChannelGroups::sumsOf(const TensorComparison &sample) const {
  std::vector<SampleSums> result(groupCount());
  const std::vector<PairSums> &channels = sample.channelSums();
  for (size_t i = 0; i < channels.size(); ++i) {
    SampleSums &group = result[groupOf(i)];
    group.sums.add(channels[i]);
    group.count += sample.valueCount() / int64_t(channels.size());
  }
  return result;
}

void ChannelGroups::add(const TensorComparison &sample) {
  if (!decided)
    decided = partitionOf(sample);
  if (decided)
    findTogether(sample);
  samples.push_back(sumsOf(sample));
}

void ChannelGroups::summarize(size_t group, ChannelGroup &result) const {
  double energy = 0;
  for (const std::vector<SampleSums> &sample : samples)
    if (group < sample.size())
      energy += sample[group].sums.squareB;
  energy /= double(samples.size());

  double sum = 0;
  std::vector<double> similarities;
  for (size_t i = 0; i < samples.size(); ++i) {
    SampleSums own =
        group < samples[i].size() ? samples[i][group] : SampleSums();
    double similarity = similarityOfSample(own.sums, own.count, energy);
    similarities.push_back(similarity);
    sum += similarity;
    if (result.worstSample < 0 || similarity < result.lowest) {
      result.worstSample = int64_t(i);
      result.lowest = similarity;
    }
    result.highest = i == 0 ? similarity : std::max(result.highest, similarity);
  }
  result.samples = int64_t(similarities.size());
  result.mean = sum / double(result.samples);
  if (result.samples < 2)
    return;
  double squares = 0;
  for (double similarity : similarities)
    squares += (similarity - result.mean) * (similarity - result.mean);
  result.deviation = std::sqrt(squares / double(result.samples - 1));
}

LostChannels ChannelGroups::lostOf(size_t group,
                                   const std::vector<ChannelExtent> &extents,
                                   double magnitude) const {
  LostChannels visible, constant;
  bool isAllConstant = true;
  for (size_t i = 0; i < extents.size(); ++i) {
    const ChannelExtent &extent = extents[i];
    if (groupOf(i) != group)
      continue;
    if (extent.minA != extent.maxA) {
      isAllConstant = false;
      continue;
    }
    double range = double(extent.maxB) - extent.minB;
    if (range > 0)
      addLost(constant, int64_t(i), extent);
    if (range > 0 && range >= visiblePart * magnitude)
      addLost(visible, int64_t(i), extent);
  }
  // Of a group that is lost as a whole, nobody wants the details.
  return isAllConstant && !visible.channels.empty() ? constant : visible;
}

std::vector<ChannelGroup>
ChannelGroups::result(const TensorComparison &total) const {
  const std::vector<PairSums> &channels = total.channelSums();
  const std::vector<ChannelExtent> &extents = total.channelExtents();
  if (samples.empty() || channels.empty())
    return {};
  size_t count = groupCount();
  std::vector<ChannelGroup> result(count);
  std::vector<PairSums> sums(count);
  std::vector<ChannelExtent> held(count);
  for (size_t i = 0; i < channels.size(); ++i) {
    size_t group = groupOf(i);
    if (count > 1)
      append(result[group].channels, int64_t(i));
    sums[group].add(channels[i]);
    held[group].merge(extents[i]);
  }
  for (size_t group = 0; group < count; ++group)
    result[group].lost = lostOf(group, extents, magnitudeOf(held[group]));
  for (size_t group = 0; group < count; ++group) {
    ChannelGroup &own = result[group];
    if (held[group].minB <= held[group].maxB) {
      own.min = held[group].minB;
      own.max = held[group].maxB;
      own.isConstant = own.min == own.max;
    }
    own.cosine = sums[group].cosine();
    summarize(group, own);
  }
  return result;
}

double weakestCosine(std::span<const ChannelGroup> groups, double otherwise) {
  std::optional<double> weakest;
  for (const ChannelGroup &group : groups)
    if (!group.isConstant)
      weakest = std::min(weakest.value_or(group.cosine), group.cosine);
  return weakest.value_or(otherwise);
}

bool weighByGroups(std::span<const Tensor> outputs,
                   std::span<const std::span<float>> weights) {
  bool hasGroups = false;
  for (size_t k = 0; k < outputs.size(); ++k) {
    std::span<float> own = weights[k];
    std::ranges::fill(own, 1.0f);
    const Tensor &output = outputs[k];
    TensorComparison sample;
    sample.add(output, output);
    const std::vector<PairSums> &channels = sample.channelSums();
    ChannelGroups groups;
    groups.add(sample);
    std::vector<ChannelGroup> found = groups.result(sample);
    if (found.size() < 2 || output.dtype() != DType::F32 || channels.empty())
      continue;
    hasGroups = true;
    std::span dims(output.shape());
    auto inner = size_t(elementCount(dims.subspan(2)));
    for (const ChannelGroup &group : found) {
      double energy = 0;
      for (const ChannelRange &range : group.channels)
        for (int64_t i = range.first; i <= range.last; ++i)
          energy += channels[size_t(i)].squareB;
      // What is silent in this sample has no size to compare errors with.
      float worth = energy > 0 ? float(1 / energy) : 0;
      for (const ChannelRange &range : group.channels)
        for (size_t first = size_t(range.first) * inner; first < own.size();
             first += channels.size() * inner)
          std::fill_n(own.begin() + long(first),
                      size_t(range.last - range.first + 1) * inner, worth);
    }
  }
  return hasGroups;
}

std::vector<ChannelGroup> chooseGroups(std::vector<ChannelGroup> own,
                                       std::vector<ChannelGroup> other) {
  auto hasLost = [](const std::vector<ChannelGroup> &groups) {
    return std::ranges::any_of(groups, [](const ChannelGroup &group) {
      return !group.lost.channels.empty();
    });
  };
  if (hasLost(own) != hasLost(other))
    return hasLost(own) ? own : other;
  return own.size() == 1 && other.size() > 1 ? other : own;
}

} // namespace parallax
