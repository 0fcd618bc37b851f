//===- GridSample.cpp - Reference kernels: GridSample ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The positions are the same for all channels. For a block of output points the
// pixels and weights are worked out once, then applied to each channel.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/Kernels/Vision.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cmath>

namespace parallax::kernels {
namespace {

constexpr int64_t maxAxisTaps = 4, maxTaps = 64, pointBlock = 32;

/// Folds a position back into [low, high] as if the image were mirrored there.
double reflect(double x, double low, double high) {
  double range = high - low;
  if (range <= 0)
    return low;
  if (x >= low && x <= high)
    return x;
  double beyond = x < low ? low - x : x - high;
  double folds = std::floor(beyond / range);
  double rest = beyond - folds * range;
  bool sameEnd = std::fmod(folds, 2) == 0;
  return (x < low) == sameEnd ? low + rest : high - rest;
}

/// The taps of one output point along one axis; pixel -1 reads zero.
struct AxisTaps {
  int32_t pixel[maxAxisTaps];
  float weight[maxAxisTaps];
};

class GridAxis {
public:
  GridAxis(int64_t extent, GridMode mode, GridPadding padding,
           bool alignCorners)
      : extent(extent), mode(mode), padding(padding),
        alignCorners(alignCorners), low(alignCorners ? 0 : -0.5),
        high(alignCorners ? double(extent) - 1 : double(extent) - 0.5) {}

  int64_t taps() const {
    return mode == GridMode::Nearest ? 1 : mode == GridMode::Linear ? 2 : 4;
  }

  AxisTaps at(float coordinate) const {
    double x = toPixels(coordinate);
    if (mode == GridMode::Nearest)
      x = std::nearbyint(x); // Ties to even.
    // Within half a pixel of the border, only the taps are bounded.
    if (padding == GridPadding::Border && (x < low || x > high))
      x = std::clamp(x, 0.0, double(extent) - 1);
    else if (padding == GridPadding::Reflection)
      x = reflect(x, low, high);
    AxisTaps taps{};
    if (mode == GridMode::Nearest) {
      taps.pixel[0] = pixelAt(int64_t(x));
      taps.weight[0] = 1;
      return taps;
    }
    double floor = std::floor(x), t = x - floor;
    int64_t before = mode == GridMode::Linear ? 0 : 1;
    for (int64_t i = 0; i < this->taps(); ++i) {
      taps.pixel[i] = pixelAt(int64_t(floor) - before + i);
      taps.weight[i] = float(weightAt(t + double(before - i)));
    }
    return taps;
  }

private:
  /// In single precision, as ties between pixels are defined by it.
  double toPixels(float coordinate) const {
    float size = float(extent);
    float x = std::isnan(coordinate) ? -1.0f : coordinate;
    x = alignCorners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
    // Infinities times an extent of nothing.
    if (std::isnan(x))
      x = 0;
    // Far outside, but within the range of integers.
    return std::clamp(double(x), -0x1p40, 0x1p40);
  }

  double weightAt(double distance) const {
    double t = std::abs(distance);
    if (mode == GridMode::Linear)
      return 1 - t;
    constexpr double a = -0.75;
    if (t <= 1)
      return ((a + 2) * t - (a + 3)) * t * t + 1;
    return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  }

  /// The padding rule also holds for the neighbours of a position.
  int32_t pixelAt(int64_t i) const {
    if (i >= 0 && i < extent)
      return int32_t(i);
    switch (padding) {
    case GridPadding::Zeros:
      return -1;
    case GridPadding::Border:
      return i < 0 ? 0 : int32_t(extent - 1);
    case GridPadding::Reflection:
      break;
    }
    return int32_t(reflect(double(i), low, high));
  }

  int64_t extent;
  GridMode mode;
  GridPadding padding;
  bool alignCorners;
  double low, high;
};

/// The taps of a block of points, over all axes.
struct BlockTaps {
  int64_t pixel[maxTaps][pointBlock]; // -1 reads zero
  float weight[maxTaps][pointBlock];
};

PARALLAX_SIMD void samplePoints(const float *plane, float *y,
                                const BlockTaps &block, int64_t taps,
                                int64_t points) {
  float sums[pointBlock] = {};
  for (int64_t t = 0; t < taps; ++t)
    for (int64_t i = 0; i < points; ++i) {
      int64_t pixel = block.pixel[t][i];
      sums[i] += pixel < 0 ? 0.0f : plane[pixel] * block.weight[t][i];
    }
  std::copy_n(sums, points, y);
}

/// Fills column `point` of the block from a point's grid entry, whose first
/// coordinate belongs to the innermost dimension.
void setPoint(BlockTaps &block, int64_t point, const float *coordinates,
              std::span<const GridAxis> axes, const int64_t *extents) {
  int64_t count = 1;
  block.pixel[0][point] = 0;
  block.weight[0][point] = 1;
  for (size_t dim = 0; dim < axes.size(); ++dim) {
    AxisTaps taps = axes[dim].at(coordinates[axes.size() - 1 - dim]);
    int64_t factor = axes[dim].taps();
    // Backwards, so that an entry is read before it is overwritten.
    for (int64_t i = count; i-- > 0;) {
      int64_t base = block.pixel[i][point];
      float weight = block.weight[i][point];
      for (int64_t t = factor; t-- > 0;) {
        bool inside = base >= 0 && taps.pixel[t] >= 0;
        block.pixel[i * factor + t][point] =
            inside ? base * extents[dim] + taps.pixel[t] : -1;
        block.weight[i * factor + t][point] = weight * taps.weight[t];
      }
    }
    count *= factor;
  }
}

} // namespace

void gridSample(const Tensor &x, const Tensor &grid, Tensor &y, GridMode mode,
                GridPadding padding, bool alignCorners) {
  requireFloat("GridSample", x);
  size_t spatial = size_t(x.rank()) - 2;
  if (spatial < 1 || spatial > 3)
    throw Error(fmt::format("GridSample has no kernel for {} spatial "
                            "dimensions; it takes one to three",
                            spatial));
  if (y.size() == 0)
    return;
  const int64_t *extents = x.shape().data() + 2;
  std::vector<GridAxis> axes;
  int64_t taps = 1;
  for (size_t i = 0; i < spatial; ++i) {
    if (extents[i] == 0)
      throw Error("GridSample can't sample an empty image");
    axes.emplace_back(extents[i], mode, padding, alignCorners);
    taps *= axes.back().taps();
  }
  int64_t channels = x.dim(1);
  int64_t plane = splitAt(x.shape(), 2, x.rank()).count;
  int64_t points = splitAt(y.shape(), 2, y.rank()).count;
  int64_t blocks = (points + pointBlock - 1) / pointBlock;
  const float *from = x.data<float>(), *at = grid.data<float>();
  float *to = y.data<float>();
  parallelFor(
      x.dim(0) * blocks, grainFor(pointBlock * taps * (channels + 4)),
      [&](int64_t begin, int64_t end) {
        BlockTaps block;
        for (int64_t item = begin; item < end; ++item) {
          int64_t image = item / blocks, first = item % blocks * pointBlock;
          int64_t count = std::min(pointBlock, points - first);
          for (int64_t i = 0; i < count; ++i)
            setPoint(block, i,
                     at + (image * points + first + i) * int64_t(spatial), axes,
                     extents);
          for (int64_t c = 0; c < channels; ++c)
            samplePoints(from + (image * channels + c) * plane,
                         to + (image * channels + c) * points + first, block,
                         taps, count);
        }
      });
}

} // namespace parallax::kernels
