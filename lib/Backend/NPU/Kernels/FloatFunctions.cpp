//===- FloatFunctions.cpp - Functions with one rounding -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A formula is evaluated in binary64. Only if its result lies so close to the
// middle between two floats that its error could decide, which is about once in
// 100000 times, it is evaluated again in binary128. No value of these functions
// comes so close to a middle that this would not be enough, but for those that
// the formulas below move to the right side of it.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/FloatFunctions.h"

#include "parallax/Backend/Kernels/Broadcast.h"
#include "parallax/Backend/Kernels/UnaryFunctions.h"
#include "parallax/Support/Parallel.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace parallax::npu {

using kernels::UnaryKind;

/// binary128.
#if defined(__x86_64__)
using Quad = __float128;
#else
using Quad = long double;
#endif
static_assert(sizeof(Quad) == 16);

//===----------------------------------------------------------------------===//
// The C library in both precisions
//===----------------------------------------------------------------------===//

// Its header does not show the functions of binary128 to every compiler.
namespace real {
#define PARALLAX_REAL_FUNCTION(name)                                           \
  inline double name(double x) { return ::name(x); }                           \
  Quad name(Quad x) __asm__(#name "f128");
PARALLAX_REAL_FUNCTION(acos)
PARALLAX_REAL_FUNCTION(acosh)
PARALLAX_REAL_FUNCTION(asin)
PARALLAX_REAL_FUNCTION(asinh)
PARALLAX_REAL_FUNCTION(atan)
PARALLAX_REAL_FUNCTION(atanh)
PARALLAX_REAL_FUNCTION(cos)
PARALLAX_REAL_FUNCTION(cosh)
PARALLAX_REAL_FUNCTION(erf)
PARALLAX_REAL_FUNCTION(erfc)
PARALLAX_REAL_FUNCTION(exp)
PARALLAX_REAL_FUNCTION(expm1)
PARALLAX_REAL_FUNCTION(fabs)
PARALLAX_REAL_FUNCTION(log)
PARALLAX_REAL_FUNCTION(log1p)
PARALLAX_REAL_FUNCTION(sin)
PARALLAX_REAL_FUNCTION(sinh)
PARALLAX_REAL_FUNCTION(sqrt)
PARALLAX_REAL_FUNCTION(tan)
PARALLAX_REAL_FUNCTION(tanh)
#undef PARALLAX_REAL_FUNCTION
Quad pow(Quad base, Quad exponent) __asm__("powf128");
} // namespace real

namespace {

//===----------------------------------------------------------------------===//
// Parts of formulas
//===----------------------------------------------------------------------===//

/// Arguments that are lost beside 1 even in binary128.
constexpr double tiny = 0x1p-100;

/// The real value lies beside `x` times a number of few bits, which may be the
/// middle between two floats: a factor that says on which side.
template <typename T> T besideOne(T x) {
  return T(1) + T(x < T(0) ? -0x1p-104 : 0x1p-104);
}

template <typename T> T sigmoid(T x) {
  if (real::fabs(x) < T(tiny))
    return T(0.5) * besideOne(x);
  return T(1) / (T(1) + real::exp(-x));
}

template <typename T> T expMinusOne(T x) {
  if (real::fabs(x) < T(tiny))
    return x * besideOne(x);
  T value = real::expm1(x);
  bool isRounded =
      value == T(-1) && x != T(-std::numeric_limits<double>::infinity());
  return isRounded ? T(-1) * besideOne(x) : value;
}

/// 1 + erf(x).
template <typename T> T onePlusErf(T x) {
  return real::fabs(x) < T(tiny) ? besideOne(x) : real::erfc(-x);
}

/// u of the approximation of Gelu by tanh, times 2.
template <typename T> T doubledGeluArgument(T x) {
  static const T factor =
      real::sqrt(T(2) / (T(4) * real::atan(T(1)))); // sqrt(2 / pi)
  return T(2) * factor * (x + T(44715) / T(1000000) * x * x * x);
}

/// The real value of operator K at x.
template <UnaryKind K, typename T> T realValue(T x, T alpha, T beta) {
  using enum UnaryKind;
  if constexpr (K == Exp)
    return real::exp(x);
  else if constexpr (K == Log)
    return real::log(x);
  else if constexpr (K == Erf)
    return real::erf(x);
  else if constexpr (K == Sin)
    return real::sin(x);
  else if constexpr (K == Cos)
    return real::cos(x);
  else if constexpr (K == Tan)
    return real::tan(x);
  else if constexpr (K == Asin)
    return real::asin(x);
  else if constexpr (K == Acos)
    return real::acos(x);
  else if constexpr (K == Atan)
    return real::atan(x);
  else if constexpr (K == Sinh)
    return real::sinh(x);
  else if constexpr (K == Cosh)
    return real::cosh(x);
  else if constexpr (K == Asinh)
    return real::asinh(x);
  else if constexpr (K == Acosh)
    return real::acosh(x);
  else if constexpr (K == Atanh)
    return real::atanh(x);
  else if constexpr (K == Tanh)
    return real::tanh(x);
  else if constexpr (K == Sigmoid)
    return sigmoid(x);
  else if constexpr (K == Softplus)
    return (x < T(0) ? T(0) : x) + real::log1p(real::exp(-real::fabs(x)));
  else if constexpr (K == Silu)
    return x * sigmoid(x);
  else if constexpr (K == Mish) {
    // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2).
    T e = real::exp(x > T(60) ? T(60) : x);
    T n = e * (e + T(2));
    return x * (n / (n + T(2)));
  } else if constexpr (K == GeluErf)
    return T(0.5) * x * onePlusErf(x * real::sqrt(T(0.5)));
  else if constexpr (K == GeluTanh)
    return x * sigmoid(doubledGeluArgument(x));
  else if constexpr (K == Elu)
    return x < T(0) ? alpha * expMinusOne(x) : x;
  else if constexpr (K == Selu)
    return beta * (x < T(0) ? alpha * expMinusOne(x) : x);
  else {
    static_assert(K == Celu, "a function of the rule C95 needs its formula");
    return x < T(0) ? alpha * expMinusOne(x / alpha) : x;
  }
}

/// Rounds the value of `formula`, a function of a precision. The error of a
/// formula in binary64 is far less than 2^-42 of its value.
template <typename Formula> float roundOnce(Formula formula) {
  double value = formula(double());
  constexpr double error = 0x1p-42;
  auto below = float(value * (1 - error)), above = float(value * (1 + error));
  if (below == above || value != value)
    return float(value);
  return float(formula(Quad()));
}

//===----------------------------------------------------------------------===//
// All operators
//===----------------------------------------------------------------------===//

/// Operators whose formula in floats is their definition.
constexpr bool isPlain(UnaryKind kind) {
  enum Rule { C90, C95 };
  constexpr Rule rules[] = {
#define UNARY_KIND(name, rule, ...) rule,
#include "parallax/Support/UnaryFunctions.def"
  };
  return rules[size_t(kind)] == C90;
}

/// Operators that vanish from below on the left.
constexpr bool vanishes(UnaryKind kind) {
  return kind == UnaryKind::Silu || kind == UnaryKind::Mish ||
         kind == UnaryKind::GeluErf || kind == UnaryKind::GeluTanh;
}

template <UnaryKind K> float apply(float x, float alpha, float beta) {
  if constexpr (isPlain(K)) {
    return kernels::applyUnary<K>(x, alpha, beta);
  } else {
    if (vanishes(K) && x == -std::numeric_limits<float>::infinity())
      return -0.0f;
    return roundOnce([=]<typename T>(T) {
      return realValue<K, T>(T(x), T(alpha), T(beta));
    });
  }
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Powers of few bits, which may be the middle between two floats, are exact.
Quad realPower(Quad base, Quad exponent) {
  constexpr int limit = 256;
  auto isWhole = [](Quad value) { return Quad(int(value)) == value; };
  bool isSmall = real::fabs(exponent) <= Quad(limit);
  while (isSmall && !isWhole(exponent) && base > 0) {
    Quad root = real::sqrt(base);
    if (root * root != base)
      break;
    base = root;
    exponent *= 2;
    isSmall = real::fabs(exponent) <= Quad(limit);
  }
  if (!isSmall || !isWhole(exponent))
    return real::pow(base, exponent);
  Quad result = 1;
  for (int rest = std::abs(int(exponent)); rest != 0; rest /= 2, base *= base)
    if (rest % 2)
      result *= base;
  return exponent < 0 ? 1 / result : result;
}

} // namespace

float floatPower(float base, double exponent) {
  return roundOnce([=]<typename T>(T) -> T {
    if constexpr (std::is_same_v<T, double>)
      return std::pow(double(base), exponent);
    else
      return realPower(Quad(base), Quad(exponent));
  });
}

float floatFunction(UnaryKind kind, float x, float alpha, float beta) {
  float result = 0;
  kernels::dispatchKind<kernels::unaryKindCount>(
      kind, [&](auto k) { result = apply<k()>(x, alpha, beta); });
  return result;
}

void floatUnary(UnaryKind kind, const Tensor &x, Tensor &y, float alpha,
                float beta) {
  const float *from = x.data<float>();
  float *to = y.data<float>();
  constexpr int64_t grain = 1024;
  parallelFor(x.size(), grain, [&](int64_t begin, int64_t end) {
    kernels::dispatchKind<kernels::unaryKindCount>(kind, [&](auto k) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = apply<k()>(from[i], alpha, beta);
    });
  });
}

void floatPower(const Tensor &base, const Tensor &exponent, Tensor &y) {
  const Tensor *inputs[] = {&base, &exponent};
  float *to = y.data<float>();
  kernels::forEachSpan(
      y.shape(), inputs,
      [&](const kernels::Operands &operands, int64_t begin, int64_t count) {
        const auto *bases = operands[0].as<float>();
        dispatch(exponent.dtype(), [&](auto tag) {
          const auto *exponents =
              operands[1].template as<typename decltype(tag)::type>();
          for (int64_t i = 0; i < count; ++i)
            to[begin + i] =
                floatPower(bases[operands[0].isScalar ? 0 : i],
                           double(exponents[operands[1].isScalar ? 0 : i]));
        });
      });
}

void unifyNaNs(Tensor &y) {
  float *values = y.data<float>();
  parallelFor(y.size(), kernels::cheapGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float value = values[i];
      values[i] =
          value != value ? std::numeric_limits<float>::quiet_NaN() : value;
    }
  });
}

} // namespace parallax::npu
