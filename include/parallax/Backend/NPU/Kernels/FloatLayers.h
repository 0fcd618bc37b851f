//===- FloatLayers.h - FP32 layers of the NPU ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What an FP32 layer sums, it sums in the order of C92 to C94 of
// docs/numerics.md: the float engine's own order depends on its libraries.
// Products are in Mac.h.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_FLOATLAYERS_H
#define PARALLAX_BACKEND_NPU_KERNELS_FLOATLAYERS_H

#include "parallax/Backend/NPU/Kernels/Normalize.h"

namespace parallax::npu {

/// C92.
float sumFloats(const float *x, int64_t count, int64_t stride = 1);

/// C93.
void softmaxFloat(const Tensor &x, Tensor &y, int64_t axis, bool isLog);

/// C94. Empty gamma or beta leave their step out.
void normalizeFloat(NormKind kind, const Tensor &x, Tensor &y,
                    const NormRows &rows, float epsilon,
                    std::span<const float> gamma, std::span<const float> beta);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_FLOATLAYERS_H
