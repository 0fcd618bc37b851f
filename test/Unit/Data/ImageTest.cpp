//===- ImageTest.cpp - Pictures as network inputs -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pixels are compared bit for bit with what a script would get from OpenCV.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Image.h"
#include "DataTestSupport.h"

#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

using namespace parallax;

namespace {

std::string encode(const std::string &extension, int width, int height,
                   int channels = 3) {
  cv::Mat pixels(height, width, channels == 3 ? CV_8UC3 : CV_8UC1);
  uint32_t state = 7;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width * channels; ++x) {
      state = state * 1664525 + 1013904223;
      pixels.ptr(y)[x] = uint8_t((state >> 27) + uint32_t(x * 3 + y * 5));
    }
  std::vector<uint8_t> bytes;
  cv::imencode(extension, pixels, bytes);
  return {bytes.begin(), bytes.end()};
}

Tensor read(const std::string &bytes, const ImageForm &form) {
  return readImage(std::as_bytes(std::span(bytes)), "p.jpg", form);
}

ImageForm formOf(Shape shape, ColorSpace order = ColorSpace::Auto,
                 std::vector<float> mean = {}, std::vector<float> std = {},
                 TensorLayout layout = TensorLayout::Default,
                 DType dtype = DType::F32) {
  return imageFormOf("x", dtype, shape, order, layout, mean, std);
}

/// The pixels of OpenCV, height x width x channels.
cv::Mat expectedPixels(const std::string &bytes, int width, int height,
                       bool gray) {
  std::vector<uint8_t> data(bytes.begin(), bytes.end());
  cv::Mat pixels =
      cv::imdecode(data, gray ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR);
  cv::Mat resized;
  cv::resize(pixels, resized, cv::Size(width, height), 0, 0, cv::INTER_LINEAR);
  return resized;
}

void expectImageRefused(const std::string &bytes, const std::string &reason) {
  expectError([&] { read(bytes, formOf({1, 3, 4, 4})); }, reason);
  expectError([&] { read(bytes, formOf({1, 3, 4, 4})); }, "'p.jpg'");
}

TEST(Image, EqualsOpenCVBitForBit) {
  struct Size {
    int width, height, toWidth, toHeight;
  };
  for (Size size : {Size{13, 7, 5, 11},
                    {32, 32, 32, 32},
                    {101, 67, 33, 17},
                    {1, 1, 3, 2},
                    {17, 300, 224, 224}})
    for (const char *extension : {".jpg", ".png", ".bmp"})
      for (int channels : {1, 3})
        for (ColorSpace order :
             {ColorSpace::Bgr, ColorSpace::Rgb, ColorSpace::Gray}) {
          std::string bytes =
              encode(extension, size.width, size.height, channels);
          bool gray = order == ColorSpace::Gray;
          int64_t c = gray ? 1 : 3;
          cv::Mat expected =
              expectedPixels(bytes, size.toWidth, size.toHeight, gray);
          Tensor nchw =
              read(bytes, formOf({1, c, size.toHeight, size.toWidth}, order));
          Tensor nhwc = read(bytes, formOf({1, size.toHeight, size.toWidth, c},
                                           order, {}, {}, TensorLayout::NHWC));
          ASSERT_EQ(nchw.shape(), (Shape{1, c, size.toHeight, size.toWidth}));
          int64_t plane = size.toWidth * size.toHeight, differences = 0;
          for (int y = 0; y < size.toHeight; ++y)
            for (int x = 0; x < size.toWidth; ++x)
              for (int64_t k = 0; k < c; ++k) {
                int64_t from = order == ColorSpace::Rgb ? 2 - k : k;
                float pixel = expected.ptr(y)[x * c + from];
                int64_t at = y * size.toWidth + x;
                differences += nchw.data<float>()[k * plane + at] != pixel;
                differences += nhwc.data<float>()[at * c + k] != pixel;
              }
          EXPECT_EQ(differences, 0) << extension << size.width << " " << c;
        }
}

TEST(Image, NormalizesInSinglePrecision) {
  std::string bytes = encode(".png", 6, 5);
  std::vector<float> mean = {103.94f, 116.78f, 123.68f},
                     std = {57.375f, 57.12f, 58.395f};
  Tensor raw = read(bytes, formOf({1, 3, 5, 6}));
  Tensor normalized =
      read(bytes, formOf({1, 3, 5, 6}, ColorSpace::Auto, mean, std));
  for (int64_t at = 0; at < raw.size(); ++at)
    EXPECT_EQ(normalized.data<float>()[at],
              (raw.data<float>()[at] - mean[size_t(at / 30)]) /
                  std[size_t(at / 30)]);
  Tensor oneForAll =
      read(bytes, formOf({1, 3, 5, 6}, ColorSpace::Auto, {}, {255}));
  for (int64_t at = 0; at < raw.size(); ++at)
    EXPECT_EQ(oneForAll.data<float>()[at], raw.data<float>()[at] / 255.0f);
}

