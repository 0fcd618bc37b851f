//===- VisionTest.cpp - Sampling and detection kernels --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sampling is compared with code that reads a virtually padded image one pixel
// at a time; the selection of boxes with cases worked out by hand.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Vision.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

/// Mirrors step by step at the edges until the position is inside.
double mirror(double x, double low, double high) {
  if (high <= low)
    return low;
  while (x < low || x > high)
    x = x < low ? 2 * low - x : 2 * high - x;
  return x;
}

struct GridWitness {
  const Tensor &x;
  GridMode mode;
  GridPadding padding;
  bool align;

  double low() const { return align ? 0 : -0.5; }
  double high(int64_t extent) const {
    return double(extent) - (align ? 1 : 0.5);
  }

  double sample(size_t axis, int64_t base, const float *grid) const {
    if (axis == size_t(x.rank()))
      return x.data<float>()[base];
    int64_t extent = x.dim(axis);
    float n = grid[x.rank() - 1 - int64_t(axis)], size = float(extent);
    double at = align ? (n + 1) / 2 * (size - 1) : ((n + 1) * size - 1) / 2;
    auto pixel = [&](int64_t i) -> double {
      if (i < 0 || i >= extent) {
        if (padding == GridPadding::Zeros)
          return 0;
        i = padding == GridPadding::Border
                ? std::clamp<int64_t>(i, 0, extent - 1)
                : int64_t(mirror(double(i), low(), high(extent)));
      }
      return sample(axis + 1, base * extent + i, grid);
    };
    if (mode == GridMode::Nearest)
      at = std::nearbyint(at);
    if (at < low() || at > high(extent)) {
      if (padding == GridPadding::Border)
        at = std::clamp(at, 0.0, double(extent - 1));
      else if (padding == GridPadding::Reflection)
        at = mirror(at, low(), high(extent));
    }
    if (mode == GridMode::Nearest)
      return pixel(int64_t(at));
    int64_t floor = int64_t(std::floor(at));
    double sum = 0, t = at - double(floor);
    if (mode == GridMode::Linear)
      return (1 - t) * pixel(floor) + t * pixel(floor + 1);
    for (int64_t i = -1; i <= 2; ++i) {
      double d = std::abs(t - double(i)), a = -0.75;
      double w = d <= 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                        : a * (d * d * d - 5 * d * d + 8 * d - 4);
      sum += w * pixel(floor + i);
    }
    return sum;
  }
};

TEST(VisionTest, GridSampleMatchesPaddedImage) {
  struct {
    Shape x, out;
  } shapes[] = {{{2, 3, 5, 7}, {2, 3, 6, 11}},
                {{1, 2, 3, 4, 5}, {1, 2, 2, 3, 7}},
                {{1, 1, 1, 1}, {1, 1, 5, 5}}};
  for (auto &[xShape, out] : shapes) {
    Tensor x = randomFloats(xShape, 1);
    Shape gridShape{out[0]};
    gridShape.insert(gridShape.end(), out.begin() + 2, out.end());
    gridShape.push_back(x.rank() - 2);
    Tensor grid = randomFloats(gridShape, 2, -2.5f, 2.5f);
    int64_t spatial = x.rank() - 2;
    for (auto mode : {GridMode::Linear, GridMode::Nearest, GridMode::Cubic})
      for (auto padding :
           {GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection})
        for (bool align : {false, true}) {
          SCOPED_TRACE(testing::Message() << toString(xShape) << int(mode)
                                          << int(padding) << align);
          Tensor y(DType::F32, out);
          gridSample(x, grid, y, mode, padding, align);
          GridWitness witness{x, mode, padding, align};
          std::vector<double> expected;
          int64_t points = elementCount(out) / (out[0] * out[1]);
          for (int64_t i = 0; i < elementCount(out); ++i) {
            int64_t plane = i / points;
            expected.push_back(witness.sample(
                2, plane,
                grid.data<float>() +
                    (plane / out[1] * points + i % points) * spatial));
          }
          expectClose(y, expected, 2e-6);
        }
  }
}

TEST(VisionTest, GridSampleSurvivesAnyCoordinate) {
  Tensor x = tensorOf({1, 1, 2, 2}, {1.f, 2.f, 3.f, 4.f});
  Tensor grid = tensorOf(
      {1, 1, 4, 2}, {NAN, NAN, infinity, -infinity, 3e38f, 3e38f, -1e20f, 0.f});
  Tensor y(DType::F32, {1, 1, 1, 4});
  for (auto mode : {GridMode::Linear, GridMode::Nearest, GridMode::Cubic})
    for (auto padding :
         {GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection}) {
      gridSample(x, grid, y, mode, padding, true);
      EXPECT_EQ(y.data<float>()[0], 1);
      for (int64_t i = 1; i < 4; ++i)
        if (padding == GridPadding::Zeros)
          EXPECT_EQ(y.data<float>()[i], 0);
        else
          EXPECT_TRUE(std::isfinite(y.data<float>()[i]));
    }
}

