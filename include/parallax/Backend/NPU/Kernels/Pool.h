//===- Pool.h - Integer kernels: pooling -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Average and norm pooling sum codes, or magnitudes or squares of them, and
// round once (C36, C36a of docs/numerics.md).
// Max pooling moves codes: the template of the float engine serves it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_POOL_H
#define PARALLAX_BACKEND_NPU_KERNELS_POOL_H

#include "parallax/Backend/Kernels/OperatorParams.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"

namespace parallax::npu {

/// Entry n is s_x / (n s_y), for n from 1 to `count`; entry 0 is 0.
std::vector<Multiplier>
averageMultipliers(float xScale, float yScale, int64_t count,
                   int multiplierBits = defaultMultiplierBits);

/// `multipliers` has an entry for each number of taps that a window may have.
void averagePool(const Tensor &x, int64_t xZero, Tensor &y,
                 const kernels::PoolParams &params,
                 std::span<const Multiplier> multipliers,
                 const OutputCodes &output);

/// Sums of magnitudes or, if it `isEuclidean`, roots of sums of squares (C36a).
void lpPool(const Tensor &x, int64_t xZero, Tensor &y,
            const kernels::PoolParams &params, bool isEuclidean,
            Multiplier multiplier, const OutputCodes &output);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_POOL_H
