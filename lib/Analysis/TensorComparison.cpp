//===- TensorComparison.cpp - A tensor on two engines ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor is cut into tiles that are summed column by column. A tile with
// something that is not finite is summed again, one pair after the other.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/TensorComparison.h"
#include "PairColumns.h"
#include "parallax/Analysis/Metrics.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace parallax {
namespace {

/// Nobody looks at more samples one by one, and memory has its limits.
constexpr size_t mostCosines = 512;

/// Values beyond these can't be told from the outermost codes.
struct Reach {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool excludes(float value) const { return value < low || value > high; }
  bool excludesPartOf(const ChannelExtent &extent) const {
    return extent.minB < low || extent.maxB > high;
  }
};

Reach reachOf(const std::optional<AffineParams> &codes) {
  if (!codes)
    return {};
  auto at = [&](double code) {
    return float((code - double(codes->zeroPoint)) * double(codes->scale));
  };
  return {at(double(codes->low) - 0.5), at(double(codes->high) + 0.5)};
}

/// The values of a tensor of floats of any width, which may need memory.
const float *floatsOf(const Tensor &tensor, std::vector<float> &memory) {
  if (tensor.dtype() == DType::F32)
    return tensor.data<float>();
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto values = static_cast<const T *>(tensor.rawData());
    memory.resize(size_t(tensor.size()));
    std::transform(values, values + memory.size(), memory.begin(),
                   [](T value) { return float(value); });
  });
  return memory.data();
}

int64_t countEqual(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype())
    return a.size() - measure(a, b).differing;
  return dispatch(a.dtype(), [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    // A Boolean may come from memory that holds other bytes than 0 and 1.
    constexpr bool isBool = std::is_same_v<T, bool>;
    using Stored = std::conditional_t<isBool, uint8_t, T>;
    auto x = static_cast<const Stored *>(a.rawData());
    auto y = static_cast<const Stored *>(b.rawData());
    int64_t equal = 0;
    for (int64_t i = 0, size = a.size(); i < size; ++i)
      if constexpr (isBool)
        equal += (x[i] != 0) == (y[i] != 0);
      else
        equal += x[i] == y[i];
    return equal;
  });
}

ValueSummary summarize(int64_t count, float min, float max, double sum,
                       double squares) {
  double mean = sum / double(count);
  // A difference of sums that is within their rounding counts as no spread.
  double variance =
      min < max ? std::max(0.0, squares / double(count) - mean * mean) : 0;
  return {count, min, max, min < max ? mean : min, variance};
}

} // namespace

class TensorComparison::Walk {
public:
  Walk(TensorComparison &sample, const float *a, const float *b,
       const ChannelPlanes &planes)
      : sample(sample), a(a), b(b), planes(planes),
        reach(reachOf(sample.codes)) {}

