//===- ResizeTest.cpp - Resize kernels ------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Compared with the formulas of the ONNX page, applied to one output element at
// a time, recursively over the axes, in double precision.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Resize.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

using Mode = CoordinateMode;

double original(double x, double scale, double in, double out, double start,
                double end, Mode mode) {
  switch (mode) {
  case Mode::HalfPixel:
    return (x + 0.5) / scale - 0.5;
  case Mode::HalfPixelSymmetric:
    return in / 2 * (1 - out / (scale * in)) + (x + 0.5) / scale - 0.5;
  case Mode::PytorchHalfPixel:
    return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  case Mode::AlignCorners:
    return out > 1 ? x * (in - 1) / (scale * in - 1) : 0;
  case Mode::Asymmetric:
    return x / scale;
  case Mode::TfHalfPixelForNn:
    return (x + 0.5) / scale;
  case Mode::TfCropAndResize:
    return out > 1 ? start * (in - 1) + x * (end - start) * (in - 1) / (out - 1)
                   : 0.5 * (start + end) * (in - 1);
  }
  return 0;
}

double keys(double t, double a) {
  t = std::abs(t);
  if (t <= 1)
    return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

struct Witness {
  const Tensor &x;
  const Shape &out;
  std::vector<float> scales, roi;
  ResizeParams params;

  double at(size_t axis, int64_t base, const Shape &o) const {
    if (axis == out.size())
      return x.data<float>()[base];
    int64_t in = x.dim(axis);
    double scale = scales[axis];
    bool crops = params.coordinates == Mode::TfCropAndResize;
    double position =
        original(double(o[axis]), scale, double(in), double(out[axis]),
                 crops ? roi[axis] : 0, crops ? roi[out.size() + axis] : 0,
                 params.coordinates);
    if (crops && (position < 0 || position > double(in - 1)))
      return params.extrapolationValue;
    auto pixel = [&](int64_t i) {
      return at(axis + 1, base * in + std::clamp<int64_t>(i, 0, in - 1), o);
    };
    if (params.mode == ResizeMode::Nearest) {
      double floor = std::floor(position), t = position - floor;
      bool up = params.nearest == NearestMode::Ceil               ? t > 0
                : params.nearest == NearestMode::RoundPreferCeil  ? t >= 0.5
                : params.nearest == NearestMode::RoundPreferFloor ? t > 0.5
                                                                  : false;
      return pixel(int64_t(floor) + up);
    }
    // Every pixel within reach of the stretched kernel, found by trial.
    double stretch = params.antialias ? std::min(scale, 1.0) : 1.0;
    double sum = 0, weights = 0;
    for (int64_t i = -20; i < in + 20; ++i) {
      double t = (double(i) - position) * stretch;
      double w = params.mode == ResizeMode::Linear
                     ? std::max(0.0, 1 - std::abs(t))
                     : keys(t, params.cubicCoeffA);
      if (w == 0 || (params.excludeOutside && (i < 0 || i >= in)))
        continue;
      sum += w * pixel(i);
      weights += w;
    }
    return sum / weights;
  }

  std::vector<double> all() const {
    std::vector<double> result;
    for (int64_t flat = 0; flat < elementCount(out); ++flat) {
      Shape o(out.size());
      int64_t rest = flat;
      for (size_t i = out.size(); i-- > 0;) {
        o[i] = rest % out[i];
        rest /= out[i];
      }
      result.push_back(at(0, 0, o));
    }
    return result;
  }
};

void checkResize(const Tensor &x, const std::vector<float> &scales,
                 const Shape &out, const ResizeParams &params,
                 const std::vector<float> &roi = {}) {
  ResizePlan plan(x.shape(), out, scales, roi, params);
  Tensor y(DType::F32, out);
  resize(plan, x, y);
  expectClose(y, Witness{x, out, scales, roi, params}.all());
}

Shape scaled(const Tensor &x, const std::vector<float> &scales) {
  Shape out;
  for (int64_t i = 0; i < x.rank(); ++i)
    out.push_back(int64_t(std::floor(double(x.dim(i)) * scales[i])));
  return out;
}

constexpr Mode modes[] = {Mode::HalfPixel,        Mode::HalfPixelSymmetric,
                          Mode::PytorchHalfPixel, Mode::AlignCorners,
                          Mode::Asymmetric,       Mode::TfHalfPixelForNn};

TEST(ResizeTest, AllModesMatchTheFormulas) {
  Tensor x = randomFloats({2, 3, 7, 9}, 1);
  for (std::vector<float> scales : {std::vector<float>{1, 1, 2, 3},
                                    {1, 1, 0.6f, 0.7f},
                                    {1, 1, 1.7f, 0.3f},
                                    {1, 1, 0.125f * 1.5f, 2.5f}})
    for (Mode mode : modes)
      for (auto kind :
           {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic})
        for (bool antialias : {false, true})
          for (bool exclude : {false, true}) {
            ResizeParams params;
            params.mode = kind;
            params.coordinates = mode;
            params.antialias = antialias;
            params.excludeOutside = exclude;
            SCOPED_TRACE(testing::Message()
                         << int(kind) << int(mode) << antialias << exclude
                         << " " << scales[2]);
            checkResize(x, scales, scaled(x, scales), params);
          }
}

TEST(ResizeTest, NearestModes) {
  Tensor x = iota({1, 8});
  for (auto nearest :
       {NearestMode::RoundPreferFloor, NearestMode::RoundPreferCeil,
        NearestMode::Floor, NearestMode::Ceil})
    for (Mode mode : modes)
      for (float scale : {2.0f, 0.5f, 1.25f}) {
        ResizeParams params;
        params.nearest = nearest;
        params.coordinates = mode;
        checkResize(x, {1, scale}, scaled(x, {1, scale}), params);
      }
}

TEST(ResizeTest, RoundedRatiosMeanTheExactOnes) {
  // 30 -> 40: output 4k is input 3k exactly, though 4 / 3 has no float.
  Tensor x = iota({30}), y(DType::F32, {40});
  ResizeParams params;
  params.coordinates = Mode::Asymmetric;
  params.nearest = NearestMode::Floor;
  std::vector<float> scale{40.0f / 30.0f};
  resize(ResizePlan({30}, {40}, scale, {}, params), x, y);
  for (int64_t i = 0; i < 40; ++i)
    EXPECT_EQ(y.data<float>()[i], float(i * 3 / 4));
}

TEST(ResizeTest, CropAndResize) {
  Tensor x = randomFloats({1, 2, 6, 8}, 2);
  for (auto kind : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic})
    for (Shape out : {Shape{1, 2, 5, 7}, Shape{1, 2, 1, 3}}) {
      ResizeParams params;
      params.mode = kind;
      params.coordinates = Mode::TfCropAndResize;
      params.extrapolationValue = 10;
      checkResize(x, {1, 1, float(out[2]) / 6, float(out[3]) / 8}, out, params,
                  {0, 0, 0.4f, -0.3f, 1, 1, 0.6f, 1.2f});
    }
}

