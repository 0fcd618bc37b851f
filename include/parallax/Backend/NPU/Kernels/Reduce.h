//===- Reduce.h - Integer kernels: sums along axes -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions that compute (C37 to C38a, C67 and C68 of docs/numerics.md), and
// running sums. Greatest and least elements, their positions and the k greatest
// move codes: the templates of the float engine serve them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_REDUCE_H
#define PARALLAX_BACKEND_NPU_KERNELS_REDUCE_H

#include "parallax/Backend/NPU/Kernels/Normalize.h"

namespace parallax::npu {

/// L1 sums magnitudes, SumSquare squares; L2 is the root of the latter.
enum class SumKind { Sum, Mean, L1, SumSquare, L2 };

/// `count` elements become one.
Multiplier sumMultiplier(SumKind kind, float xScale, float yScale,
                         int64_t count,
                         int multiplierBits = defaultMultiplierBits);

/// The root of a sum of squares, times a factor (C38a).
int64_t requantizeRoot(int64_t sum, Multiplier m, Rounding rounding);

/// `axes` are sorted and not negative. Whether y keeps them as ones does not
/// matter.
void reduceSum(SumKind kind, const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const int64_t> axes, Multiplier multiplier,
               const OutputCodes &output);

/// C37a.
struct CumSumParams {
  int64_t axis = 0;
  bool exclusive = false, reverse = false;
};
void cumSum(const Tensor &x, int64_t xZero, Tensor &y,
            const CumSumParams &params, Multiplier multiplier,
            const OutputCodes &output);

/// The integers of C67: `exponents` and `distance` stay empty.
struct LogSumTables : LogSoftmaxTables {
  int64_t offset = 0;
};
LogSumTables logSumTables(float xScale, float yScale,
                          int multiplierBits = defaultMultiplierBits);

/// C67, or C68 for tables with exponents.
void reduceLog(const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const int64_t> axes, const LogSumTables &tables,
               const OutputCodes &output);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_REDUCE_H
