//===- Rescale.h - Requantization in vectors -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// requantize() and roundShift() in steps that vectors have, for loops that the
// compiler vectorises. Vectors multiply 32 by 32 bits and only shift unsigned
// numbers, so 2^63 is added before a shift and 2^63 / 2^s subtracted after it;
// and they compare 32 bits, so results must be proven to fit these.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_RESCALE_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_RESCALE_H

#include "Vectorize.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"

#include <type_traits>

namespace parallax::npu {

/// Calls fn with the rounding mode as a constant.
template <typename Fn> void dispatchRounding(Rounding rounding, Fn fn) {
  switch (rounding) {
  case Rounding::HalfUp:
    return fn(std::integral_constant<Rounding, Rounding::HalfUp>{});
  case Rounding::HalfAway:
    return fn(std::integral_constant<Rounding, Rounding::HalfAway>{});
  case Rounding::HalfEven:
    return fn(std::integral_constant<Rounding, Rounding::HalfEven>{});
  }
}

/// Rounds sums at a scale of 2^-shift to codes.
class RoundToCode {
public:
  /// For sums of at most this magnitude, which is below 2^62.
  RoundToCode(int shift, const OutputCodes &output, Int128 magnitude)
      : shift(shift), low(int32_t(output.low)), high(int32_t(output.high)) {
    constexpr int maxShift = 62;
    ready = shift <= maxShift && (magnitude >> shift) < (int64_t(1) << 30);
    if (!ready)
      return;
    half = uint64_t(1) << (shift - 1);
    lift = uint32_t(signBit >> shift) - uint32_t(output.zeroPoint);
  }

  /// Whether all sums can be rounded here; the others need roundShift().
  bool isReady() const { return ready; }

  template <Rounding rounding> PARALLAX_INLINE int32_t code(int64_t sum) const {
    // Halves go up if exactly a half is added, and down if it is one less.
    uint64_t addend = half + signBit;
    if constexpr (rounding == Rounding::HalfAway)
      addend += uint64_t(sum >> 63);
    if constexpr (rounding == Rounding::HalfEven)
      addend += (((uint64_t(sum) + signBit) >> shift) & 1) - 1;
    return clamp(uint32_t((uint64_t(sum) + addend) >> shift));
  }

  /// The code of value * mantissa for products beyond 64 bits; `rest` is the
  /// shift without `lowBits`.
  template <Rounding rounding, int lowBits>
  PARALLAX_INLINE int32_t splitCode(int64_t value, int32_t mantissa,
                                    int64_t rest) const {
    // Casts tell the compiler that 32 bits are multiplied.
    auto low = int32_t(value & ((int64_t(1) << lowBits) - 1));
    auto high = int32_t(value >> lowBits);
    auto lowProduct = uint64_t(int64_t(low) * mantissa);
    uint64_t product = uint64_t(int64_t(high) * mantissa) + signBit;
    uint64_t addend = half;
    if constexpr (rounding == Rounding::HalfAway)
      addend += uint64_t(value >> 63);
    if constexpr (rounding == Rounding::HalfEven)
      addend += (((product + (lowProduct >> lowBits)) >> rest) & 1) - 1;
    uint64_t carry = (lowProduct + addend) >> lowBits;
    // clamp() takes 2^63 / 2^shift away.
    return clamp(uint32_t((product + carry) >> rest) -
                 uint32_t(signBit >> rest) + uint32_t(signBit >> shift));
  }

private:
  PARALLAX_INLINE int32_t clamp(uint32_t lifted) const {
    auto result = int32_t(lifted - lift);
    result = result < low ? low : result;
    return result > high ? high : result;
  }

  static constexpr uint64_t signBit = uint64_t(1) << 63;
  int64_t shift;
  int32_t low, high;
  uint64_t half = 0;
  uint32_t lift = 0;
  bool ready = false;
};

/// Multiplies integers and rounds the products to codes.
class Rescale {
public:
  /// For integers of at most this magnitude, which is below 2^47.
  Rescale(Multiplier multiplier, const OutputCodes &output,
          int64_t magnitude = int64_t(1) << 31)
      : isSmall(magnitude <= int64_t(1) << 31),
        multiplier(visible(multiplier, isSmall)),
        mantissa(this->multiplier.mantissa),
        shift(this->multiplier.shift - lowBits),
        round(this->multiplier.shift, output, Int128(magnitude) * mantissa) {
    ready = round.isReady() && (isSmall || shift > 0);
  }

  /// Whether all integers can be rescaled here; the others need requantize().
  bool isReady() const { return ready; }
  /// Whether they fit 32 bits.
  bool isNarrow() const { return isSmall; }

  template <Rounding rounding, typename Integer>
  PARALLAX_INLINE int32_t code(Integer value) const {
    if constexpr (sizeof(Integer) == 4)
      return round.code<rounding>(int64_t(value) * mantissa);
    else
      return round.splitCode<rounding, lowBits>(value, mantissa, shift);
  }

private:
  /// A long integer is `high * 2^17 + low`: nested floors of powers of two are
  /// one floor.
  static constexpr int lowBits = 17;

  /// Nothing remains of what is multiplied by zero, nor of 32 bits that are
  /// shifted further than any half.
  static Multiplier visible(Multiplier m, bool isSmall) {
    constexpr int maxShift = 62;
    bool isNothing = m.mantissa == 0 || (isSmall && m.shift > maxShift);
    return isNothing ? Multiplier{0, maxShift} : m;
  }

  bool isSmall, ready;
  Multiplier multiplier;
  int32_t mantissa;
  int64_t shift;
  RoundToCode round;
};

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_RESCALE_H