TEST(ResizeTest, InterleavedChannelsAndVolumes) {
  ResizeParams params;
  params.mode = ResizeMode::Linear;
  checkResize(randomFloats({2, 5, 6, 8}, 3), {1, 2, 1.5f, 1}, {2, 10, 9, 8},
              params);
  checkResize(randomFloats({1, 3, 4, 5}, 4), {1, 2, 1, 2}, {1, 6, 4, 10},
              params);
  checkResize(randomFloats({1, 1, 3, 4, 5}, 5), {1, 1, 2, 0.5f, 3},
              {1, 1, 6, 2, 15}, params);
  params.mode = ResizeMode::Cubic;
  checkResize(randomFloats({4, 3, 5}, 6), {0.5f, 2, 1}, {2, 6, 5}, params);
}

TEST(ResizeTest, OneElementAxesAndEmptyTensors) {
  for (auto kind :
       {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic}) {
    ResizeParams params;
    params.mode = kind;
    checkResize(randomFloats({1, 1, 1}, 7), {1, 4, 3}, {1, 4, 3}, params);
    checkResize(randomFloats({1, 5, 1}, 8), {1, 0.2f, 1}, {1, 1, 1}, params);
    Tensor x(DType::F32, {0, 3}), y(DType::F32, {0, 6});
    std::vector<float> scales{1, 2};
    resize(ResizePlan({0, 3}, {0, 6}, scales, {}, params), x, y);
  }
}

TEST(ResizeTest, NearestMovesAnyType) {
  Tensor x = tensorOf<uint8_t>({2, 2}, {1, 2, 3, 255}), y(DType::U8, {4, 2});
  std::vector<float> scales{2, 1};
  resize(ResizePlan({2, 2}, {4, 2}, scales, {}, {}), x, y);
  expectValues<uint8_t>(y, {1, 2, 1, 2, 3, 255, 3, 255});
  Tensor x64 = tensorOf<int64_t>({2}, {int64_t(1) << 60, -1});
  Tensor y64(DType::I64, {4});
  std::vector<float> two{2};
  resize(ResizePlan({2}, {4}, two, {}, {}), x64, y64);
  expectValues<int64_t>(y64, {int64_t(1) << 60, int64_t(1) << 60, -1, -1});
}

TEST(ResizeTest, WrongPlansAreErrors) {
  ResizeParams crop;
  crop.coordinates = Mode::TfCropAndResize;
  std::vector<float> two{2}, zero{0};
  EXPECT_THROW(ResizePlan({2}, {4}, two, {}, crop), Error);
  EXPECT_THROW(ResizePlan({0}, {4}, two, {}, {}), Error);
  EXPECT_THROW(ResizePlan({2}, {4}, zero, {}, {}), Error);
  ResizeParams linear;
  linear.mode = ResizeMode::Linear;
  Tensor x(DType::I32, {2}), y(DType::I32, {4});
  EXPECT_THROW(resize(ResizePlan({2}, {4}, two, {}, linear), x, y), Error);
}

TEST(ResizeTest, ThreadsGiveTheSameBits) {
  Tensor x = randomFloats({1, 16, 40, 40}, 9);
  Tensor one(DType::F32, {1, 16, 90, 90}), two = one.clone();
  ResizeParams params;
  params.mode = ResizeMode::Linear;
  std::vector<float> scales{1, 1, 2.25f, 2.25f};
  ResizePlan plan(x.shape(), one.shape(), scales, {}, params);
  setThreadCount(1);
  resize(plan, x, one);
  setThreadCount(2);
  resize(plan, x, two);
  for (int64_t i = 0; i < one.size(); ++i)
    ASSERT_EQ(one.data<float>()[i], two.data<float>()[i]);
}

} // namespace
