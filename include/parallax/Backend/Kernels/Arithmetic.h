//===- Arithmetic.h - Numbers that never trap ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A model's data may overflow, divide by zero or leave the range of a type.
// These functions give each such case one defined result, the same on every
// machine, where the plain C++ operators would be undefined.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_ARITHMETIC_H
#define PARALLAX_BACKEND_KERNELS_ARITHMETIC_H

#include "parallax/Backend/Kernels/KernelSupport.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace parallax::kernels {

/// The type in which T is added and multiplied: integers as unsigned numbers of
/// at least 32 bits, which wrap instead of overflowing.
template <typename T> struct WrapTypeOf {
  using type = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
};
template <> struct WrapTypeOf<float> { using type = float; };
template <> struct WrapTypeOf<double> { using type = double; };
template <typename T> using WrapType = typename WrapTypeOf<T>::type;

template <typename T> PARALLAX_INLINE T wrapAdd(T a, T b) {
  return T(WrapType<T>(a) + WrapType<T>(b));
}
template <typename T> PARALLAX_INLINE T wrapSub(T a, T b) {
  return T(WrapType<T>(a) - WrapType<T>(b));
}
template <typename T> PARALLAX_INLINE T wrapMul(T a, T b) {
  return T(WrapType<T>(a) * WrapType<T>(b));
}

/// A float as an integer: truncated, moved to the nearest limit; NaN is 0.
template <typename T, typename F> PARALLAX_INLINE T saturateTo(F value) {
  using Limits = std::numeric_limits<T>;
  // The smallest value is a power of two, or 0, and exact; the successor of the
  // largest is one, too.
  constexpr F lowest = F(Limits::min());
  constexpr F beyond = F(Limits::max() / 2 + 1) * F(2);
  F inside = value > lowest && value < beyond ? value : F(0);
  T limit = value >= beyond ? Limits::max() : Limits::min();
  bool isOutside = value >= beyond || value <= lowest;
  return isOutside ? limit : T(inside);
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_ARITHMETIC_H