TEST(VisionTest, GridSampleRoundsTiesToEven) {
  // Position 0.5 of two pixels, in an image and in a volume.
  Tensor x = tensorOf({1, 1, 1, 2}, {1.f, 2.f}), y(DType::F32, {1, 1, 1, 1});
  Tensor grid = tensorOf({1, 1, 1, 2}, {0.f, 0.f});
  gridSample(x, grid, y, GridMode::Nearest, GridPadding::Zeros, false);
  expectValues<float>(y, {1});
  Tensor x3 = x.reshaped({1, 1, 1, 1, 2}), y3(DType::F32, {1, 1, 1, 1, 1});
  Tensor grid3 = tensorOf({1, 1, 1, 1, 3}, {0.f, 0.f, 0.f});
  gridSample(x3, grid3, y3, GridMode::Nearest, GridPadding::Zeros, false);
  expectValues<float>(y3, {1});
}

// A volume of 3 x 2 x 2 and points of which many lie between pixels. The
// expected values follow from ONNX's definition: x = ((g + 1) n - 1) / 2, or
// (g + 1) / 2 (n - 1) with aligned corners, rounded half to even.
TEST(VisionTest, GridSampleOfVolumes) {
  Tensor x = tensorOf({1, 1, 3, 2, 2}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f,
                                        9.f, 10.f, 11.f, 12.f});
  Tensor grid = tensorOf(
      {1, 2, 4, 2, 3},
      {-1.f,  -1.f,  -1.f,  -1.f,  -0.5f, 0.3f,  -0.5f, -0.5f, -0.5f, 1.f,
       -0.6f, -1.f,  -0.2f, -0.2f, -0.2f, 0.4f,  0.2f,  0.6f,  0.f,   0.f,
       0.f,   -1.f,  0.f,   0.f,   0.f,   0.f,   0.f,   -1.f,  1.f,   0.f,
       -0.2f, -0.2f, -0.2f, 1.f,   0.4f,  -0.2f, 0.5f,  0.5f,  0.5f,  -1.f,
       -0.8f, 0.8f,  1.f,   1.f,   1.f,   0.4f,  0.6f,  -0.3f});
  Tensor y(DType::F32, {1, 1, 2, 4, 2});
  gridSample(x, grid, y, GridMode::Nearest, GridPadding::Zeros, false);
  expectValues<float>(y, {1, 5, 1, 0, 5, 12, 5, 5, 5, 0, 5, 0, 12, 9, 0, 8});
  gridSample(x, grid, y, GridMode::Nearest, GridPadding::Zeros, true);
  expectValues<float>(y, {1, 5, 1, 2, 5, 12, 5, 5, 5, 7, 5, 8, 12, 9, 12, 8});
}

/// RoiAlign of one bin grid, sample by sample.
std::vector<double> roiWitness(const Tensor &x, const Tensor &rois,
                               const std::vector<int64_t> &batch,
                               const Shape &out, const RoiAlignParams &p) {
  int64_t height = x.dim(2), width = x.dim(3);
  std::vector<double> result;
  for (int64_t r = 0; r < out[0]; ++r)
    for (int64_t c = 0; c < out[1]; ++c)
      for (int64_t by = 0; by < out[2]; ++by)
        for (int64_t bx = 0; bx < out[3]; ++bx) {
          const float *roi = rois.data<float>() + 4 * r;
          const float *plane =
              x.data<float>() + (batch[r] * out[1] + c) * height * width;
          double offset = p.halfPixel ? 0.5 : 0, s = p.spatialScale;
          double x0 = roi[0] * s - offset, y0 = roi[1] * s - offset;
          double w = roi[2] * s - offset - x0, h = roi[3] * s - offset - y0;
          if (!p.halfPixel)
            w = std::max(w, 1.0), h = std::max(h, 1.0);
          double binW = w / double(out[3]), binH = h / double(out[2]);
          int64_t nx = p.samplingRatio ? p.samplingRatio
                                       : int64_t(std::ceil(binW)),
                  ny = p.samplingRatio ? p.samplingRatio
                                       : int64_t(std::ceil(binH));
          double sum = 0, best = -infinity;
          for (int64_t iy = 0; iy < ny; ++iy)
            for (int64_t ix = 0; ix < nx; ++ix) {
              double py =
                  y0 + (double(by) + (double(iy) + 0.5) / double(ny)) * binH;
              double px =
                  x0 + (double(bx) + (double(ix) + 0.5) / double(nx)) * binW;
              bool inside = py >= -1 && py <= double(height) && px >= -1 &&
                            px <= double(width);
              py = std::clamp(py, 0.0, double(height - 1));
              px = std::clamp(px, 0.0, double(width - 1));
              int64_t iy0 = int64_t(py), ix0 = int64_t(px);
              for (int64_t dy : {0, 1})
                for (int64_t dx : {0, 1}) {
                  double wy = dy ? py - double(iy0) : 1 - (py - double(iy0));
                  double wx = dx ? px - double(ix0) : 1 - (px - double(ix0));
                  int64_t yy = std::min(iy0 + dy, height - 1);
                  int64_t xx = std::min(ix0 + dx, width - 1);
                  double v = inside ? wy * wx * plane[yy * width + xx] : 0;
                  sum += v;
                  best = std::max(best, v);
                }
            }
          int64_t count = std::max<int64_t>(nx, 0) * std::max<int64_t>(ny, 0);
          result.push_back(count == 0 ? 0
                           : p.isMax  ? best
                                      : sum / double(count));
        }
  return result;
}

