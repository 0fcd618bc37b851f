//===- ColorConvertTest.cpp - YUV pictures and their normalization --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Compared with a literal implementation of the definition, bit by bit, and
// with OpenCV, which rounds its coefficients differently, within one code.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/ColorConvert.h"
#include "../../../lib/Passes/Processors/ColorMatrix.h"
#include "KernelTestSupport.h"
#include "parallax/Backend/Reference/Kernels/Normalize.h"
#include "parallax/Data/Image.h"
#include "parallax/Support/Parallel.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

struct Format {
  YuvFormat format;
  ColorSpace space;
  int toRgb, toBgr;
};

const Format formats[] = {{YuvFormat::Yuv420sp, ColorSpace::Yuv420sp,
                           cv::COLOR_YUV2RGB_NV12, cv::COLOR_YUV2BGR_NV12},
                          {YuvFormat::Yvu420sp, ColorSpace::Yvu420sp,
                           cv::COLOR_YUV2RGB_NV21, cv::COLOR_YUV2BGR_NV21},
                          {YuvFormat::Yuyv422, ColorSpace::Yuyv422,
                           cv::COLOR_YUV2RGB_YUYV, cv::COLOR_YUV2BGR_YUYV},
                          {YuvFormat::Uyvy422, ColorSpace::Uyvy422,
                           cv::COLOR_YUV2RGB_UYVY, cv::COLOR_YUV2BGR_UYVY}};

bool is420(YuvFormat format) { return format <= YuvFormat::Yvu420sp; }

Shape sourceShape(YuvFormat format, int64_t batch, int64_t height,
                  int64_t width) {
  return is420(format) ? Shape{batch, height * 3 / 2, width, 1}
                       : Shape{batch, height, width, 2};
}

ColorConvertParams paramsOf(const Format &format, CscMode mode,
                            ColorSpace target) {
  InputProcessor processor;
  processor.srcFormat = format.space;
  processor.cscMode = mode;
  processors::ColorPlan plan = processors::planColors(processor, target);
  return {format.format, plan.matrix, plan.minLuma};
}

Tensor convert(const Tensor &x, const ColorConvertParams &params, Shape shape) {
  Tensor y(DType::U8, std::move(shape));
  colorConvert(x, y, params);
  return y;
}

/// Every combination of extremes, of codes around the borders of the limited
/// range, and random ones. Codes repeat with a period that no picture shares.
Tensor hardCodes(Shape shape, unsigned seed) {
  Tensor tensor = random<uint8_t>(std::move(shape), 0, 256, seed);
  constexpr uint8_t extremes[] = {0,   1,   15,  16,  17,  127, 128, 129,
                                  234, 235, 236, 239, 240, 241, 254, 255};
  std::mt19937 engine(seed + 1);
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (engine() % 2)
      tensor.data<uint8_t>()[i] = extremes[engine() % std::size(extremes)];
  return tensor;
}

/// Y, U and V of a pixel, by the table of the definition.
std::array<int64_t, 3> codesOf(const Tensor &x, YuvFormat format, int64_t n,
                               int64_t height, int64_t h, int64_t w) {
  auto at = [&](int64_t row, int64_t column, int64_t channel) -> int64_t {
    return x.data<uint8_t>()[offsetOf(x.shape(), {n, row, column, channel})];
  };
  int64_t even = w / 2 * 2;
  switch (format) {
  case YuvFormat::Yuv420sp:
    return {at(h, w, 0), at(height + h / 2, even, 0),
            at(height + h / 2, even + 1, 0)};
  case YuvFormat::Yvu420sp:
    return {at(h, w, 0), at(height + h / 2, even + 1, 0),
            at(height + h / 2, even, 0)};
  case YuvFormat::Yuyv422:
    return {at(h, w, 0), at(h, even, 1), at(h, even + 1, 1)};
  case YuvFormat::Uyvy422:
    break;
  }
  return {at(h, w, 1), at(h, even, 0), at(h, even + 1, 0)};
}

