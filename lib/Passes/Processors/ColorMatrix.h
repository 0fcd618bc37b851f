//===- ColorMatrix.h - From YUV to colors ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What nn.color_convert computes for a configuration. Without MLIR, so that the
// tests of its kernel know it too.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_PROCESSORS_COLORMATRIX_H
#define PARALLAX_LIB_PASSES_PROCESSORS_COLORMATRIX_H

#include "parallax/Config/BuildConfig.h"

namespace parallax::processors {

/// The parameters of nn.color_convert.
struct ColorPlan {
  std::string format;
  std::vector<int64_t> matrix;
  int64_t minLuma = 0;
};

/// The matrix of a YUV format, in units of 2^-16 and with rows in the order of
/// `target`. A matrix of the user's own has 12 entries.
ColorPlan planColors(const InputProcessor &processor, ColorSpace target);

bool isYuv(ColorSpace format);

} // namespace parallax::processors

#endif // PARALLAX_LIB_PASSES_PROCESSORS_COLORMATRIX_H