TEST(VisionTest, RoiAlignMatchesSamples) {
  Tensor x = randomFloats({2, 3, 9, 11}, 3);
  // Inside, across the border, outside, empty, and turned around.
  Tensor rois = tensorOf({5, 4}, {1.3f,  2.1f, 7.7f, 6.4f, -4.f, -3.f, 5.2f,
                                  14.3f, 30.f, 30.f, 40.f, 40.f, 3.f,  3.f,
                                  3.f,   3.f,  8.f,  8.f,  2.f,  1.f});
  std::vector<int64_t> batch{0, 1, 0, 1, 1};
  Tensor indices = tensorOf<int64_t>({5}, batch);
  for (bool isMax : {false, true})
    for (bool halfPixel : {false, true})
      for (int64_t ratio : {0, 1, 3}) {
        RoiAlignParams params{isMax, ratio, 0.75f, halfPixel};
        Tensor y(DType::F32, {5, 3, 2, 4});
        roiAlign(x, rois, indices, y, params);
        expectClose(y, roiWitness(x, rois, batch, y.shape(), params), 4e-6);
      }
}

TEST(VisionTest, RoiAlignRefusesBadData) {
  Tensor x(DType::F32, {2, 1, 4, 4}), y(DType::F32, {1, 1, 2, 2});
  Tensor roi = tensorOf({1, 4}, {0.f, 0.f, 2.f, 2.f});
  for (int64_t index : {-1, 2})
    EXPECT_THROW(roiAlign(x, roi, tensorOf<int64_t>({1}, {index}), y, {}),
                 Error);
  Tensor zero = tensorOf<int64_t>({1}, {0});
  for (float bad : {NAN, infinity, 3e38f})
    EXPECT_THROW(
        roiAlign(x, tensorOf({1, 4}, {0.f, 0.f, bad, 2.f}), zero, y, {}),
        Error);
}

TEST(VisionTest, NonMaxSuppression) {
  // Boxes 0 to 2 overlap pairwise, 3 and 4 are the same box with its corners
  // exchanged, 5 is empty.
  Tensor boxes =
      tensorOf({1, 6, 4}, {0.f, 0.f,   1.f, 1.f,  0.f, 0.1f, 1.f, 1.1f,
                           0.f, -0.1f, 1.f, 0.9f, 5.f, 5.f,  6.f, 6.f,
                           6.f, 6.f,   5.f, 5.f,  0.f, 0.f,  0.f, 0.f});
  Tensor scores = tensorOf({1, 2, 6}, {0.9f, 0.75f, 0.6f, 0.5f, 0.5f, 0.95f,
                                       0.1f, 0.2f, 0.3f, 0.4f, 0.4f, NAN});
  float threshold = 0.2f;
  NonMaxSuppressionParams params{10, 0.5f, &threshold, false};
  Tensor y(DType::I64, {12, 3});
  nonMaxSuppression(boxes, scores, y, params);
  EXPECT_EQ(y.shape(), (Shape{5, 3}));
  expectValues<int64_t>(y, {0, 0, 5, 0, 0, 0, 0, 0, 3, 0, 1, 3, 0, 1, 2});

  params.maxPerClass = 1;
  y.setShape({12, 3});
  nonMaxSuppression(boxes, scores, y, params);
  expectValues<int64_t>(y, {0, 0, 5, 0, 1, 3});

  params.maxPerClass = 0;
  y.setShape({12, 3});
  nonMaxSuppression(boxes, scores, y, params);
  EXPECT_EQ(y.shape(), (Shape{0, 3}));

  params.maxPerClass = 10;
  Tensor small(DType::I64, {2, 3});
  EXPECT_THROW(nonMaxSuppression(boxes, scores, small, params), Error);
}

TEST(VisionTest, NonMaxSuppressionOfCentres) {
  // IoU of neighbours shifted by a quarter: 0.75 / 1.25 = 0.6.
  Tensor boxes =
      tensorOf({2, 2, 4}, {0.5f, 0.5f, 1.f, 1.f, 0.75f, 0.5f, 1.f, 1.f, 0.5f,
                           0.5f, 1.f, 1.f, 0.5f, 0.75f, 1.f, 1.f});
  Tensor scores = tensorOf({2, 1, 2}, {1.f, 2.f, 2.f, -1.f});
  Tensor y(DType::I64, {4, 3});
  nonMaxSuppression(boxes, scores, y, {5, 0.55f, nullptr, true});
  expectValues<int64_t>(y, {0, 0, 1, 1, 0, 0});
  y.setShape({4, 3});
  nonMaxSuppression(boxes, scores, y, {5, 0.65f, nullptr, true});
  expectValues<int64_t>(y, {0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1});
}

} // namespace
