//===- ColorMatrix.cpp - From YUV to colors -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The matrices of BT.601 from the two numbers that define it, and those of the
// user, as integers.
//===----------------------------------------------------------------------===//
#include "ColorMatrix.h"

#include <array>
#include <cmath>

namespace parallax::processors {
namespace {

constexpr double unit = 65536;
constexpr int64_t neutralChroma = 128;
constexpr int64_t blackOfLimitedRange = 16;

using Row = std::array<int64_t, 4>;

/// A row of factors of luma, U and V. The bias is what makes black with neutral
/// chroma exactly 0, so gray pixels stay gray.
Row rowOf(double luma, double u, double v, int64_t black) {
  Row row{std::llround(luma * unit), std::llround(u * unit),
          std::llround(v * unit), 0};
  row[3] = -(row[0] * black + (row[1] + row[2]) * neutralChroma);
  return row;
}

/// Red, green and blue.
std::array<Row, 3> matrixOfBT601(bool isLimited) {
  constexpr double red = 0.299, blue = 0.114, green = 1 - red - blue;
  // Limited range: luma from 16 to 235, chroma from 16 to 240.
  double luma = isLimited ? 255.0 / 219 : 1;
  double chroma = isLimited ? 255.0 / 224 : 1;
  double redOfV = 2 * (1 - red) * chroma, blueOfU = 2 * (1 - blue) * chroma;
  int64_t black = isLimited ? blackOfLimitedRange : 0;
  return {rowOf(luma, 0, redOfV, black),
          rowOf(luma, -blueOfU * blue / green, -redOfV * red / green, black),
          rowOf(luma, blueOfU, 0, black)};
}

} // namespace

bool isYuv(ColorSpace format) {
  return format == ColorSpace::Yuv420sp || format == ColorSpace::Yvu420sp ||
         format == ColorSpace::Yuyv422 || format == ColorSpace::Uyvy422;
}

ColorPlan planColors(const InputProcessor &processor, ColorSpace target) {
  ColorPlan plan;
  plan.format = configName(processor.srcFormat);
  if (target == ColorSpace::Gray) {
    plan.matrix = {int64_t(unit), 0, 0, 0};
    return plan;
  }
  if (processor.cscMode == CscMode::Matrix) {
    for (double value : processor.cscMat)
      plan.matrix.push_back(std::llround(value * unit));
    return plan;
  }
  bool isLimited = processor.cscMode == CscMode::LimitedRange;
  std::array<Row, 3> rows = matrixOfBT601(isLimited);
  if (target == ColorSpace::Bgr)
    std::swap(rows[0], rows[2]);
  for (const Row &row : rows)
    plan.matrix.insert(plan.matrix.end(), row.begin(), row.end());
  plan.minLuma = isLimited ? blackOfLimitedRange : 0;
  return plan;
}

} // namespace parallax::processors