  /// Small planes that are many are better summed side by side.
  void run() {
    planes.inner < 32 && planes.inner <= planes.outer ? addRows() : addPlanes();
  }

private:
  void addPair(float x, float y, int64_t channel) {
    PairSums &sums = sample.sums[size_t(channel)];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      bool isNanX = std::isnan(x), isNanY = std::isnan(y);
      ++sample.special;
      sample.nanA += isNanX;
      sample.nanB += isNanY;
      sample.infA += std::isinf(x);
      sample.infB += std::isinf(y);
      sums.unequal += x != y && !(isNanX && isNanY);
      return;
    }
    double wideX = x, wideY = y, error = wideX - wideY;
    sums.dot += wideX * wideY;
    sums.squareA += wideX * wideX;
    sums.squareB += wideY * wideY;
    sums.squareError += error * error;
    sums.sumA += wideX;
    sums.sumB += wideY;
    sample.extents[size_t(channel)].merge({x, x, y, y});
    sample.maxAbs = std::max(sample.maxAbs, std::abs(error));
    sample.saturated += reach.excludes(y);
  }

  template <typename ChannelOf>
  void addPairs(const PairTile &tile, ChannelOf channelOf) {
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t i = tile.first; i < tile.last; ++i)
        addPair(tile.a[row * tile.stride + i], tile.b[row * tile.stride + i],
                channelOf(i));
  }

  void addColumn(const ColumnSum &column, int64_t channel) {
    sample.sums[size_t(channel)].add(column.sums);
    sample.extents[size_t(channel)].merge(column.extent);
    sample.maxAbs = std::max(sample.maxAbs, double(column.maxAbs));
  }

  void addTo(PairColumns &columns, const PairTile &tile) const {
    columns.add(tile, sample.summarizes);
  }

  int64_t countSaturated(const PairTile &tile) const {
    return countBeyond(tile, reach.low, reach.high);
  }

  /// Columns are parts of a plane.
  void addPlanes() {
    constexpr int64_t blockSize = 128 * lanes;
    for (int64_t plane = 0, channel = 0; plane < planes.outer * planes.channels;
         ++plane) {
      auto channelOf = [channel](int64_t) { return channel; };
      int64_t end = (plane + 1) * planes.inner, begin = end - planes.inner;
      for (; begin + lanes <= end; begin += blockSize) {
        PairTile tile{a + begin, b + begin,
                      std::min(blockSize, end - begin) / lanes};
        PairColumns columns;
        addTo(columns, tile);
        ColumnSum sum = columns.fold();
        if (!sum.isFinite()) {
          addPairs(tile, channelOf);
          continue;
        }
        addColumn(sum, channel);
        // Most tiles have nothing that saturates, as their extents tell.
        if (reach.excludesPartOf(sum.extent))
          sample.saturated += countSaturated(tile);
      }
      int64_t rest = planes.inner % lanes;
      addPairs({.a = a + end - rest, .b = b + end - rest, .last = rest},
               channelOf);
      channel = channel + 1 < planes.channels ? channel + 1 : 0;
    }
  }

  /// At most `lanes` columns, all rows of them.
  struct Strip {
    PairColumns columns;
    int64_t saturated = 0;
  };

  /// Columns are those of the planes of all channels, side by side. Where they
  /// are too few, several rows make one.
  void addRows() {
    int64_t period = planes.channels * planes.inner;
    int64_t width = period < lanes ? period * lanes : period;
    // Strips don't pay off for a few rows.
    int64_t rows = planes.outer < 4 ? 0 : planes.outer * period / width;
    std::vector<int64_t> channels(static_cast<size_t>(width));
    for (auto next = channels.begin(); next != channels.end();)
      for (int64_t channel = 0; channel < planes.channels; ++channel)
        next = std::fill_n(next, planes.inner, channel);

    // Rows that are pages apart displace each other in the cache.
    int64_t tallest =
        std::clamp<int64_t>(2048 / std::gcd(width, int64_t(1024)), 4, 16);
    std::vector<Strip> strips;
    if (rows > 0)
      strips.resize(size_t((width + lanes - 1) / lanes));
    auto forEachStrip = [&](int64_t row, int64_t height, auto body) {
      int64_t column = 0;
      for (Strip &strip : strips) {
        // The last strip begins earlier, in columns of the one before.
        int64_t begin = std::min(column, width - lanes);
        int64_t offset = row * width + begin;
        body(strip,
             PairTile{a + offset, b + offset, height, width, column - begin},
             channels.data() + begin);
        column += lanes;
      }
    };
    for (int64_t row = 0; row < rows; row += tallest)
      forEachStrip(row, std::min(tallest, rows - row),
                   [&](Strip &strip, const PairTile &tile, const int64_t *) {
                     addToStrip(strip, tile);
                   });
    forEachStrip(
        0, rows,
        [&](const Strip &strip, const PairTile &tile, const int64_t *channels) {
          addStrip(strip, tile, channels);
        });
    int64_t done = rows * width;
    addPairs(
        {a + done, b + done, planes.outer - done / period, period, 0, period},
        [&](int64_t i) { return channels[size_t(i)]; });
  }

  void addToStrip(Strip &strip, const PairTile &tile) {
    addTo(strip.columns, tile);
    bool isBeyond = false;
    for (int64_t i = tile.first; i < tile.last; ++i)
      isBeyond |= reach.excludesPartOf(strip.columns.column(i).extent);
    if (isBeyond)
      strip.saturated += countSaturated(tile);
  }

  void addStrip(const Strip &strip, const PairTile &tile,
                const int64_t *channels) {
    for (int64_t i = tile.first; i < tile.last; ++i)
      if (!strip.columns.column(i).isFinite())
        return addPairs(tile, [channels](int64_t i) { return channels[i]; });
    for (int64_t i = tile.first; i < tile.last; ++i)
      addColumn(strip.columns.column(i), channels[i]);
    sample.saturated += strip.saturated;
  }

  TensorComparison &sample;
  const float *a, *b;
  ChannelPlanes planes;
  Reach reach;
};

