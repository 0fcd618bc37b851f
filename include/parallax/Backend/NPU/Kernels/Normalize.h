//===- Normalize.h - Integer kernels: softmax and norms --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that need statistics of a whole row (C60 to C79 of
// docs/numerics.md): exponents by table, one integer reciprocal or inverse
// square root per row, one final rounding per element.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_NORMALIZE_H
#define PARALLAX_BACKEND_NPU_KERNELS_NORMALIZE_H

#include "parallax/Backend/NPU/Kernels/Codes.h"

namespace parallax::npu {

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// exp(-d s) in units of 2^-30: `fine` for d below 256, and for 16-bit codes
/// `coarse` for multiples of 256 (C62).
struct ExponentTable {
  std::vector<int64_t> fine, coarse;

  int64_t operator()(int64_t d) const {
    if (coarse.empty())
      return fine[d];
    return roundShift<int64_t>(coarse[d >> 8] * fine[d & 255], 30,
                               Rounding::HalfUp);
  }
};

ExponentTable exponentTable(DType xType, float xScale);

/// `multiplier` is 1 / s_y (C63).
struct SoftmaxTables {
  ExponentTable exponents;
  Multiplier multiplier;
};
SoftmaxTables softmaxTables(DType xType, float xScale, float yScale,
                            int multiplierBits = defaultMultiplierBits);

/// C64.
void softmax(const Tensor &x, Tensor &y, int64_t axis,
             const SoftmaxTables &tables, const OutputCodes &output);

/// `logarithms` are 257 entries of ln(1 + i / 256) in units of 2^-20;
/// `distance` and `logarithm` the coefficients of d and of the logarithm (C65).
struct LogSoftmaxTables {
  ExponentTable exponents;
  std::vector<int64_t> logarithms;
  int64_t distance = 0, logarithm = 0;
  int32_t shift = 1;
};
LogSoftmaxTables logSoftmaxTables(DType xType, float xScale, float yScale,
                                  int multiplierBits = defaultMultiplierBits);

/// The 257 entries of C65.
std::vector<int64_t> logarithmTable();

/// The logarithm of an integer from 1 on, in units of 2^-20 (l of C67; C66
/// leaves out 30 binary digits).
int64_t logarithmOf(int64_t value, const std::vector<int64_t> &table);

/// C66.
void logSoftmax(const Tensor &x, Tensor &y, int64_t axis,
                const LogSoftmaxTables &tables, const OutputCodes &output);

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Centered: layer, group and instance normalization. L2 divides by the root
/// of the sum of squares.
enum class NormKind { Centered, Rms, L2 };

/// A row has `count` consecutive elements. Element i of row r has entry
/// (r % groups) (count / inner) + i / inner of the learned scale and offset:
/// groups = inner = 1 for normalizations of trailing dimensions.
struct NormRows {
  int64_t count = 1, groups = 1, inner = 1;
};

/// C70, C71. One entry of factors and offsets, or one per learned scale.
struct NormCoefficients {
  std::vector<int64_t> factors, offsets;
  int32_t shift = 1;
  int32_t fractionBits = 22;
  Int128 epsilon = 0;
};

/// An empty gamma is 1, an empty beta 0.
NormCoefficients normCoefficients(NormKind kind, float xScale, int64_t count,
                                  float epsilon, std::span<const float> gamma,
                                  std::span<const float> beta, float yScale,
                                  int multiplierBits = defaultMultiplierBits);

/// C72 to C75.
void normalizeRows(NormKind kind, const Tensor &x, int64_t xZero, Tensor &y,
                   const NormRows &rows, const NormCoefficients &coefficients,
                   const OutputCodes &output);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_NORMALIZE_H
