//===- Resize.h - Integer kernels: resize ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weighted sums of few inputs along each axis, all axes at once and one
// requantization (C39 of docs/numerics.md). Nearest moves codes: the template
// of the float engine serves it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_RESIZE_H
#define PARALLAX_BACKEND_NPU_KERNELS_RESIZE_H

#include "parallax/Backend/Kernels/Resize.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"

namespace parallax::npu {

/// The axes of a plan with weights in units of 2^-fractionBits.
struct IntegerResize {
  struct Axis {
    int64_t in, out, taps;
    std::vector<int32_t> index, weight;
  };
  int64_t outer = 1, inner = 1;
  std::vector<Axis> axes;
  int fractionBits = 0;
};

/// Throws for plans that leave outputs outside of the input, and where the
/// accumulator has no bits for weights.
IntegerResize integerResize(const kernels::ResizePlan &plan, DType xType,
                            int accumulatorBits);

/// s_x / s_y 2^-(fractionBits axes).
Multiplier resizeMultiplier(const IntegerResize &plan, float xScale,
                            float yScale,
                            int multiplierBits = defaultMultiplierBits);

void resize(const IntegerResize &plan, const Tensor &x, int64_t xZero,
            Tensor &y, Multiplier multiplier, const OutputCodes &output);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_RESIZE_H
