//===- ColorConvert.cpp - Reference kernel: YUV to colors -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Formats differ only in where the three codes of a pixel lie, so a line of a
// picture is described by pointers and strides and converted by one loop.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/ColorConvert.h"
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Support/Parallel.h"

namespace parallax::kernels {
namespace {

constexpr int fractionBits = 16;

/// Luma lies `lumaStep` codes apart, chroma `chromaStep` codes for each pair of
/// pixels.
struct YuvLine {
  const uint8_t *luma, *u, *v;
  int64_t lumaStep, chromaStep;
};

YuvLine lineOf(const uint8_t *picture, int64_t row, int64_t height,
               int64_t width, YuvFormat format) {
  switch (format) {
  case YuvFormat::Yuv420sp:
  case YuvFormat::Yvu420sp: {
    const uint8_t *chroma = picture + (height + row / 2) * width;
    bool swaps = format == YuvFormat::Yvu420sp;
    return {picture + row * width, chroma + (swaps ? 1 : 0),
            chroma + (swaps ? 0 : 1), 1, 2};
  }
  case YuvFormat::Yuyv422:
    picture += row * width * 2;
    return {picture, picture + 1, picture + 3, 2, 4};
  case YuvFormat::Uyvy422:
    picture += row * width * 2;
    return {picture + 1, picture, picture + 2, 2, 4};
  }
  throw Error("the YUV format is unknown here");
}

template <size_t channels>
void convertLine(const YuvLine &line, int64_t width,
                 const ColorConvertParams &params, uint8_t *to) {
  constexpr int64_t half = int64_t(1) << (fractionBits - 1);
  for (int64_t w = 0; w < width; ++w) {
    int64_t pair = w / 2 * line.chromaStep;
    int64_t luma =
        std::max<int64_t>(line.luma[w * line.lumaStep], params.minLuma);
    int64_t u = line.u[pair], v = line.v[pair];
    for (size_t c = 0; c < channels; ++c) {
      const int64_t *row = params.matrix.data() + 4 * c;
      int64_t sum = row[0] * luma + row[1] * u + row[2] * v + row[3];
      *to++ =
          uint8_t(std::clamp<int64_t>((sum + half) >> fractionBits, 0, 255));
    }
  }
}

} // namespace

void colorConvert(const Tensor &x, Tensor &y,
                  const ColorConvertParams &params) {
  if (x.dtype() != DType::U8)
    throwUnsupported("ColorConvert", x.dtype());
  int64_t height = y.dim(1), width = y.dim(2), channels = y.dim(3);
  int64_t pictureSize = x.size() / std::max<int64_t>(x.dim(0), 1);
  auto convert = channels == 1 ? convertLine<1> : convertLine<3>;
  parallelFor(
      y.dim(0) * height, grainFor(width * channels * 4),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const uint8_t *picture = x.data<uint8_t>() + i / height * pictureSize;
          convert(lineOf(picture, i % height, height, width, params.format),
                  width, params, y.data<uint8_t>() + i * width * channels);
        }
      });
}

} // namespace parallax::kernels