void PairSums::add(const PairSums &other) {
  dot += other.dot;
  squareA += other.squareA;
  squareB += other.squareB;
  squareError += other.squareError;
  sumA += other.sumA;
  sumB += other.sumB;
  unequal += other.unequal;
}

double PairSums::cosine() const {
  if (squareA == 0 && squareB == 0 && unequal > 0)
    return 0;
  return cosineOf(dot, squareA, squareB);
}

double ComparisonResult::similarity() const {
  if (samples == 0 || unequal > 0)
    return 0;
  return isExact ? agreement : cosine;
}

double ValueSummary::deviation() const { return std::sqrt(variance); }

void ChannelExtent::merge(const ChannelExtent &other) {
  minA = std::min(minA, other.minA);
  maxA = std::max(maxA, other.maxA);
  minB = std::min(minB, other.minB);
  maxB = std::max(maxB, other.maxB);
}

ChannelPlanes TensorComparison::planesOf(const Shape &shape) const {
  ChannelPlanes planes;
  if (channelAxis < 0 || channelAxis >= int64_t(shape.size())) {
    planes.inner = elementCount(shape);
    return planes;
  }
  auto axis = shape.begin() + channelAxis;
  planes = {elementCount({shape.begin(), axis}), *axis,
            elementCount({axis + 1, shape.end()})};
  // The planes of a single channel follow each other.
  if (planes.channels == 1)
    planes.inner *= std::exchange(planes.outer, 1);
  return planes;
}

void TensorComparison::addFloats(const Tensor &a, const Tensor &b) {
  if (a.size() > 0) {
    ChannelPlanes planes = planesOf(a.shape());
    sums.resize(size_t(planes.channels));
    extents.resize(size_t(planes.channels));
    std::vector<float> memoryA, memoryB;
    Walk(*this, floatsOf(a, memoryA), floatsOf(b, memoryB), planes).run();
  }
  for (const PairSums &channel : sums)
    total.add(channel);
  for (const ChannelExtent &channel : extents)
    extent.merge(channel);
  if (channelAxis < 0) {
    sums.clear();
    extents.clear();
  }
  worstSampleCosine = total.cosine();
  if (tracksRows) {
    RowAgreement agreement = agreementOfRows(a, b);
    rows = agreement.rows;
    agreeing = agreement.agreeing;
    clearlyMoved = agreement.clearlyMoved;
  }
}

void TensorComparison::addExact(const Tensor &a, const Tensor &b) {
  isExact = true;
  rows = a.size();
  agreeing = countEqual(a, b);
  if (rows > 0)
    worstSampleCosine = double(agreeing) / double(rows);
}

void TensorComparison::add(const Tensor &quantized, const Tensor &reference) {
  if (quantized.shape() != reference.shape())
    throw Error(fmt::format("the quantized tensor has the shape {} and the "
                            "float one {}: they can't be compared",
                            toString(quantized.shape()),
                            toString(reference.shape())));
  bool areFloats = isFloat(reference.dtype());
  if (isFloat(quantized.dtype()) != areFloats)
    throw Error(fmt::format("the quantized tensor is of {} and the float one "
                            "of {}: they can't be compared",
                            nameOf(quantized.dtype()),
                            nameOf(reference.dtype())));
  if (samples > 0) {
    TensorComparison sample(channelAxis, codes, tracksRows, summarizes);
    sample.add(quantized, reference);
    return merge(sample);
  }
  samples = 1;
  count = quantized.size();
  worstSample = 0;
  if (areFloats)
    addFloats(quantized, reference);
  else
    addExact(quantized, reference);
  cosines = {float(worstSampleCosine)};
}

