//===- Half.h - 16-bit floating-point storage ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Half and BFloat16 only store: they convert to float for arithmetic and round
// to nearest even on the way back. Files contain them; kernels compute in
// float.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_HALF_H
#define PARALLAX_SUPPORT_HALF_H

#include <bit>
#include <cstdint>

namespace parallax {

/// IEEE 754 binary16.
class Half {
public:
  Half() = default;
  Half(float value) : bits(fromFloat(value)) {}
  operator float() const { return toFloat(bits); }

private:
  static uint16_t fromFloat(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    uint16_t sign = (word >> 16) & 0x8000;
    uint32_t magnitude = word & 0x7fffffff;
    if (magnitude > 0x7f800000) // NaN stays a quiet NaN
      return sign | 0x7e00 | ((magnitude >> 13) & 0x1ff);
    if (magnitude >= 0x47800000) // 2^16 and above, infinity included
      return sign | 0x7c00;
    if (magnitude < 0x38800000) { // below 2^-14: subnormal or zero
      // Adding 0.5 aligns the mantissa so that the float unit itself rounds to
      // a multiple of 2^-24, half to even.
      float aligned = std::bit_cast<float>(magnitude) + 0.5f;
      return sign | uint16_t(std::bit_cast<uint32_t>(aligned) - 0x3f000000);
    }
    uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    return sign | uint16_t((rounded - 0x38000000) >> 13);
  }

  static float toFloat(uint16_t half) {
    uint32_t sign = uint32_t(half & 0x8000) << 16;
    uint32_t magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) // infinity and NaN
      return std::bit_cast<float>(sign | 0x7f800000 |
                                  ((magnitude & 0x3ff) << 13));
    if (magnitude < 0x400) { // subnormal: exact in float
      float value = float(magnitude) * 0x1p-24f;
      return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  }

  uint16_t bits = 0;
};

/// The upper half of a float.
class BFloat16 {
public:
  BFloat16() = default;
  BFloat16(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    bool isNan = (word & 0x7fffffff) > 0x7f800000;
    bits = isNan ? (word >> 16) | 0x40
                 : (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  }
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }

private:
  uint16_t bits = 0;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_HALF_H