TEST(ColorConvertTest, IsItsDefinition) {
  constexpr int64_t batch = 2, height = 6, width = 10;
  std::vector<std::vector<int64_t>> matrices = {
      {65536, 0, 0, 0},
      {-1, 1, 0, -32768, 0, 0, 0, 32767, 70000, -4000000, 12345, 999999},
      {int64_t(1) << 35, -(int64_t(1) << 35), 7, 0, 0, -65536, 0, 1 << 24, 1, 2,
       3, 4}};
  for (const Format &format : formats)
    for (const std::vector<int64_t> &matrix : matrices)
      for (int64_t minLuma : {0, 16, 255}) {
        auto channels = int64_t(matrix.size() / 4);
        Tensor x =
            hardCodes(sourceShape(format.format, batch, height, width), 3);
        Tensor y = convert(x, {format.format, matrix, minLuma},
                           {batch, height, width, channels});
        forEachIndex(y.shape(), [&](const Shape &index) {
          auto [luma, u, v] =
              codesOf(x, format.format, index[0], height, index[1], index[2]);
          const int64_t *row = matrix.data() + 4 * index[3];
          __int128 sum = __int128(row[0]) * std::max(luma, minLuma) +
                         __int128(row[1]) * u + __int128(row[2]) * v + row[3] +
                         32768;
          // Rounds down, also below zero.
          __int128 rounded = sum / 65536 - (sum % 65536 < 0 ? 1 : 0);
          auto expected = int64_t(std::clamp<__int128>(rounded, 0, 255));
          ASSERT_EQ(y.data<uint8_t>()[offsetOf(y.shape(), index)], expected);
        });
      }
}

TEST(ColorConvertTest, LimitedRangeIsThatOfOpenCV) {
  constexpr int64_t height = 66, width = 130;
  for (const Format &format : formats)
    for (ColorSpace target : {ColorSpace::Rgb, ColorSpace::Bgr})
      for (unsigned seed : {1, 2, 3, 4, 5}) {
        Tensor x =
            hardCodes(sourceShape(format.format, 1, height, width), seed);
        Tensor y = convert(x, paramsOf(format, CscMode::LimitedRange, target),
                           {1, height, width, 3});
        cv::Mat source(int(x.dim(1)), int(width),
                       is420(format.format) ? CV_8UC1 : CV_8UC2,
                       x.data<uint8_t>());
        cv::Mat expected;
        cv::cvtColor(source, expected,
                     target == ColorSpace::Rgb ? format.toRgb : format.toBgr);
        cv::Mat actual(int(height), int(width), CV_8UC3, y.data<uint8_t>());
        ASSERT_EQ(expected.size(), actual.size());
        EXPECT_LE(cv::norm(actual, expected, cv::NORM_INF), 1);
      }
}

/// The three planes at full size, as OpenCV takes them: Y, V, U.
cv::Mat upsampled(const Tensor &x, YuvFormat format, int64_t height,
                  int64_t width) {
  cv::Mat planes(int(height), int(width), CV_8UC3);
  for (int h = 0; h < height; ++h)
    for (int w = 0; w < width; ++w) {
      auto [luma, u, v] = codesOf(x, format, 0, height, h, w);
      planes.at<cv::Vec3b>(h, w) = {uint8_t(luma), uint8_t(v), uint8_t(u)};
    }
  return planes;
}

TEST(ColorConvertTest, FullRangeIsThatOfOpenCV) {
  constexpr int64_t height = 66, width = 130;
  for (const Format &format : formats)
    for (ColorSpace target : {ColorSpace::Rgb, ColorSpace::Bgr})
      for (unsigned seed : {1, 2, 3, 4, 5}) {
        Tensor x =
            hardCodes(sourceShape(format.format, 1, height, width), seed);
        Tensor y = convert(x, paramsOf(format, CscMode::FullRange, target),
                           {1, height, width, 3});
        cv::Mat expected;
        cv::cvtColor(upsampled(x, format.format, height, width), expected,
                     target == ColorSpace::Rgb ? cv::COLOR_YCrCb2RGB
                                               : cv::COLOR_YCrCb2BGR);
        cv::Mat actual(int(height), int(width), CV_8UC3, y.data<uint8_t>());
        EXPECT_LE(cv::norm(actual, expected, cv::NORM_INF), 1);
      }
}

TEST(ColorConvertTest, MatricesOfBT601) {
  const Format &nv12 = formats[0];
  EXPECT_EQ(paramsOf(nv12, CscMode::FullRange, ColorSpace::Rgb).matrix,
            (std::vector<int64_t>{65536, 0, 91881, -11760768,     //
                                  65536, -22553, -46802, 8877440, //
                                  65536, 116130, 0, -14864640}));
  EXPECT_EQ(paramsOf(nv12, CscMode::LimitedRange, ColorSpace::Bgr).matrix,
            (std::vector<int64_t>{76309, 132201, 0, -18142672,    //
                                  76309, -25675, -53279, 8885168, //
                                  76309, 0, 104597, -14609360}));
}