void TensorComparison::clear() {
  std::vector<PairSums> oldSums = std::move(sums);
  std::vector<ChannelExtent> oldExtents = std::move(extents);
  *this = TensorComparison(channelAxis, codes, tracksRows, summarizes);
  oldSums.clear();
  oldExtents.clear();
  sums = std::move(oldSums);
  extents = std::move(oldExtents);
}

void TensorComparison::merge(const TensorComparison &next) {
  if (samples > 0 && next.samples > 0 && isExact != next.isExact)
    throw Error("a tensor can't hold floats in one sample and integers in "
                "another");
  isExact |= next.isExact;
  if (next.worstSample >= 0 &&
      (worstSample < 0 || next.worstSampleCosine < worstSampleCosine)) {
    worstSample = samples + next.worstSample;
    worstSampleCosine = next.worstSampleCosine;
  }
  size_t room = mostCosines - std::min(mostCosines, cosines.size());
  cosines.insert(cosines.end(), next.cosines.begin(),
                 next.cosines.begin() +
                     std::ptrdiff_t(std::min(room, next.cosines.size())));
  total.add(next.total);
  extent.merge(next.extent);
  sums.resize(std::max(sums.size(), next.sums.size()));
  extents.resize(sums.size());
  for (size_t i = 0; i < next.sums.size(); ++i) {
    sums[i].add(next.sums[i]);
    extents[i].merge(next.extents[i]);
  }
  using T = TensorComparison;
  for (auto number :
       {&T::samples, &T::count, &T::nanA, &T::nanB, &T::infA, &T::infB,
        &T::special, &T::saturated, &T::rows, &T::agreeing, &T::clearlyMoved})
    this->*number += next.*number;
  maxAbs = std::max(maxAbs, next.maxAbs);
}

std::vector<float> TensorComparison::channelErrors() const {
  std::vector<float> errors;
  double each = double(count) / double(std::max<size_t>(1, sums.size()));
  for (const PairSums &channel : sums)
    errors.push_back(each > 0 ? float(std::sqrt(channel.squareError / each))
                              : 0);
  return errors;
}

ComparisonResult TensorComparison::result() const {
  ComparisonResult result{.samples = samples,
                          .count = count,
                          .nanA = nanA,
                          .nanB = nanB,
                          .infA = infA,
                          .infB = infB,
                          .special = special,
                          .unequal = total.unequal,
                          .cosine = total.cosine(),
                          .maxAbs = maxAbs,
                          .worstSample = worstSample,
                          .worstSampleCosine = worstSampleCosine,
                          .channels = int64_t(sums.size()),
                          .rows = rows,
                          .clearlyMoved = clearlyMoved,
                          .isExact = isExact};
  if (int64_t measured = isExact ? 0 : count - special; measured > 0) {
    result.mse = total.squareError / double(measured);
    result.saturated = double(saturated) / double(measured);
    if (summarizes) {
      result.quantized = summarize(measured, extent.minA, extent.maxA,
                                   total.sumA, total.squareA);
      result.reference = summarize(measured, extent.minB, extent.maxB,
                                   total.sumB, total.squareB);
    }
    if (total.squareError > 0)
      result.sqnrDb = 10 * std::log10(total.squareB / total.squareError);
  } else if (total.unequal > 0) {
    result.sqnrDb = -std::numeric_limits<double>::infinity();
  }
  if (codes && codes->scale > 0)
    result.maxSteps = maxAbs / double(codes->scale);
  if (rows > 0)
    result.agreement = double(agreeing) / double(rows);
  // Variation below the resolution of a float of the tensor's size is ignored.
  double largest = 0;
  for (const ChannelExtent &extent : extents)
    largest = std::max({largest, double(extent.maxB), -double(extent.minB)});
  double visible = largest * 0x1p-24;
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto &[minA, maxA, minB, maxB] = extents[i];
    result.deadChannels += minA == maxA && double(maxB) - minB > visible;
    result.sparseChannels += minB == 0 && maxB == 0;
    double cosine = sums[i].cosine();
    if (result.worstChannel < 0 || cosine < result.worstChannelCosine) {
      result.worstChannel = int64_t(i);
      result.worstChannelCosine = cosine;
    }
  }
  return result;
}

} // namespace parallax
