//===- ChannelGroups.h - Channels of an output that compare ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor may hold boxes from 0 to 640 and scores from 0 to 1: its cosine is
// that of the boxes alone. Channels are therefore compared in groups that have
// ranges of their own, sample by sample.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_CHANNELGROUPS_H
#define PARALLAX_ANALYSIS_CHANNELGROUPS_H

#include "parallax/Analysis/TensorComparison.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace parallax {

/// Channels that follow each other, both ends included.
struct ChannelRange {
  int64_t first = 0, last = 0;

  bool operator==(const ChannelRange &) const = default;
};

/// Channels of a group that vary in the float network, and not in the other.
struct LostChannels {
  std::vector<ChannelRange> channels = {};
  /// What they hold in the float network.
  double min = 0, max = 0;
  /// Whether all of them became 0.
  bool areZero = true;
};

struct ChannelGroup {
  /// Empty if it is the only group.
  std::vector<ChannelRange> channels = {};
  /// What it holds in the float network.
  double min = 0, max = 0;
  /// Whether that is known to be a single number.
  bool isConstant = false;
  /// Over the values of all samples.
  double cosine = 1;

  /// Of samples: how many there are, the mean of their similarities, and the
  /// standard deviation of these.
  int64_t samples = 0;
  double mean = 1, deviation = 0;
  /// The first with the lowest similarity, and the extremes.
  int64_t worstSample = -1;
  double lowest = 1, highest = 1;

  LostChannels lost = {};
};

/// The groups of one output, from its samples in their order.
class ChannelGroups {
public:
  /// One sample, compared with channels. The first that is not all zero decides
  /// which channels belong together; those of a few values are one group.
  void add(const TensorComparison &sample);

  /// `total` has all samples that were added. The group of channel 0 first.
  std::vector<ChannelGroup> result(const TensorComparison &total) const;

  /// The same with groups that some sample does not keep apart as one: channels
  /// keep their ranges, but what is at a place is large in one sample and small
  /// in the next. Nothing if there is one sample only.
  std::vector<ChannelGroup> stableResult(const TensorComparison &total) const;

private:
  /// What is kept of the values of a group in a sample.
  struct SampleSums {
    PairSums sums;
    int64_t count = 0;
  };

  /// The number of the group of each channel.
  struct Partition {
    size_t count = 1;
    std::vector<size_t> groups = {};
  };

  static std::optional<Partition> partitionOf(const TensorComparison &sample);
  void findTogether(const TensorComparison &sample);
  size_t groupCount() const;
  size_t groupOf(size_t channel) const;
  std::vector<SampleSums> sumsOf(const TensorComparison &sample) const;
  LostChannels lostOf(size_t group, const std::vector<ChannelExtent> &extents,
                      double magnitude) const;
  void summarize(size_t group, ChannelGroup &result) const;

  /// Of the sample that decided.
  std::optional<Partition> decided;
  /// Pairs of groups, the one with larger channels first, that a sample does
  /// not keep apart.
  std::set<std::pair<size_t, size_t>> together;
  /// By sample, then by group. Samples before the decision have one group.
  std::vector<std::vector<SampleSums>> samples;
};

/// The lowest cosine of groups that vary; `otherwise` if there are none.
double weakestCosine(std::span<const ChannelGroup> groups, double otherwise);

/// What errors of the outputs of a sample are worth if groups of channels count
/// alike, whatever they hold. False if no output has more than one group.
bool weighByGroups(std::span<const Tensor> outputs,
                   std::span<const std::span<float>> weights);

/// Of an output whose channels lie along one of two dimensions, the groups that
/// tell. `own` are those of the likelier dimension, `other` stable ones of the
/// other, if any: only along the channels, groups have ranges of their own, or
/// channels are lost that vary in the float network.
std::vector<ChannelGroup> chooseGroups(std::vector<ChannelGroup> own,
                                       std::vector<ChannelGroup> other);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_CHANNELGROUPS_H
