//===- Elementwise.h - Integer kernels: element by element -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Linear combinations, products, quotients, comparisons and look-up tables (C30
// to C55 of docs/numerics.md). Operands broadcast as in NumPy.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_ELEMENTWISE_H
#define PARALLAX_BACKEND_NPU_KERNELS_ELEMENTWISE_H

#include "parallax/Backend/NPU/Kernels/Codes.h"

#include <functional>

namespace parallax::npu {

/// An operand of codes.
struct CodesOperand {
  const Tensor &codes;
  int64_t zeroPoint;
};

//===----------------------------------------------------------------------===//
// Linear combinations
//===----------------------------------------------------------------------===//

/// The coefficients of +-s_i / s_y: `signs` has +1 or -1 per operand (C30).
Coefficients linearCoefficients(std::span<const float> scales,
                                std::span<const int> signs, float yScale,
                                int multiplierBits = defaultMultiplierBits);

/// Up to three operands: requantize, add, sub, sum, mean of tensors (C31).
void linear(std::span<const CodesOperand> operands, Tensor &y,
            const Coefficients &coefficients, const OutputCodes &output);

/// y = (x - zero point) factor + offset per channel, in integers: what
/// normalized pixels and batch normalization are (C33).
struct ChannelAffine {
  std::vector<int64_t> factors, offsets;
  std::vector<int32_t> shifts;
};

/// From the real factor and offset of each channel, in steps of y.
ChannelAffine channelAffine(std::span<const double> factors,
                            std::span<const double> offsets,
                            int multiplierBits = defaultMultiplierBits);

/// Of (x s_x - mean) / std (C34).
ChannelAffine normalizeAffine(float xScale, std::span<const float> mean,
                              std::span<const float> std, float yScale,
                              int multiplierBits = defaultMultiplierBits);

/// Of gamma (x s_x - mean) / sqrt(variance + epsilon) + beta (C35).
ChannelAffine batchNormAffine(float xScale, std::span<const float> gamma,
                              std::span<const float> beta,
                              std::span<const float> mean,
                              std::span<const float> variance, float epsilon,
                              float yScale,
                              int multiplierBits = defaultMultiplierBits);

void affine(const CodesOperand &x, Tensor &y, int64_t axis,
            const ChannelAffine &affine, const OutputCodes &output);

//===----------------------------------------------------------------------===//
// Products and quotients
//===----------------------------------------------------------------------===//

/// s_a s_b / s_y (C40).
Multiplier productMultiplier(float aScale, float bScale, float yScale,
                             int multiplierBits = defaultMultiplierBits);

void mul(const CodesOperand &a, const CodesOperand &b, Tensor &y,
         Multiplier multiplier, const OutputCodes &output);

/// Positive x by s_x / s_y, negative x times the slope by s_x s_slope / s_y
/// (C42).
struct PReluMultipliers {
  Multiplier positive, negative;
};
PReluMultipliers preluMultipliers(float xScale, float slopeScale, float yScale,
                                  int multiplierBits = defaultMultiplierBits);

void prelu(const CodesOperand &x, const CodesOperand &slope, Tensor &y,
           const PReluMultipliers &multipliers, const OutputCodes &output);

/// s_a / (s_b s_y) (C43).
Multiplier quotientMultiplier(float aScale, float bScale, float yScale,
                              int multiplierBits = defaultMultiplierBits);

/// Exact but for one rounding (C44).
void div(const CodesOperand &a, const CodesOperand &b, Tensor &y,
         Multiplier multiplier, const OutputCodes &output);

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

enum class CompareKind { Equal, Less, LessOrEqual, Greater, GreaterOrEqual };

/// The coefficients with which values of two scales are compared (C46).
Coefficients compareCoefficients(float aScale, float bScale,
                                 int multiplierBits = defaultMultiplierBits);

/// y is bool.
void compare(CompareKind kind, const CodesOperand &a, const CodesOperand &b,
             Tensor &y, const Coefficients &coefficients);

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

using RealFunction = std::function<double(double)>;

/// 8-bit input: the code of y for each code of x in ascending order (C50).
std::vector<int32_t> directTable(const RealFunction &fn, const AffineParams &x,
                                 const AffineParams &y);

/// 16-bit input: 2^k + 1 knots, 2^(16 - k) codes apart, in steps of y / 256 and
/// without its zero point (C52).
std::vector<int32_t> knotTable(const RealFunction &fn, const AffineParams &x,
                               const AffineParams &y, int64_t knots = 513);

/// Takes either table, by the type of x (C51, C53).
void table(const Tensor &x, Tensor &y, std::span<const int32_t> entries,
           const OutputCodes &output);

//===----------------------------------------------------------------------===//
// Between codes and floats
//===----------------------------------------------------------------------===//

/// C6.
void quantize(const Tensor &x, Tensor &y, const AffineParams &params);

/// C7.
void dequantize(const Tensor &x, Tensor &y, const AffineParams &params);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_ELEMENTWISE_H
