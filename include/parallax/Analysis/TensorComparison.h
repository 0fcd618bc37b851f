//===- TensorComparison.h - A tensor on two engines ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How far the values of a quantized tensor are from those of the float network,
// as a whole and by channel, summed over samples. Nothing of a sample is kept
// but sums, so any number of them takes the same memory, and sums are merged in
// the order of samples, so any number of threads gives the same bits.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_TENSORCOMPARISON_H
#define PARALLAX_ANALYSIS_TENSORCOMPARISON_H

#include "parallax/Support/AffineParams.h"
#include "parallax/Support/Tensor.h"

#include <limits>
#include <optional>
#include <vector>

namespace parallax {

/// Sums over pairs of finite values: a is quantized, b the float reference.
/// Doubles hold the squares of all floats, the smallest and the greatest.
struct PairSums {
  double dot = 0, squareA = 0, squareB = 0, squareError = 0;
  /// Only if values are summarized.
  double sumA = 0, sumB = 0;
  /// Pairs with a NaN or an infinity that are not the same on both sides: they
  /// are in no sum.
  int64_t unequal = 0;

  void add(const PairSums &other);
  /// 1 if both sides are zero, 0 if only one is. Also 0 if unequal pairs are
  /// all that is there beside zeros.
  double cosine() const;
};

/// What a channel held: infinite, the wrong way round, if no pair was finite.
struct ChannelExtent {
  float minA = std::numeric_limits<float>::infinity(), maxA = -minA;
  float minB = minA, maxB = -minA;

  void merge(const ChannelExtent &other);
};

/// The distribution of the values of one side; all zero if no pair was finite,
/// or if it was not requested.
struct ValueSummary {
  int64_t count = 0;
  double min = 0, max = 0, mean = 0;
  /// Of the values themselves, not of a larger set that they were drawn from.
  double variance = 0;

  double deviation() const;
};

struct ComparisonResult {
  int64_t samples = 0;
  /// All pairs, the special ones included.
  int64_t count = 0;
  /// Pairs with a NaN or an infinity: they are in no other number.
  int64_t nanA = 0, nanB = 0, infA = 0, infB = 0, special = 0;
  /// Those of them that are not the same on both sides: one NaN, or infinities
  /// of different signs.
  int64_t unequal = 0;

  /// 0 if no pair could be measured although the sides differ.
  double cosine = 1;
  double mse = 0;
  /// Infinite if nothing differs, negative infinity if the reference is zero
  /// and the other side is not, or if no pair could be measured although the
  /// sides differ.
  double sqnrDb = std::numeric_limits<double>::infinity();
  double maxAbs = 0;
  /// maxAbs in units of the scale; 0 without codes.
  double maxSteps = 0;
  /// The first with the smallest cosine, counted from 0. Of integers and truth
  /// values, that with the smallest part of equal ones, which is then in place
  /// of the cosine.
  int64_t worstSample = -1;
  double worstSampleCosine = 1;

  int64_t channels = 0;
  /// The first with the smallest cosine.
  int64_t worstChannel = -1;
  double worstChannelCosine = 1;
  /// Channels whose values all became one code although they differ.
  int64_t deadChannels = 0;
  /// Channels that are zero in the float network.
  int64_t sparseChannels = 0;
  /// The part of the values that lies beyond the codes by more than half a
  /// step.
  double saturated = 0;

  /// How many rows along the last dimension, or integers and Booleans,
  /// were looked at for agreement.
  int64_t rows = 0;
  /// Of the rows along the last dimension, the part whose largest element is
  /// at the same place; of integers and Booleans, the part that is equal.
  /// 1 if there are none.
  double agreement = 1;
  /// The rows in which it is at another place that is clearly worse in the
  /// float network, and not one of nearly the same value.
  int64_t clearlyMoved = 0;
  /// Integers and Booleans have no distance.
  bool isExact = false;

  /// Of floats, without the special pairs.
  ValueSummary quantized = {}, reference = {};

  /// What thresholds apply to: the cosine; of integers and Booleans the
  /// part that is equal. 0 if nothing was compared, or if one side has NaNs or
  /// infinities that the other one does not have: such values are in no cosine.
  double similarity() const;
};

/// How the channels of a tensor lie: it is [outer, channels, inner].
struct ChannelPlanes {
  int64_t outer = 1, channels = 1, inner = 1;
};

class TensorComparison {
public:
  /// `channelAxis` is the dimension of channels; tensors without one, and
  /// scalars, are one channel. There are no channels if it is negative.
  /// `tracksRows` asks for the agreement of rows of floats, which takes longer
  /// than all else; `summarizes` for the summaries of both sides.
  explicit TensorComparison(int64_t channelAxis = 1,
                            std::optional<AffineParams> codes = {},
                            bool tracksRows = false, bool summarizes = false)
      : channelAxis(channelAxis), codes(codes), tracksRows(tracksRows),
        summarizes(summarizes) {}

  /// One sample, as 32-bit floats if the values are floats. A sample may have
  /// other dimensions than the one before. Throws Error if shapes differ, or if
  /// only one side is of floats.
  void add(const Tensor &quantized, const Tensor &reference);
  /// The samples that follow. Comparisons of one sample each, merged in order,
  /// give the bits that one comparison of all samples has.
  void merge(const TensorComparison &next);
  /// Forgets all samples, but keeps the memory of their channels.
  void clear();

  ComparisonResult result() const;
  /// Pairs of all samples.
  int64_t valueCount() const { return count; }
  const std::vector<PairSums> &channelSums() const { return sums; }
  const std::vector<ChannelExtent> &channelExtents() const { return extents; }
  /// Of the first samples, as many as somebody would look at. Of integers and
  /// truth values it is the part that is equal.
  const std::vector<float> &sampleCosines() const { return cosines; }
  /// The root of the mean square error of each channel.
  std::vector<float> channelErrors() const;

  /// What it knows of samples, for another process (Support/Bytes.h) that
  /// compares the same tensor.
  template <typename Archive> void transfer(Archive &archive) {
    archive(total, extent, sums, extents, cosines, samples, count, nanA, nanB,
            infA, infB, special, saturated, rows, agreeing, clearlyMoved,
            maxAbs, worstSampleCosine, worstSample, isExact);
  }

private:
  /// Goes through the floats of one sample.
  class Walk;
  ChannelPlanes planesOf(const Shape &shape) const;
  void addFloats(const Tensor &a, const Tensor &b);
  void addExact(const Tensor &a, const Tensor &b);

  int64_t channelAxis;
  std::optional<AffineParams> codes;
  bool tracksRows, summarizes;

  PairSums total;
  ChannelExtent extent;
  std::vector<PairSums> sums;
  std::vector<ChannelExtent> extents;
  std::vector<float> cosines;
  int64_t samples = 0, count = 0, nanA = 0, nanB = 0, infA = 0, infB = 0;
  int64_t special = 0, saturated = 0, rows = 0, agreeing = 0;
  int64_t clearlyMoved = 0;
  double maxAbs = 0;
  double worstSampleCosine = 1;
  int64_t worstSample = -1;
  bool isExact = false;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_TENSORCOMPARISON_H
