//===- VectorMath.h - Branch-free elementary functions ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The float functions consist of selects and polynomials only, so that a loop
// around them is vectorised, which calls into the C library prevent. The
// polynomials are minimax fits (Remez exchange in 40 digits) on the intervals
// that the comments name; together with rounding, results stay within four
// units in the last place. The double overloads are the C library's: formulas
// can be written once for both types.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_VECTORMATH_H
#define PARALLAX_BACKEND_KERNELS_VECTORMATH_H

#include "parallax/Backend/Kernels/KernelSupport.h"

#include <bit>
#include <cmath>
#include <limits>

namespace parallax::kernels::vm {

/// c0 + c1 x + c2 x^2 + ... Not a loop: the vectoriser only sees the loop
/// around it then.
PARALLAX_INLINE float polynomial(float, float c0) { return c0; }
template <typename... Rest>
PARALLAX_INLINE float polynomial(float x, float c0, Rest... rest) {
  return polynomial(x, rest...) * x + c0;
}

/// 2^n for n in [-126, 127]. Unsigned, because NaN arguments give any n.
PARALLAX_INLINE float powerOfTwo(uint32_t n) {
  return std::bit_cast<float>((n + 127) << 23);
}

/// x = n ln 2 + r with |r| <= ln 2 / 2, for |x| < 2^15.
struct ExpReduction {
  uint32_t n;
  float r;
  /// exp(r) - 1.
  float expm1;
};

PARALLAX_INLINE ExpReduction reduceExp(float x) {
  // Adding 1.5 * 2^23 leaves the rounded quotient in the low mantissa bits.
  constexpr float magic = 0x1.8p23f;
  // The high part of ln 2 has 15 bits: its product with n is exact.
  constexpr float ln2High = 0.693145752f, ln2Low = 1.42860682e-06f;
  float shifted = x * 1.44269504f + magic;
  float quotient = shifted - magic;
  float r = x - quotient * ln2High;
  r = r - quotient * ln2Low;
  uint32_t n =
      std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(magic);
  return {n, r,
          r + r * r *
                  polynomial(r, 0.499999933f, 0.16666519f, 0.0416684072f,
                             0.00836891368f, 0.00138141918f)};
}

PARALLAX_INLINE float exp(float x) {
  // Beyond these bounds the result is 0 or infinity anyway.
  x = x < -105.0f ? -105.0f : x;
  x = x > 89.0f ? 89.0f : x;
  ExpReduction e = reduceExp(x);
  // Two factors, because 2^n itself may be subnormal or beyond the range.
  uint32_t half = uint32_t(int32_t(e.n) >> 1);
  return (1.0f + e.expm1) * powerOfTwo(half) * powerOfTwo(e.n - half);
}

/// exp(x) - 1 for x <= 0.
PARALLAX_INLINE float expm1NonPositive(float x) {
  x = x < -30.0f ? -30.0f : x;
  ExpReduction e = reduceExp(x);
  float scale = powerOfTwo(e.n);
  return scale * e.expm1 + (scale - 1.0f);
}

PARALLAX_INLINE float expm1(float x) {
  float small = expm1NonPositive(x > 1.0f ? 1.0f : x);
  return x > 1.0f ? exp(x) - 1.0f : small;
}

PARALLAX_INLINE float log(float x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  bool isSubnormal = x < 0x1p-126f;
  uint32_t bits = std::bit_cast<uint32_t>(isSubnormal ? x * 0x1p23f : x);
  // x = 2^exponent * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  uint32_t above = bits - 0x3f3504f3u;
  float exponent = float(int32_t(above) >> 23) - (isSubnormal ? 23.0f : 0.0f);
  float f = std::bit_cast<float>((above & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  // log(1 + f) = 2 atanh(s) = 2s + s R(s^2) with s = f / (2 + f), and
  // 2s = f - f^2/2 + s f^2/2, which starts with the exact f.
  float s = f / (2.0f + f);
  float z = s * s;
  float halfSquare = 0.5f * f * f;
  float tail = s * (halfSquare + z * polynomial(z, 0.666666656f, 0.40000342f,
                                                0.28536789f, 0.235932907f));
  float result = exponent * 0.693145752f +
                 (f - (halfSquare - (tail + exponent * 1.42860682e-06f)));
  result = x == infinity ? infinity : result;
  result = x == 0.0f ? -infinity : result;
  // Also true for NaN.
  return !(x >= 0.0f) ? nan : result;
}

/// log(1 + x) for 0 <= x <= 1.
PARALLAX_INLINE float log1pUnit(float x) {
  // log(1 + x) of the rounded sum, corrected by what the rounding lost.
  float sum = 1.0f + x;
  return log(sum) - ((sum - 1.0f) - x) / sum;
}

PARALLAX_INLINE float tanh(float x) {
  float t = expm1NonPositive(-2.0f * std::fabs(x));
  return std::copysign(t / (2.0f + t), x);
}

PARALLAX_INLINE float sigmoid(float x) {
  float e = exp(-std::fabs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

PARALLAX_INLINE float erf(float x) {
  // erf(t) = t + t P(t^2) on [0, 1], and erfc(t) = exp(Q(t)) on [1, 3.95],
  // above which erf is 1 in float.
  float t = std::fabs(x);
  t = t > 3.95f ? 3.95f : t;
  float small = t + t * polynomial(t * t, 0.128379166f, -0.376126258f,
                                   0.112835851f, -0.0268538119f, 0.00518832767f,
                                   -0.00080101935f, 7.85386097e-05f);
  float large =
      1.0f - exp(polynomial(t, 0.000188027965f, -1.12957837f, -0.633220002f,
                            -0.108418462f, 0.0252081849f, -0.00420453549f,
                            0.000441331096f, -2.16864055e-05f));
  return std::copysign(t > 1.0f ? large : small, x);
}

/// The bound of sin and cos below: the quotient by pi/2 must stay small enough
/// for an exact product with the 33-bit high part of pi/2.
inline constexpr float trigonometricLimit = 1e4f;

/// sin(x + quarterTurns * pi/2) for |x| <= trigonometricLimit.
PARALLAX_INLINE float sinShifted(float x, uint64_t quarterTurns) {
  constexpr double magic = 0x1.8p52;
  constexpr double halfPiHigh = 0x1.921fb544p+0;
  constexpr double halfPiLow = 0x1.0b4611a626331p-34;
  double shifted = double(x) * 0x1.45f306dc9c883p-1 + magic;
  double quotient = shifted - magic;
  float r = float((double(x) - quotient * halfPiHigh) - quotient * halfPiLow);
  uint32_t quadrant = uint32_t(std::bit_cast<uint64_t>(shifted) + quarterTurns);
  float z = r * r;
  float sine = r + r * (z * polynomial(z, -0.166666666f, 0.00833332936f,
                                       -0.000198393276f, 2.71824115e-06f));
  float cosine = 1.0f + z * (z * polynomial(z, 0.0416666666f, -0.00138888837f,
                                            2.47995139e-05f, -2.72097017e-07f) -
                             0.5f);
  float result = (quadrant & 1) ? cosine : sine;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(result) ^
                              ((quadrant & 2) << 30));
}

PARALLAX_INLINE float sin(float x) { return sinShifted(x, 0); }
PARALLAX_INLINE float cos(float x) { return sinShifted(x, 1); }

inline double exp(double x) { return std::exp(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double expm1NonPositive(double x) { return std::expm1(x); }
inline double log(double x) { return std::log(x); }
inline double log1pUnit(double x) { return std::log1p(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double erf(double x) { return std::erf(x); }
inline double sin(double x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline double sigmoid(double x) {
  double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

} // namespace parallax::kernels::vm

#endif // PARALLAX_BACKEND_KERNELS_VECTORMATH_H
