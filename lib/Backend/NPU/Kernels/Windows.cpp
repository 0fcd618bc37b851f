//===- Windows.cpp - Which inputs a window covers -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each axis has a table of its own, so a window costs additions only.
//===----------------------------------------------------------------------===//
#include "Windows.h"

namespace parallax::npu {

Windows::Windows(const WindowShape &shape) {
  for (size_t i = 0; i < shape.kernel.size(); ++i) {
    Axis axis{shape.out[i], shape.kernel[i], shape.in[i], {}, {}};
    tapCount *= axis.kernel;
    int64_t stride = shape.strides[i], begin = shape.padsBegin[i];
    int64_t end = shape.padsEnd.empty() ? 0 : shape.padsEnd[i];
    for (int64_t o = 0; o < axis.out; ++o) {
      int64_t padded = 0;
      for (int64_t k = 0; k < axis.kernel; ++k) {
        int64_t reach = k * shape.dilations[i];
        int64_t at =
            shape.transposed ? o + begin - reach : o * stride - begin + reach;
        padded += at >= -begin && at < axis.in + end;
        bool hits = at >= 0;
        if (shape.transposed) {
          hits = hits && at % stride == 0;
          at /= stride;
        }
        axis.input.push_back(hits && at < axis.in ? at : -1);
      }
      axis.padded.push_back(padded);
    }
    axes.push_back(std::move(axis));
  }
}

void Windows::inputsOf(int64_t position, int64_t *inputs) const {
  // From the innermost axis outwards, each axis repeats what is inside of it.
  int64_t inside = 1, scale = 1;
  inputs[0] = 0;
  for (size_t i = axes.size(); i-- > 0;) {
    const Axis &axis = axes[i];
    const int64_t *row = axis.input.data() + position % axis.out * axis.kernel;
    position /= axis.out;
    // Backwards, because the first copy is the one that is read.
    for (int64_t k = axis.kernel; k-- > 0;)
      for (int64_t t = inside; t-- > 0;) {
        bool outside = row[k] < 0 || inputs[t] < 0;
        int64_t input = outside ? -1 : row[k] * scale + inputs[t];
        inputs[k * inside + t] = input;
      }
    inside *= axis.kernel;
    scale *= axis.in;
  }
}

int64_t Windows::paddedTaps(int64_t position) const {
  int64_t count = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    count *= axes[i].padded[position % axes[i].out];
    position /= axes[i].out;
  }
  return count;
}

} // namespace parallax::npu
