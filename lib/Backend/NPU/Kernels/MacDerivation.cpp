//===- MacDerivation.cpp - Integers of multiply-accumulate ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What lowering derives from scales and weights before anything runs.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Mac.h"

namespace parallax::npu {

int accumulatorBits(DType a, DType b, int narrow, int wide) {
  return sizeOf(a) == 1 && sizeOf(b) == 1 ? narrow : wide;
}

std::vector<Multiplier> macMultipliers(float xScale,
                                       std::span<const float> weightScales,
                                       float yScale, int multiplierBits) {
  std::vector<Multiplier> result;
  for (float scale : weightScales)
    result.push_back(multiplierFor(
        double(xScale) * double(scale) / double(yScale), multiplierBits));
  return result;
}

int64_t biasCode(float bias, float xScale, float weightScale, int bits) {
  int64_t code =
      roundHalfEven(double(bias) / (double(xScale) * double(weightScale)));
  int64_t limit = int64_t(1) << (bits - 1);
  if (code < -limit || code >= limit)
    throw DerivationError(
        fmt::format("the bias {} needs more than {} bits at the scale "
                    "of its accumulator, {}; give the weights of its "
                    "channel a larger scale",
                    bias, bits, double(xScale) * double(weightScale)));
  return code;
}

static AccumulatorBound withMargin(Int128 low, Int128 high, int bits) {
  Int128 reach = std::max(high, low < 0 ? -low - 1 : Int128(0));
  return {low, high, bits - 1 - bitLength(reach)};
}

AccumulatorBound boundOf(std::span<const int32_t> weights, int64_t bias,
                         int64_t xLow, int64_t xHigh, int accumulatorBits) {
  // Padding is the zero point, whatever the codes of x are limited to.
  xLow = std::min<int64_t>(xLow, 0);
  xHigh = std::max<int64_t>(xHigh, 0);
  Int128 low = std::min<int64_t>(bias, 0), high = std::max<int64_t>(bias, 0);
  for (int64_t weight : weights) {
    low += std::min(weight * xLow, weight * xHigh);
    high += std::max(weight * xLow, weight * xHigh);
  }
  return withMargin(low, high, accumulatorBits);
}

AccumulatorBound productBound(int64_t depth, int64_t aMagnitude,
                              int64_t bMagnitude, int accumulatorBits) {
  Int128 reach = Int128(depth) * aMagnitude * bMagnitude;
  return withMargin(-reach, reach, accumulatorBits);
}

} // namespace parallax::npu
