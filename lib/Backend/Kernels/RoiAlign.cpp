//===- RoiAlign.cpp - Reference kernels: RoiAlign -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The sample positions of a region form a grid: what is known about a sample
// along one axis is worked out once per row or column, not once per sample.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/Kernels/Vision.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::kernels {
namespace {

/// Two neighbouring pixels and their weights; both weights are 0 outside.
struct Sample {
  int64_t low = 0, high = 0;
  float lowWeight = 0, highWeight = 0;
};

/// The samples of a region along one axis, bin by bin.
struct RoiAxis {
  int64_t perBin = 0;
  std::vector<Sample> samples;

  void set(float start, float end, int64_t extent, int64_t bins,
           const RoiAlignParams &params) {
    float offset = params.halfPixel ? 0.5f : 0.0f;
    float first = start * params.spatialScale - offset;
    float length = end * params.spatialScale - offset - first;
    if (!params.halfPixel)
      length = std::max(length, 1.0f);
    float bin = length / float(bins);
    float wanted =
        params.samplingRatio > 0 ? float(params.samplingRatio) : std::ceil(bin);
    constexpr float limit = 65536;
    if (!std::isfinite(first) || !(wanted <= limit))
      throw Error(fmt::format("RoiAlign has a region from {} to {}; it must be "
                              "finite and of a sensible size",
                              start, end));
    perBin = std::max<int64_t>(int64_t(wanted), 0);
    samples.clear();
    for (int64_t b = 0; b < bins; ++b)
      for (int64_t i = 0; i < perBin; ++i)
        samples.push_back(sampleAt(first + float(b) * bin +
                                       (float(i) + 0.5f) * bin / float(perBin),
                                   extent));
  }

private:
  static Sample sampleAt(float position, int64_t extent) {
    if (!(position >= -1.0f && position <= float(extent)))
      return {};
    position = std::max(position, 0.0f);
    int64_t low = int64_t(position);
    if (low >= extent - 1)
      return {extent - 1, extent - 1, 1.0f, 0.0f};
    float t = position - float(low);
    return {low, low + 1, 1.0f - t, t};
  }
};

float poolBin(const float *plane, int64_t width, std::span<const Sample> rows,
              std::span<const Sample> columns, bool isMax) {
  float sum = 0;
  float best = -std::numeric_limits<float>::infinity();
  for (const Sample &r : rows)
    for (const Sample &c : columns) {
      float corners[] = {
          r.lowWeight * c.lowWeight * plane[r.low * width + c.low],
          r.lowWeight * c.highWeight * plane[r.low * width + c.high],
          r.highWeight * c.lowWeight * plane[r.high * width + c.low],
          r.highWeight * c.highWeight * plane[r.high * width + c.high]};
      if (isMax)
        for (float corner : corners)
          best = maximum(best, corner);
      else
        sum += corners[0] + corners[1] + corners[2] + corners[3];
    }
  size_t count = rows.size() * columns.size();
  if (count == 0)
    return 0;
  return isMax ? best : sum / float(count);
}

} // namespace

void roiAlign(const Tensor &x, const Tensor &rois, const Tensor &batchIndices,
              Tensor &y, const RoiAlignParams &params) {
  requireFloat("RoiAlign", x);
  int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  int64_t regions = rois.dim(0), binRows = y.dim(2), binColumns = y.dim(3);
  const int64_t *batch = batchIndices.data<int64_t>();
  for (int64_t i = 0; i < regions; ++i)
    if (batch[i] < 0 || batch[i] >= x.dim(0))
      throw Error(fmt::format("RoiAlign's batch_indices[{}] is {}, but the "
                              "batch has {} images",
                              i, batch[i], x.dim(0)));
  if (y.size() == 0)
    return;
  if (height == 0 || width == 0)
    throw Error("RoiAlign can't sample an empty image");
  // Checked before the threads start: an exception must not leave one of them.
  const float *roi = rois.data<float>();
  auto setAxes = [&](int64_t region, RoiAxis &rows, RoiAxis &columns) {
    const float *box = roi + 4 * region;
    columns.set(box[0], box[2], width, binColumns, params);
    rows.set(box[1], box[3], height, binRows, params);
  };
  int64_t samples = 0;
  {
    RoiAxis rows, columns;
    for (int64_t i = 0; i < regions; ++i) {
      setAxes(i, rows, columns);
      samples = std::max<int64_t>(samples, int64_t(rows.samples.size()) *
                                               int64_t(columns.samples.size()));
    }
  }
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(
      regions * channels, grainFor(4 * samples),
      [&](int64_t begin, int64_t end) {
        RoiAxis rows, columns;
        for (int64_t item = begin; item < end; ++item) {
          int64_t region = item / channels, channel = item % channels;
          if (item == begin || channel == 0)
            setAxes(region, rows, columns);
          const float *plane =
              from + (batch[region] * channels + channel) * height * width;
          float *out = to + item * binRows * binColumns;
          std::span<const Sample> rowSamples(rows.samples);
          std::span<const Sample> columnSamples(columns.samples);
          for (int64_t r = 0; r < binRows; ++r)
            for (int64_t c = 0; c < binColumns; ++c)
              *out++ = poolBin(
                  plane, width,
                  rowSamples.subspan(r * rows.perBin, rows.perBin),
                  columnSamples.subspan(c * columns.perBin, columns.perBin),
                  params.isMax);
        }
      });
}

} // namespace parallax::kernels
