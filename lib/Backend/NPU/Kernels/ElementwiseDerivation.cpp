//===- ElementwiseDerivation.cpp - Integers of element-wise kernels -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Products of two scales are exact in double; what is written as one division
// or square root here is one rounding in the specification.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Elementwise.h"

#include <cmath>

namespace parallax::npu {

Coefficients linearCoefficients(std::span<const float> scales,
                                std::span<const int> signs, float yScale,
                                int multiplierBits) {
  std::vector<double> factors;
  for (size_t i = 0; i < scales.size(); ++i)
    factors.push_back(double(signs[i]) * (double(scales[i]) / double(yScale)));
  return coefficientsFor(factors, multiplierBits);
}

ChannelAffine channelAffine(std::span<const double> factors,
                            std::span<const double> offsets,
                            int multiplierBits) {
  ChannelAffine result;
  for (size_t c = 0; c < factors.size(); ++c) {
    double reach =
        std::max(std::fabs(factors[c]), std::fabs(offsets[c]) * 0x1p-15);
    Multiplier scale = multiplierFor(reach, multiplierBits);
    auto integer = [&](double value) {
      return scale.mantissa ? roundHalfEven(std::ldexp(value, scale.shift)) : 0;
    };
    result.factors.push_back(integer(factors[c]));
    result.offsets.push_back(integer(offsets[c]));
    result.shifts.push_back(scale.shift);
  }
  return result;
}

ChannelAffine normalizeAffine(float xScale, std::span<const float> mean,
                              std::span<const float> std, float yScale,
                              int multiplierBits) {
  std::vector<double> factors, offsets;
  for (size_t c = 0; c < mean.size(); ++c) {
    double steps = double(std[c]) * double(yScale);
    factors.push_back(double(xScale) / steps);
    offsets.push_back(-double(mean[c]) / steps);
  }
  return channelAffine(factors, offsets, multiplierBits);
}

ChannelAffine batchNormAffine(float xScale, std::span<const float> gamma,
                              std::span<const float> beta,
                              std::span<const float> mean,
                              std::span<const float> variance, float epsilon,
                              float yScale, int multiplierBits) {
  std::vector<double> factors, offsets;
  for (size_t c = 0; c < gamma.size(); ++c) {
    double deviation = std::sqrt(double(variance[c]) + double(epsilon));
    double slope = double(gamma[c]) / deviation;
    double shifted = slope * double(mean[c]);
    factors.push_back(slope * double(xScale) / double(yScale));
    offsets.push_back((double(beta[c]) - shifted) / double(yScale));
  }
  return channelAffine(factors, offsets, multiplierBits);
}

Multiplier productMultiplier(float aScale, float bScale, float yScale,
                             int multiplierBits) {
  return multiplierFor(double(aScale) * double(bScale) / double(yScale),
                       multiplierBits);
}

PReluMultipliers preluMultipliers(float xScale, float slopeScale, float yScale,
                                  int multiplierBits) {
  return {multiplierFor(double(xScale) / double(yScale), multiplierBits),
          productMultiplier(xScale, slopeScale, yScale, multiplierBits)};
}

Multiplier quotientMultiplier(float aScale, float bScale, float yScale,
                              int multiplierBits) {
  return multiplierFor(double(aScale) / (double(bScale) * double(yScale)),
                       multiplierBits);
}

Coefficients compareCoefficients(float aScale, float bScale,
                                 int multiplierBits) {
  double greater = std::max(double(aScale), double(bScale));
  double factors[] = {double(aScale) / greater, -(double(bScale) / greater)};
  return coefficientsFor(factors, multiplierBits);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// f at the value of a code, in steps of y; what is not a number is the lowest
/// code, and what is infinite the nearest one.
static double stepsAt(const RealFunction &fn, int64_t code,
                      const AffineParams &x, const AffineParams &y) {
  double value = fn(double(code - x.zeroPoint) * double(x.scale));
  double steps = value / double(y.scale);
  auto low = double(y.low - y.zeroPoint), high = double(y.high - y.zeroPoint);
  if (std::isnan(steps))
    return low;
  return std::isinf(steps) ? (steps < 0 ? low : high) : steps;
}

std::vector<int32_t> directTable(const RealFunction &fn, const AffineParams &x,
                                 const AffineParams &y) {
  std::vector<int32_t> entries;
  int64_t first = x.low < 0 ? -128 : 0;
  for (int64_t code = first; code < first + 256; ++code) {
    // No code lies beyond 2^17 steps.
    double steps = std::clamp(stepsAt(fn, code, x, y), -0x1p20, 0x1p20);
    entries.push_back(
        int32_t(std::clamp(roundHalfEven(steps) + y.zeroPoint, y.low, y.high)));
  }
  return entries;
}

/// The lesser of two numbers with the same sign; 0 if their signs differ.
static double commonPart(double a, double b) {
  if ((a > 0) != (b > 0))
    return 0;
  return std::fabs(a) < std::fabs(b) ? a : b;
}

std::vector<int32_t> knotTable(const RealFunction &fn, const AffineParams &x,
                               const AffineParams &y, int64_t knots) {
  int64_t first = x.low < 0 ? -32768 : 0, distance = 65536 / (knots - 1);
  auto at = [&](int64_t offset) {
    return std::clamp(stepsAt(fn, first + offset, x, y), -0x1p22, 0x1p22);
  };
  std::vector<double> exact, excess;
  for (int64_t i = 0; i < knots; ++i)
    exact.push_back(at(distance * i));
  for (size_t i = 0; i + 1 < exact.size(); ++i)
    excess.push_back(distance == 1
                         ? 0.0
                         : (exact[i] + exact[i + 1]) / 2 -
                               at(distance * int64_t(i) + distance / 2));
  std::vector<int32_t> entries;
  for (size_t i = 0; i < exact.size(); ++i) {
    double before = excess[i > 0 ? i - 1 : 0];
    double after = excess[std::min(i, excess.size() - 1)];
    double steps = exact[i] - commonPart(before, after) / 2;
    entries.push_back(
        int32_t(roundHalfEven(std::clamp(steps * 256, -0x1p30, 0x1p30))));
  }
  return entries;
}

} // namespace parallax::npu