TEST(Image, FillsBatchesAndOtherTypes) {
  std::string bytes = encode(".png", 4, 4);
  Tensor one = read(bytes, formOf({1, 3, 4, 4}));
  Tensor two = read(bytes, formOf({2, 3, 4, 4}));
  for (int64_t at = 0; at < two.size(); ++at)
    EXPECT_EQ(two.data<float>()[at], one.data<float>()[at % one.size()]);
  Tensor pixels = read(bytes, formOf({1, 4, 4, 3}, ColorSpace::Bgr, {}, {},
                                     TensorLayout::Default, DType::U8));
  ASSERT_EQ(pixels.shape(), (Shape{1, 4, 4, 3}));
  for (int64_t at = 0; at < 16; ++at)
    for (int64_t k = 0; k < 3; ++k)
      EXPECT_EQ(pixels.data<uint8_t>()[at * 3 + k],
                one.data<float>()[k * 16 + at]);
}

TEST(Image, RefusesInputsThatAreNoPictures) {
  expectError(
      [] {
        formOf({1, 10});
      },
      "input 'x' (1x10 of float32) can't be given pictures: it has no "
      "four dimensions; use arrays");
  expectError([] { formOf({1, 4, 8, 8}); }, "4 channels");
  expectError(
      [] {
        formOf({1, 3, 8, 8}, ColorSpace::Gray);
      },
      "tensor_format GRAY does not fit 3 channels");
  expectError([] { formOf({1, 1, 8, 8}, ColorSpace::Rgb); }, "RGB");
  expectError([] { formOf({1, 3, 1 << 20, 1 << 20}); }, "2^26");
  expectError(
      [] {
        formOf({1, 3, 8, 8}, ColorSpace::Bgr, {1, 2});
      },
      "input 'x': mean has 2 values");
  expectError(
      [] {
        formOf({1, 3, 8, 8}, ColorSpace::Bgr, {}, {1, 0, 1});
      },
      "must not be 0");
  expectError(
      [] {
        formOf({1, 3, 8, 8}, ColorSpace::Bgr, {}, {NAN});
      },
      "not finite");
  expectError(
      [] {
        formOf({1, 3, 8, 8}, ColorSpace::Bgr, {5}, {}, TensorLayout::NCHW,
               DType::U8);
      },
      "need a float input");
}

TEST(Image, RefusesAbsurdSizesBeforeDecoding) {
  auto forged = [](std::string bytes, size_t at, const std::string &field) {
    return bytes.replace(at, field.size(), field);
  };
  std::string png = encode(".png", 8, 8), bmp = encode(".bmp", 8, 8),
              jpg = encode(".jpg", 8, 8);
  std::string big("\0\x01\x86\xa0", 4), little("\xa0\x86\x01\0", 4);
  std::string zero(4, '\0');
  expectImageRefused(forged(png, 16, big + big), "100000x100000 pixels");
  expectImageRefused(forged(png, 16, zero + zero), "0x0 pixels");
  expectImageRefused(forged(png, 20, std::string("\xff\xff\xff\xff", 4)),
                     "2^26");
  expectImageRefused(forged(bmp, 18, little + little), "100000x100000 pixels");
  expectImageRefused(forged(bmp, 18, zero + zero), "0x0 pixels");
  expectImageRefused(forged(bmp, 22, std::string("\0\0\0\x80", 4)), "2^26");
  size_t frame = jpg.find("\xff\xc0") + 5;
  expectImageRefused(forged(jpg, frame, std::string(4, '\xff')),
                     "65535x65535 pixels");
  expectImageRefused(forged(jpg, frame, zero), "0x0 pixels");
}

TEST(Image, RefusesDamagedFiles) {
  for (const char *extension : {".jpg", ".png", ".bmp"}) {
    std::string bytes = encode(extension, 40, 40);
    for (size_t length = 0; length + 20 < bytes.size();
         length += length < 100 ? 1 : 37)
      EXPECT_THROW(read(bytes.substr(0, length), formOf({1, 3, 4, 4})), Error)
          << extension << " " << length;
  }
  expectImageRefused("", "not a JPEG, PNG or BMP");
  expectImageRefused("GIF89a", "not a JPEG, PNG or BMP");
  expectImageRefused(encode(".jpg", 40, 40).substr(0, 700), "truncated");
  std::string damaged = encode(".png", 40, 40);
  damaged[damaged.size() / 2] ^= 0x55;
  expectImageRefused(damaged, "cannot decode");
}

