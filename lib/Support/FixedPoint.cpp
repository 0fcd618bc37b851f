//===- FixedPoint.cpp - The only place that rounds ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What happens once per network or once per row. Only operations that IEEE 754
// makes exact or rounds correctly are used, so every computer derives the same
// integers.
//===----------------------------------------------------------------------===//
#include "parallax/Support/FixedPoint.h"

#include "parallax/Support/Error.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace parallax {

int64_t roundHalfEven(double value) {
  if (!(std::fabs(value) < 0x1p62))
    throw DerivationError(
        fmt::format("the number {} does not fit an integer of 62 bits; "
                    "check the scales that it was made from",
                    value));
  double floor = std::floor(value), rest = value - floor;
  auto result = int64_t(floor);
  return result + int64_t(rest > 0.5 || (rest == 0.5 && (result & 1)));
}

Int128 roundHalfEvenWide(double value) {
  if (!(std::fabs(value) < 0x1p118))
    throw DerivationError(
        fmt::format("the number {} does not fit an integer of 118 "
                    "bits; check the scales that it was made from",
                    value));
  // From 2^53 on a double is an integer already.
  return std::fabs(value) < 0x1p53 ? Int128(roundHalfEven(value))
                                   : Int128(value);
}

Multiplier multiplierFor(double factor, int bits) {
  if (!(factor >= 0 && factor < std::ldexp(1.0, bits - 1)))
    throw DerivationError(
        fmt::format("the factor {} between two scales is not in [0, "
                    "2^{}); a multiplier can't express it",
                    factor, bits - 1));
  // Of 48 bits nothing would remain: |acc factor| < 1/2.
  if (factor < 0x1p-48)
    return {};
  int exponent = 0;
  double fraction = std::frexp(factor, &exponent);
  int64_t mantissa = roundHalfEven(std::ldexp(fraction, bits));
  int shift = bits - exponent;
  if (mantissa == int64_t(1) << bits) {
    mantissa >>= 1;
    --shift;
  }
  if (shift < 1)
    throw DerivationError(
        fmt::format("the factor {} between two scales rounds to 2^{}, "
                    "which a multiplier can't express",
                    factor, bits - 1));
  return {int32_t(mantissa), shift};
}

Coefficients coefficientsFor(std::span<const double> factors, int bits) {
  double greatest = 0;
  for (double factor : factors) {
    if (!std::isfinite(factor))
      throw DerivationError(
          fmt::format("the factor {} of a linear combination is not a "
                      "number; check the scales and constants that it "
                      "was made from",
                      factor));
    greatest = std::max(greatest, std::fabs(factor));
  }
  Coefficients result;
  result.shift = multiplierFor(greatest, bits).shift;
  bool isZero = greatest < 0x1p-48;
  for (double factor : factors)
    result.values.push_back(
        isZero ? 0 : roundHalfEven(std::ldexp(factor, result.shift)));
  return result;
}

int64_t requantizeQuotient(int64_t a, int64_t b, Multiplier m,
                           Rounding rounding) {
  constexpr int64_t limit = int64_t(1) << 62;
  if (b == 0)
    return a == 0 ? 0 : a < 0 ? -limit : limit;
  Int128 numerator = Int128(a) * m.mantissa * (b < 0 ? -1 : 1);
  Int128 denominator = Int128(b < 0 ? -b : b) << m.shift;
  bool isNegative = numerator < 0;
  Int128 magnitude = isNegative ? -numerator : numerator;
  Int128 quotient = magnitude / denominator;
  Int128 twice = 2 * (magnitude - quotient * denominator);
  // A half below zero goes up if it goes towards zero.
  bool tieGrows = rounding == Rounding::HalfUp     ? !isNegative
                  : rounding == Rounding::HalfAway ? true
                                                   : (quotient & 1) != 0;
  quotient += twice > denominator || (twice == denominator && tieGrows);
  return int64_t(isNegative ? -quotient : quotient);
}

int bitLength(Int128 value) {
  auto high = uint64_t(value >> 64), low = uint64_t(value);
  return high ? 64 + int(std::bit_width(high)) : int(std::bit_width(low));
}

Inverse reciprocalOf(int64_t value) {
  int shift = bitLength(value) + 30;
  return {int64_t((Int128(1) << shift) / value), shift};
}

/// The greatest integer whose square is not above `value`, for value < 2^62.
static int64_t integerRoot(int64_t value) {
  auto root = int64_t(std::sqrt(double(value)));
  while (root * root > value)
    --root;
  while ((root + 1) * (root + 1) <= value)
    ++root;
  return root;
}

int64_t rootOf(Int128 value) {
  if (value == 0)
    return 0;
  // Newton's iteration falls until it has arrived, from any start above.
  Int128 root = Int128(1) << ((bitLength(value) + 1) / 2);
  for (Int128 next = root;; root = next) {
    next = (root + value / root) >> 1;
    if (next >= root)
      return int64_t(root);
  }
}

Inverse inverseRootOf(Int128 value) {
  int excess = bitLength(value) - 61;
  int half = excess >= 0 ? excess / 2 : -((1 - excess) / 2);
  Int128 scaled = half >= 0 ? value >> (2 * half) : value << (-2 * half);
  int64_t root = integerRoot(int64_t(scaled));
  return {(int64_t(1) << 61) / root, 61 + half};
}

} // namespace parallax
