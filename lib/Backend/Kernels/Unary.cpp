//===- Unary.cpp - Element-wise operators of one input --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Loops around the formulas of UnaryFunctions.h, one per operator and type.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/UnaryFunctions.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <fmt/format.h>

namespace parallax::kernels {
namespace {

struct UnaryArguments {
  UnaryKind kind;
  const void *x;
  void *y;
  int64_t count;
  float alpha, beta;
};

template <UnaryKind K> constexpr bool isTrigonometric() {
  return K == UnaryKind::Sin || K == UnaryKind::Cos;
}

/// A block of sines or cosines with arguments that VectorMath cannot reduce.
template <UnaryKind K>
void unaryLargeAngles(const float *x, float *y, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (std::fabs(x[i]) <= vm::trigonometricLimit)
      y[i] = applyUnary<K, float>(x[i], 0, 0);
    else
      y[i] = K == UnaryKind::Sin ? std::sin(x[i]) : std::cos(x[i]);
}

template <UnaryKind K, typename T>
PARALLAX_INLINE void unaryLoop(const T *x, T *y, int64_t count, T alpha,
                               T beta) {
  PARALLAX_INDEPENDENT
  for (int64_t i = 0; i < count; ++i)
    y[i] = applyUnary<K, T>(x[i], alpha, beta);
}

template <UnaryKind K>
PARALLAX_INLINE void unaryAngles(const float *x, float *y, int64_t count) {
  constexpr int64_t blockSize = 512;
  for (int64_t begin = 0; begin < count; begin += blockSize) {
    int64_t length = std::min(blockSize, count - begin);
    uint32_t hasLarge = 0;
    for (int64_t i = 0; i < length; ++i)
      hasLarge |= std::fabs(x[begin + i]) > vm::trigonometricLimit;
    if (hasLarge)
      unaryLargeAngles<K>(x + begin, y + begin, length);
    else
      unaryLoop<K, float>(x + begin, y + begin, length, 0, 0);
  }
}

PARALLAX_SIMD void unaryF32(const UnaryArguments &args) {
  auto *x = static_cast<const float *>(args.x);
  auto *y = static_cast<float *>(args.y);
  int64_t count = args.count;
  float alpha = args.alpha, beta = args.beta;
  dispatchKind<unaryKindCount>(
      args.kind, [=](auto kind) PARALLAX_INLINE_LAMBDA {
        if constexpr (isTrigonometric<kind()>())
          unaryAngles<kind()>(x, y, count);
        else
          unaryLoop<kind(), float>(x, y, count, alpha, beta);
      });
}

void unaryF64(const UnaryArguments &args) {
  dispatchKind<unaryKindCount>(args.kind, [&](auto kind) {
    unaryLoop<kind(), double>(static_cast<const double *>(args.x),
                              static_cast<double *>(args.y), args.count,
                              args.alpha, args.beta);
  });
}

template <typename T, typename R, typename Fn>
void mapLoop(const UnaryArguments &args, Fn fn) {
  auto *x = static_cast<const T *>(args.x);
  auto *y = static_cast<R *>(args.y);
  for (int64_t i = 0; i < args.count; ++i)
    y[i] = R(fn(x[i]));
}

template <typename T> void unaryInteger(const UnaryArguments &args) {
  auto negate = [](T v) { return wrapSub(T(0), v); };
  switch (args.kind) {
  case UnaryKind::Abs:
    return mapLoop<T, T>(args, [&](T v) { return v < T(0) ? negate(v) : v; });
  case UnaryKind::Neg:
    return mapLoop<T, T>(args, negate);
  case UnaryKind::Sign:
    return mapLoop<T, T>(args, [](T v) { return (v > T(0)) - (v < T(0)); });
  case UnaryKind::Relu:
    return mapLoop<T, T>(args, [](T v) { return v < T(0) ? T(0) : v; });
  case UnaryKind::Not:
    return mapLoop<T, T>(args, [](T v) { return ~v; });
  default: // Shrink, and whatever else is asked of integers
    return mapLoop<T, T>(args, [&](T v) {
      return saturateTo<T>(
          scalarUnary(args.kind, double(v), args.alpha, args.beta));
    });
  }
}

void unaryRange(DType type, const UnaryArguments &args) {
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>)
      mapLoop<bool, bool>(args, [](bool v) { return !v; });
    else if constexpr (std::is_integral_v<T>)
      unaryInteger<T>(args);
    else if (args.kind == UnaryKind::IsNaN)
      mapLoop<T, bool>(args, [](float v) { return v != v; });
    else if constexpr (std::is_same_v<T, float>)
      unaryF32(args);
    else if constexpr (std::is_same_v<T, double>)
      unaryF64(args);
  });
}

} // namespace

void unary(UnaryKind kind, const Tensor &x, Tensor &y, float alpha,
           float beta) {
  DType type = x.dtype();
  bool isHalf = type == DType::F16 || type == DType::BF16;
  if ((isHalf && kind != UnaryKind::IsNaN) ||
      (type == DType::Bool && kind != UnaryKind::Not))
    throw Error(fmt::format("element-wise operators do not compute in {}; "
                            "insert a Cast to float32 before them",
                            nameOf(type)));
  auto *from = static_cast<const std::byte *>(x.rawData());
  auto *to = static_cast<std::byte *>(y.rawData());
  int64_t fromSize = sizeOf(type), toSize = sizeOf(y.dtype());
  parallelFor(x.size(), cheapGrain, [&](int64_t begin, int64_t end) {
    unaryRange(type, {kind, from + begin * fromSize, to + begin * toSize,
                      end - begin, alpha, beta});
  });
}

double scalarUnary(UnaryKind kind, double x, double alpha, double beta) {
  double result = 0;
  dispatchKind<unaryKindCount>(kind, [&](auto kind) {
    result = applyUnary<kind(), double>(x, alpha, beta);
  });
  return result;
}

void isInf(const Tensor &x, Tensor &y, bool detectNegative,
           bool detectPositive) {
  bool *to = y.data<bool>();
  dispatch(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = x.data<T>();
    parallelFor(x.size(), cheapGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double v = double(from[i]);
        to[i] = std::isinf(v) && (v < 0 ? detectNegative : detectPositive);
      }
    });
  });
}

} // namespace parallax::kernels
