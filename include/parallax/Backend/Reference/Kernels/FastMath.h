//===- FastMath.h - Branch-free float functions ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The C library's functions are calls that stop a loop from being vectorised.
// These compute the same within 4 ulp, subnormal results, infinities and NaN
// included, from arithmetic and selections only, so that a loop over them in a
// PARALLAX_SIMD function becomes vector code. They rely on IEEE semantics:
// never compile them with -ffast-math. The polynomials are minimax fits on the
// ranges that the comments state.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_FASTMATH_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_FASTMATH_H

#include <bit>
#include <cstdint>
#include <limits>

namespace parallax::kernels {

inline float fastAbs(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffu);
}

inline float fastCopySign(float magnitude, float sign) {
  return std::bit_cast<float>(
      (std::bit_cast<uint32_t>(magnitude) & 0x7fffffffu) |
      (std::bit_cast<uint32_t>(sign) & 0x80000000u));
}

inline float fastExp(float x) {
  // Outside of these bounds the result is 0 or infinity; NaN passes both tests.
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  // Adding 1.5 * 2^23 rounds to an integer, which the low bits then hold.
  constexpr float rounder = 0x1.8p23f;
  float shifted = x * 0x1.715476p+0f + rounder;
  uint32_t power =
      std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(rounder);
  float n = shifted - rounder;
  float r = x - n * 0x1.62e4p-1f; // the high part of ln 2: exact product
  r = r - n * 0x1.7f7d1cp-20f;    // and the rest
  // e^r = 1 + r + r^2 P(r) on [-ln 2 / 2, ln 2 / 2].
  float p = 0x1.6a234ep-10f;
  p = p * r + 0x1.123a6cp-7f;
  p = p * r + 0x1.5558f4p-5f;
  p = p * r + 0x1.55549p-3f;
  p = p * r + 0x1.fffffcp-2f;
  float y = p * (r * r) + r + 1.0f;
  // Two factors, because 2^power alone may be subnormal or infinite.
  uint32_t half = uint32_t(int32_t(power) >> 1);
  float first = std::bit_cast<float>((half + 127u) << 23);
  float second = std::bit_cast<float>((power - half + 127u) << 23);
  return y * first * second;
}

inline float fastLog(float x) {
  bool subnormal = x < std::numeric_limits<float>::min();
  float scaled = subnormal ? x * 0x1p23f : x;
  // Split into 2^e * m with m in [sqrt(1/2), sqrt(2)).
  uint32_t offset = std::bit_cast<uint32_t>(scaled) - 0x3f3504f3u;
  float e = float(int32_t(offset) >> 23) - (subnormal ? 23.0f : 0.0f);
  float m = std::bit_cast<float>((offset & 0x7fffffu) + 0x3f3504f3u);
  // With s = (m - 1) / (m + 1): log m = 2 s + s z P(z), z = s^2 < 0.0295.
  float f = m - 1.0f;
  float s = f / (m + 1.0f);
  float z = s * s;
  float p = 0x1.31e47ap-2f;
  p = p * z + 0x1.995eacp-2f;
  p = p * z + 0x1.55557ap-1f;
  // 2 s = f - s f keeps the exact f as the leading term.
  float tail = s * (z * p - f);
  float y = e * 0x1.62e4p-1f + (f + (tail + e * 0x1.7f7d1cp-20f));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  y = x == infinity ? infinity : y;
  y = x == 0.0f ? -infinity : y;
  // Negative numbers and NaN fail this test.
  return x >= 0.0f ? y : std::numeric_limits<float>::quiet_NaN();
}

inline float fastTanh(float x) {
  float a = fastAbs(x);
  // a + a z P(z) for |x| <= 0.625, where the form below would cancel.
  float z = a * a;
  float p = -0x1.76abf6p-8f;
  p = p * z + 0x1.5256cep-6f;
  p = p * z - 0x1.b84448p-5f;
  p = p * z + 0x1.110768p-3f;
  p = p * z - 0x1.555534p-2f;
  float small = p * (z * a) + a;
  float large = 1.0f - 2.0f / (fastExp(2.0f * a) + 1.0f);
  return fastCopySign(a < 0.625f ? small : large, x);
}

inline float fastSigmoid(float x) {
  // e^-|x| can't overflow, and keeps the tiny results of large negative x.
  float e = fastExp(-fastAbs(x));
  return (x >= 0.0f ? 1.0f : e) / (1.0f + e);
}

inline float fastErf(float x) {
  float a = fastAbs(x);
  // x + x P(x^2) for |x| < 0.92.
  float z = x * x;
  float p = 0x1.5e062cp-14f;
  p = p * z - 0x1.aaa2d6p-11f;
  p = p * z + 0x1.54d42ap-8f;
  p = p * z - 0x1.b80ff2p-6f;
  p = p * z + 0x1.ce2e1cp-4f;
  p = p * z - 0x1.812744p-2f;
  p = p * z + 0x1.06eba8p-3f;
  float small = p * x + x;
  // 1 - e^-P(|x|) above; from 4 on the result is 1 in single precision.
  float t = a > 4.0f ? 4.0f : a;
  float q = 0x1.61ea8ep-16f;
  q = q * t - 0x1.c7912cp-12f;
  q = q * t + 0x1.115ad4p-8f;
  q = q * t - 0x1.9b8e84p-6f;
  q = q * t + 0x1.bb83e8p-4f;
  q = q * t + 0x1.44460cp-1f;
  q = q * t + 0x1.2127e4p+0f;
  q = q * t - 0x1.6e57p-13f;
  float large = fastCopySign(1.0f - fastExp(-q), x);
  return a < 0.92f ? small : large;
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_FASTMATH_H
