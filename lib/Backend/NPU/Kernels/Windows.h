//===- Windows.h - Which inputs a window covers ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolution, transposed convolution and pooling only differ in what they do
// with the inputs of a window. Here is where these lie (C21, C22), for any
// number of spatial dimensions.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_WINDOWS_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_WINDOWS_H

#include "parallax/Support/Tensor.h"

namespace parallax::npu {

/// One entry per spatial dimension in each vector.
struct WindowShape {
  std::span<const int64_t> in, out;
  Shape kernel, strides, dilations, padsBegin, padsEnd;
  bool transposed = false;
};

class Windows {
public:
  explicit Windows(const WindowShape &shape);

  int64_t taps() const { return tapCount; }

  /// Writes the input of every tap of the output at `position`; -1 where the
  /// tap falls outside of the input.
  void inputsOf(int64_t position, int64_t *inputs) const;

  /// How many taps fall into the input and its padding. What lies beyond the
  /// padding never counts.
  int64_t paddedTaps(int64_t position) const;

private:
  struct Axis {
    int64_t out, kernel, in;
    std::vector<int64_t> input;  // out x kernel
    std::vector<int64_t> padded; // out
  };
  std::vector<Axis> axes;
  int64_t tapCount = 1;
};

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_WINDOWS_H
