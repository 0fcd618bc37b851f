//===- UnaryFunctions.h - The formulas of the unary operators --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each formula stands here once, for float loops, double loops and the numbers
// that fill look-up tables.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_UNARYFUNCTIONS_H
#define PARALLAX_BACKEND_KERNELS_UNARYFUNCTIONS_H

#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/VectorMath.h"

namespace parallax::kernels {

/// The value of operator K at x, for T = float or double. Comparisons are
/// written such that NaN reaches the result.
template <UnaryKind K, typename T>
PARALLAX_INLINE T applyUnary(T x, T alpha, T beta) {
  using enum UnaryKind;
  [[maybe_unused]] auto clampUnit = [](T v) PARALLAX_INLINE_LAMBDA {
    v = v < T(0) ? T(0) : v;
    return v > T(1) ? T(1) : v;
  };
  if constexpr (K == Abs)
    return std::fabs(x);
  else if constexpr (K == Neg)
    return -x;
  else if constexpr (K == Ceil)
    return std::ceil(x);
  else if constexpr (K == Floor)
    return std::floor(x);
  else if constexpr (K == Round)
    return std::nearbyint(x);
  else if constexpr (K == Sign)
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
  else if constexpr (K == Sqrt)
    return std::sqrt(x);
  else if constexpr (K == Reciprocal)
    return T(1) / x;
  else if constexpr (K == Exp)
    return vm::exp(x);
  else if constexpr (K == Log)
    return vm::log(x);
  else if constexpr (K == Erf)
    return vm::erf(x);
  else if constexpr (K == Sin)
    return vm::sin(x);
  else if constexpr (K == Cos)
    return vm::cos(x);
  else if constexpr (K == Tan)
    return std::tan(x);
  else if constexpr (K == Asin)
    return std::asin(x);
  else if constexpr (K == Acos)
    return std::acos(x);
  else if constexpr (K == Atan)
    return std::atan(x);
  else if constexpr (K == Sinh)
    return std::sinh(x);
  else if constexpr (K == Cosh)
    return std::cosh(x);
  else if constexpr (K == Asinh)
    return std::asinh(x);
  else if constexpr (K == Acosh)
    return std::acosh(x);
  else if constexpr (K == Atanh)
    return std::atanh(x);
  else if constexpr (K == Tanh)
    return vm::tanh(x);
  else if constexpr (K == Sigmoid)
    return vm::sigmoid(x);
  else if constexpr (K == Softplus) // log(1 + exp(x)) that cannot overflow
    return (x < T(0) ? T(0) : x) + vm::log1pUnit(vm::exp(-std::fabs(x)));
  else if constexpr (K == Softsign)
    return x / (T(1) + std::fabs(x));
  else if constexpr (K == HardSigmoid)
    return clampUnit(alpha * x + beta);
  else if constexpr (K == HardSwish)
    return x * clampUnit(x * T(1.0 / 6) + T(0.5));
  else if constexpr (K == Silu)
    return x * vm::sigmoid(x);
  else if constexpr (K == Mish) {
    // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), which is 1 long before
    // the square overflows.
    T e = vm::exp(x > T(40) ? T(40) : x);
    T n = e * (e + T(2));
    return x * (n / (n + T(2)));
  } else if constexpr (K == GeluErf)
    return T(0.5) * x * (T(1) + vm::erf(x * T(0.70710678118654752440)));
  else if constexpr (K == GeluTanh) {
    // (1 + tanh(u)) / 2 is the sigmoid of 2u, which keeps small results exact.
    T u = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return x * vm::sigmoid(T(2) * u);
  } else if constexpr (K == Elu || K == Selu) {
    T negative = alpha * vm::expm1NonPositive(x > T(0) ? T(0) : x);
    T value = x > T(0) ? x : negative;
    return K == Selu ? beta * value : value;
  } else if constexpr (K == Celu) {
    T negative = alpha * vm::expm1(x / alpha);
    return x > T(0) ? x : negative;
  } else if constexpr (K == LeakyRelu)
    return x < T(0) ? alpha * x : x;
  else if constexpr (K == Relu)
    return x < T(0) ? T(0) : x;
  else if constexpr (K == ThresholdedRelu)
    return x > alpha ? x : T(0);
  else if constexpr (K == Shrink)
    return x < -alpha ? x + beta : x > alpha ? x - beta : T(0);
  else if constexpr (K == Not)
    return T(x == T(0));
  else {
    static_assert(K == IsNaN);
    return T(isNan(x));
  }
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_UNARYFUNCTIONS_H
