//===- UnaryFunctions.h - Values of the unary operators --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The formulas are in the table of functions; here is what needs more than one
// expression. They serve float loops, double loops and the numbers that fill
// look-up tables.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_UNARYFUNCTIONS_H
#define PARALLAX_BACKEND_KERNELS_UNARYFUNCTIONS_H

#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/VectorMath.h"

namespace parallax::kernels {

template <typename T> PARALLAX_INLINE T clampUnit(T v) {
  v = v < T(0) ? T(0) : v;
  return v > T(1) ? T(1) : v;
}

template <typename T> PARALLAX_INLINE T mish(T x) {
  // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), which is 1 long before
  // the square overflows.
  T e = vm::exp(x > T(40) ? T(40) : x);
  T n = e * (e + T(2));
  return x * (n / (n + T(2)));
}

template <typename T> PARALLAX_INLINE T geluTanh(T x) {
  // (1 + tanh(u)) / 2 is the sigmoid of 2u, which keeps small results exact.
  T u = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
  return x * vm::sigmoid(T(2) * u);
}

template <typename T> PARALLAX_INLINE T elu(T x, T alpha) {
  T negative = alpha * vm::expm1NonPositive(x > T(0) ? T(0) : x);
  return x > T(0) ? x : negative;
}

template <typename T> PARALLAX_INLINE T celu(T x, T alpha) {
  T negative = alpha * vm::expm1(x / alpha);
  return x > T(0) ? x : negative;
}

/// The value of function K at x, for T = float or double.
template <UnaryKind K, typename T>
PARALLAX_INLINE T applyUnary(T x, [[maybe_unused]] T alpha,
                             [[maybe_unused]] T beta) {
#define UNARY_KIND(name, rule, parameters, ...)                                \
  if constexpr (K == UnaryKind::name)                                          \
    return __VA_ARGS__;                                                        \
  else
#include "parallax/Support/UnaryFunctions.def"
  return x;
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_UNARYFUNCTIONS_H
