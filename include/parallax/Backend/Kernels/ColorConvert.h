//===- ColorConvert.h - Reference kernel: YUV to colors --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Integers only: the definition of nn.color_convert fixes every bit, and this
// kernel is no more than its definition.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_COLORCONVERT_H
#define PARALLAX_BACKEND_KERNELS_COLORCONVERT_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// In the order of the words in the operator's definition.
enum class YuvFormat { Yuv420sp, Yvu420sp, Yuyv422, Uyvy422 };

struct ColorConvertParams {
  YuvFormat format = YuvFormat::Yuv420sp;
  /// Rows of four, in units of 2^-16; one row for each channel of the result.
  std::vector<int64_t> matrix;
  int64_t minLuma = 0;
};

/// uint8; y is N x H x W x rows of the matrix.
void colorConvert(const Tensor &x, Tensor &y, const ColorConvertParams &params);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_COLORCONVERT_H
