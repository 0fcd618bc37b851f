//===- FixedPoint.h - The only place that rounds ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The integer arithmetic that docs/numerics.md builds everything else from:
// multipliers in place of real factors, shifts that round, reciprocals and
// inverse square roots. Kernels, lowering and constant folding use it; no
// other code rounds. Labels such as C10 name the statements of that page.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_FIXEDPOINT_H
#define PARALLAX_SUPPORT_FIXEDPOINT_H

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace parallax {

using Int128 = __int128;

/// Where an exact half goes (C10).
enum class Rounding : uint8_t { HalfUp, HalfAway, HalfEven };

//===----------------------------------------------------------------------===//
// From real numbers to integers: when a network is compiled
//===----------------------------------------------------------------------===//

/// The integer next to `value`, an exact half to the even one. Throws if its
/// magnitude is 2^62 or more, or if it is not a number.
int64_t roundHalfEven(double value);

/// The same below 2^118.
Int128 roundHalfEvenWide(double value);

/// How many bits multipliers have, if the target does not say otherwise, and
/// how few it may give them (C11).
constexpr int defaultMultiplierBits = 31, minMultiplierBits = 8;

/// mantissa 2^-shift: with B bits, 2^(B-1) <= mantissa < 2^B and 1 <= shift <=
/// B + 47, or the factor 0 as {0, 1} (C11).
struct Multiplier {
  int32_t mantissa = 0;
  int32_t shift = 1;

  bool operator==(const Multiplier &) const = default;
};

/// The multiplier next to a factor in [0, 2^(bits-1)); others throw (C12).
Multiplier multiplierFor(double factor, int bits = defaultMultiplierBits);

/// Integers K_i with a common shift in place of real factors of any sign
/// (C14).
struct Coefficients {
  std::vector<int64_t> values;
  int32_t shift = 1;

  bool operator==(const Coefficients &) const = default;
};

Coefficients coefficientsFor(std::span<const double> factors,
                             int bits = defaultMultiplierBits);

//===----------------------------------------------------------------------===//
// Shifts that round: while a network runs
//===----------------------------------------------------------------------===//

/// value / 2^shift, rounded, for shift >= 1. `Integer` needs two bits more than
/// the magnitude of the value.
template <typename Integer>
inline Integer roundShift(Integer value, int shift, Rounding rounding) {
  // From here on less than a half remains of any value that is allowed.
  constexpr int tooFar = int(sizeof(Integer)) * 8 - 1;
  if (shift >= tooFar)
    return 0;
  Integer half = Integer(1) << (shift - 1);
  switch (rounding) {
  case Rounding::HalfUp:
    break;
  case Rounding::HalfAway:
    if (value < 0)
      return -((half - value) >> shift);
    break;
  case Rounding::HalfEven: {
    Integer floor = value >> shift;
    Integer rest = value - (floor << shift);
    return floor + Integer(rest > half || (rest == half && (floor & 1)));
  }
  }
  return (value + half) >> shift;
}

/// acc m, rounded once (C13). `acc` has 48 bits, so the product has up to 79;
/// if it fits 32 bits, 64 are enough: |acc M| <= 2^31 (2^31 - 1) < 2^62. The
/// result is held within +-2^62, far beyond any code.
inline int64_t requantize(int64_t acc, Multiplier m, Rounding rounding) {
  if (acc == int64_t(int32_t(acc)))
    return roundShift<int64_t>(acc * m.mantissa, m.shift, rounding);
  constexpr Int128 limit = Int128(1) << 62;
  Int128 wide = roundShift<Int128>(Int128(acc) * m.mantissa, m.shift, rounding);
  return int64_t(std::clamp(wide, -limit, limit));
}

/// a m / b, rounded once, for a and b of at most 18 bits (C44). A quotient by 0
/// has the sign of a and the magnitude 2^62; that of 0 by 0 is 0.
int64_t requantizeQuotient(int64_t a, int64_t b, Multiplier m,
                           Rounding rounding);

//===----------------------------------------------------------------------===//
// Reciprocals
//===----------------------------------------------------------------------===//

/// mantissa 2^-shift with 2^30 < mantissa <= 2^31.
struct Inverse {
  int64_t mantissa = 0;
  int32_t shift = 1;
};

/// 1 / value for 1 <= value < 2^62 (C60).
Inverse reciprocalOf(int64_t value);

/// 1 / sqrt(value) for 1 <= value < 2^120 (C61).
Inverse inverseRootOf(Int128 value);

/// The greatest integer whose square is not above `value`, for 0 <= value <
/// 2^120 (C38a).
int64_t rootOf(Int128 value);

/// The number of binary digits: 0 for 0.
int bitLength(Int128 value);

} // namespace parallax

#endif // PARALLAX_SUPPORT_FIXEDPOINT_H
