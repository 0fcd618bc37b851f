//===- FloatResize.cpp - Interpolation in FP32 layers ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One axis after the other (C97), so that many taps stay cheap.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {

using kernels::ResizeAxis;
using kernels::ResizePlan;

/// [outer, in, inner] to [outer, out, inner].
static void resizeAxis(const ResizeAxis &axis, const float *from, float *to,
                       int64_t outer, int64_t inner) {
  parallelFor(outer * axis.out, rowGrain(2 * axis.taps * inner),
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) {
                  int64_t part = r / axis.out, first = r % axis.out * axis.taps;
                  float *row = to + r * inner;
                  std::fill_n(row, inner, 0.0f);
                  for (int64_t t = first; t < first + axis.taps; ++t) {
                    float weight = axis.weight[t];
                    if (weight == 0)
                      continue;
                    const float *line =
                        from + (part * axis.in + axis.index[t]) * inner;
                    for (int64_t i = 0; i < inner; ++i)
                      row[i] += line[i] * weight;
                  }
                }
              });
}

/// Outputs that an axis puts outside of the input have a value of their own.
static void fillOutside(const ResizePlan &plan, Tensor &y) {
  int64_t stride = plan.inner;
  for (size_t a = plan.axes.size(); a-- > 0; stride *= plan.axes[a].out) {
    const ResizeAxis &axis = plan.axes[a];
    if (axis.outside.empty())
      continue;
    for (int64_t i = 0; i < y.size(); i += stride)
      if (axis.outside[i / stride % axis.out])
        std::fill_n(y.data<float>() + i, stride, plan.extrapolationValue);
  }
}

/// The greatest number of elements between two axes.
static int64_t largestStep(const ResizePlan &plan) {
  int64_t largest = 0, size = plan.outer * plan.inner;
  for (const ResizeAxis &axis : plan.axes)
    size *= axis.in;
  for (const ResizeAxis &axis : plan.axes) {
    size = axis.in ? size / axis.in * axis.out : 0;
    largest = std::max(largest, size);
  }
  return largest;
}

size_t resizeFloatScratchBytes(const ResizePlan &plan) {
  return 2 * sizeof(float) * size_t(largestStep(plan));
}

void resizeFloat(const ResizePlan &plan, const Tensor &x, Tensor &y,
                 void *scratch) {
  if (y.size() == 0)
    return;
  auto *first = static_cast<float *>(scratch);
  float *buffers[] = {first, first + largestStep(plan)};
  const float *from = x.data<float>();
  int64_t outer = plan.outer, inner = plan.inner;
  for (const ResizeAxis &axis : plan.axes)
    inner *= axis.in;
  // The last axis is one that changes something.
  for (size_t a = 0, used = 0; a < plan.axes.size(); ++a) {
    const ResizeAxis &axis = plan.axes[a];
    inner /= axis.in;
    if (!axis.isIdentity()) {
      float *to =
          a + 1 == plan.axes.size() ? y.data<float>() : buffers[used++ % 2];
      resizeAxis(axis, from, to, outer, inner);
      from = to;
    }
    outer *= axis.out;
  }
  fillOutside(plan, y);
}

} // namespace parallax::npu
