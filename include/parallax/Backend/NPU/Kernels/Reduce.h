//===- Reduce.h - Integer kernels: sums along axes -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions that compute (C37, C38 of docs/numerics.md). Greatest and least
// elements, their positions and the k greatest move codes: the templates of the
// float engine serve them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_REDUCE_H
#define PARALLAX_BACKEND_NPU_KERNELS_REDUCE_H

#include "parallax/Backend/NPU/Kernels/Codes.h"

namespace parallax::npu {

/// L1 sums magnitudes, SumSquare squares.
enum class SumKind { Sum, Mean, L1, SumSquare };

/// `count` elements become one.
Multiplier sumMultiplier(SumKind kind, float xScale, float yScale,
                         int64_t count);

/// `axes` are sorted and not negative. Whether y keeps them as ones does not
/// matter.
void reduceSum(SumKind kind, const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const int64_t> axes, Multiplier multiplier,
               const OutputCodes &output);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_REDUCE_H