std::string bigEndian(uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

/// A chunk of a PNG file.
std::string chunk(const std::string &body) {
  // The remainder of a polynomial division, bit by bit.
  uint32_t sum = 0xffffffff;
  for (unsigned char byte : body)
    for (int bit = 0; bit < 8; ++bit) {
      bool carry = ((sum ^ byte >> bit) & 1) != 0;
      sum = sum >> 1 ^ (carry ? 0xedb88320 : 0);
    }
  return bigEndian(uint32_t(body.size()) - 4) + body + bigEndian(~sum);
}

/// A gray PNG file of one chunk of pixels as one with a palette, which is that
/// of the masks of PASCAL VOC: 0 is black, 1 is dark red, 2 is dark green.
std::string withPalette(const cv::Mat &gray, bool isBilevel = false) {
  std::vector<uint8_t> bytes;
  cv::imencode(".png", gray, bytes, {cv::IMWRITE_PNG_BILEVEL, isBilevel});
  std::string file(bytes.begin(), bytes.end());
  constexpr size_t headerAt = 8, headerSize = 25, colorType = 13;
  std::string header = file.substr(headerAt + 4, headerSize - 8);
  header[colorType] = 3;
  std::string colors("PLTE\0\0\0\x80\0\0\0\x80\0", 13);
  colors += std::string(isBilevel ? 0 : 3 * 253, '\x40');
  if (isBilevel)
    colors.resize(10);
  return file.substr(0, headerAt) + chunk(header) + chunk(colors) +
         chunk(std::string("tRNS\0", 5)) + file.substr(headerAt + headerSize);
}

Tensor maskOf(const std::string &bytes) {
  return readMask(std::as_bytes(std::span(bytes)), "m.png");
}

TEST(Mask, HasTheNumbersOfAPalette) {
  cv::Mat classes(3, 20, CV_8UC1);
  for (int i = 0; i < 60; ++i)
    classes.data[i] = i == 59 ? 255 : uint8_t(i % 21);
  Tensor mask = maskOf(withPalette(classes));
  ASSERT_EQ(mask.shape(), (Shape{3, 20}));
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(mask.data<uint8_t>()[i], classes.data[i]) << i;
  // One bit for a pixel.
  cv::Mat sides(3, 20, CV_8UC1);
  for (int i = 0; i < 60; ++i)
    sides.data[i] = i % 3 == 0 ? 255 : 0;
  mask = maskOf(withPalette(sides, /*isBilevel=*/true));
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(mask.data<uint8_t>()[i], i % 3 == 0) << i;
}

TEST(Mask, RefusesWhatHasNoNumbers) {
  expectError([] { maskOf(encode(".png", 4, 4)); },
              "cannot decode 'm.png': it is not gray with 8 bits");
  cv::Mat classes(8, 8, CV_8UC1, cv::Scalar(1));
  std::string whole = withPalette(classes);
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(maskOf(whole.substr(0, length)), Error) << length;
  whole[whole.size() - 20] ^= 0x55;
  expectError([&] { maskOf(whole); }, "m.png");
}

TEST(Image, Thumbnails) {
  auto small = [](const std::string &bytes) {
    return thumbnailOf(std::as_bytes(std::span(bytes)), "p.png", 32);
  };
  Thumbnail wide = small(encode(".png", 128, 64));
  EXPECT_EQ(wide.fullSize.width, 128);
  EXPECT_EQ(wide.fullSize.height, 64);
  EXPECT_EQ(wide.size.width, 32);
  EXPECT_EQ(wide.size.height, 16);
  ImageSize written = imageSizeOf(wide.file, "thumbnail");
  EXPECT_EQ(written.width, 32);
  EXPECT_EQ(written.height, 16);
  // Small pictures stay as they are, and narrow ones keep a pixel.
  EXPECT_EQ(small(encode(".png", 20, 30)).size.height, 30);
  EXPECT_EQ(small(encode(".png", 1, 400)).size.width, 1);
  std::string damaged = encode(".png", 64, 64).substr(0, 200);
  expectError([&] { small(damaged); }, "'p.png'");
}

} // namespace