/// Gray stays gray, black is 0, and white is 255.
TEST(ColorConvertTest, NeutralChromaGivesGray) {
  for (CscMode mode : {CscMode::FullRange, CscMode::LimitedRange}) {
    Tensor x(DType::U8, {1, 3, 256, 1});
    for (int64_t w = 0; w < 256; ++w)
      x.data<uint8_t>()[w] = x.data<uint8_t>()[256 + w] = uint8_t(w);
    std::fill_n(x.data<uint8_t>() + 512, 256, uint8_t(128));
    Tensor y =
        convert(x, paramsOf(formats[0], mode, ColorSpace::Rgb), {1, 2, 256, 3});
    bool isLimited = mode == CscMode::LimitedRange;
    for (int64_t w = 0; w < 256; ++w) {
      const uint8_t *pixel = y.data<uint8_t>() + 3 * w;
      EXPECT_EQ(pixel[0], pixel[1]);
      EXPECT_EQ(pixel[1], pixel[2]);
      if (!isLimited)
        EXPECT_EQ(pixel[0], w);
    }
    EXPECT_EQ(y.data<uint8_t>()[3 * (isLimited ? 16 : 0)], 0);
    EXPECT_EQ(y.data<uint8_t>()[3 * (isLimited ? 235 : 255)], 255);
  }
}

TEST(ColorConvertTest, ThreadsGiveTheSameBits) {
  Tensor x = hardCodes({2, 192, 128, 1}, 9);
  ColorConvertParams params =
      paramsOf(formats[0], CscMode::LimitedRange, ColorSpace::Bgr);
  Tensor one(DType::U8, {}), three(DType::U8, {});
  {
    ThreadCountScope scope(1);
    one = convert(x, params, {2, 128, 128, 3});
  }
  {
    ThreadCountScope scope(3);
    three = convert(x, params, {2, 128, 128, 3});
  }
  EXPECT_EQ(valuesOf<uint8_t>(one), valuesOf<uint8_t>(three));
}

//===----------------------------------------------------------------------===//
// Normalize
//===----------------------------------------------------------------------===//

/// A picture that calibration reads, and the same pixels through the kernel.
TEST(NormalizeInputTest, GivesTheBitsOfACalibrationPicture) {
  constexpr int64_t height = 32, width = 48;
  Tensor pixels = random<uint8_t>({height, width, 3}, 0, 256, 5);
  std::vector<uint8_t> file;
  cv::imencode(
      ".png", cv::Mat(int(height), int(width), CV_8UC3, pixels.data<uint8_t>()),
      file);
  const float mean[] = {123.675f, 116.28f, 103.53f};
  const float std[] = {58.395f, 57.12f, 57.375f};
  for (bool channelsLast : {false, true}) {
    Shape shape =
        channelsLast ? Shape{1, height, width, 3} : Shape{1, 3, height, width};
    ImageForm form = imageFormOf(
        "x", DType::F32, shape, ColorSpace::Bgr,
        channelsLast ? TensorLayout::NHWC : TensorLayout::NCHW, mean, std);
    Tensor expected =
        readImage(std::as_bytes(std::span<const uint8_t>(file)), "x.png", form);
    Tensor x(DType::F32, shape), y(DType::F32, shape);
    forEachIndex(shape, [&](const Shape &i) {
      Shape pixel =
          channelsLast ? Shape{i[1], i[2], i[3]} : Shape{i[2], i[3], i[1]};
      x.data<float>()[offsetOf(shape, i)] =
          float(pixels.data<uint8_t>()[offsetOf(pixels.shape(), pixel)]);
    });
    normalize(x, y, mean, std, channelsLast ? 3 : 1);
    EXPECT_EQ(valuesOf<float>(y), valuesOf<float>(expected));
  }
}

TEST(NormalizeInputTest, TakesAnyAxis) {
  Tensor x = randomFloats({2, 3, 4}, 6), y(DType::F32, {2, 3, 4});
  for (int64_t axis : {0, 1, 2}) {
    std::vector<float> mean, std;
    for (int64_t i = 0; i < x.dim(size_t(axis)); ++i) {
      mean.push_back(0.3f * float(i) - 0.5f);
      std.push_back(0.7f + float(i));
    }
    normalize(x, y, mean, std, axis);
    forEachIndex(x.shape(), [&](const Shape &index) {
      int64_t at = offsetOf(x.shape(), index);
      auto c = size_t(index[size_t(axis)]);
      EXPECT_EQ(y.data<float>()[at], (x.data<float>()[at] - mean[c]) / std[c]);
    });
  }
}

} // namespace
