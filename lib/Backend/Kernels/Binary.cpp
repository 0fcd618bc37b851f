//===- Binary.cpp - Element-wise operators of two inputs ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One formula per operator and one loop per operator and type; broadcasting is
// resolved before.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Broadcast.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Simd.h"

#include <fmt/format.h>

namespace parallax::kernels {
namespace {

constexpr bool isBitwise(BinaryKind kind) {
  return (kind >= BinaryKind::And && kind <= BinaryKind::Xor) ||
         kind >= BinaryKind::BitShiftLeft;
}

template <typename T> PARALLAX_INLINE T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else if constexpr (std::is_signed_v<T>)
    // The quotient of the smallest number and -1 does not exist.
    return b == 0 ? T(0) : b == -1 ? wrapSub(T(0), a) : T(a / b);
  else
    return b == 0 ? T(0) : T(a / b);
}

template <typename T> PARALLAX_INLINE T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmod(a, b);
  else if constexpr (std::is_signed_v<T>)
    return b == 0 || b == -1 ? T(0) : T(a % b);
  else
    return b == 0 ? T(0) : T(a % b);
}

/// The remainder with the sign of the divisor.
template <typename T> PARALLAX_INLINE T modulo(T a, T b) {
  T rest = remainder(a, b);
  bool signsDiffer = (rest < T(0)) != (b < T(0));
  return rest != T(0) && signsDiffer ? wrapAdd(rest, b) : rest;
}

template <BinaryKind K, typename T> PARALLAX_INLINE auto applyBinary(T a, T b) {
  using enum BinaryKind;
  if constexpr (K == Add)
    return wrapAdd(a, b);
  else if constexpr (K == Sub)
    return wrapSub(a, b);
  else if constexpr (K == Mul)
    return wrapMul(a, b);
  else if constexpr (K == Div)
    return divide(a, b);
  else if constexpr (K == Mod)
    return modulo(a, b);
  else if constexpr (K == Fmod)
    return remainder(a, b);
  else if constexpr (K == Min)
    return minimum(a, b);
  else if constexpr (K == Max)
    return maximum(a, b);
  else if constexpr (K == And)
    return T(a & b);
  else if constexpr (K == Or)
    return T(a | b);
  else if constexpr (K == Xor)
    return T(a ^ b);
  else if constexpr (K == Equal)
    return uint8_t(a == b);
  else if constexpr (K == Greater)
    return uint8_t(a > b);
  else if constexpr (K == GreaterOrEqual)
    return uint8_t(a >= b);
  else if constexpr (K == Less)
    return uint8_t(a < b);
  else if constexpr (K == LessOrEqual)
    return uint8_t(a <= b);
  else if constexpr (K == PRelu)
    return a < T(0) ? wrapMul(a, b) : a;
  else {
    static_assert(K == BitShiftLeft || K == BitShiftRight);
    constexpr T width = T(sizeof(T) * 8);
    using Wide = WrapType<T>;
    if (std::make_unsigned_t<T>(b) >= std::make_unsigned_t<T>(width))
      return T(0);
    return K == BitShiftLeft ? T(Wide(a) << b) : T(a >> b);
  }
}

/// All operators but Pow, on consecutive elements.
template <typename T>
PARALLAX_INLINE void binaryLoop(BinaryKind kind, const T *a, const T *b,
                                void *y, int64_t count) {
  dispatchKind<binaryKindCount>(kind, [=](auto k) PARALLAX_INLINE_LAMBDA {
    constexpr bool isSupported =
        k() != BinaryKind::Pow && (std::is_integral_v<T> || !isBitwise(k()));
    if constexpr (isSupported) {
      auto *to = static_cast<decltype(applyBinary<k()>(T(), T())) *>(y);
      PARALLAX_INDEPENDENT
      for (int64_t i = 0; i < count; ++i)
        to[i] = applyBinary<k()>(a[i], b[i]);
    }
  });
}

template <typename T>
void binaryRun(BinaryKind kind, const T *a, const T *b, void *y,
               int64_t count) {
  binaryLoop<T>(kind, a, b, y, count);
}

PARALLAX_SIMD void binaryRun(BinaryKind kind, const float *a, const float *b,
                             void *y, int64_t count) {
  binaryLoop<float>(kind, a, b, y, count);
}

/// A single value is spelled out into a block in the first-level cache, where
/// reading it costs nothing; that spares two of three loops per operator.
template <typename T>
void binarySpan(BinaryKind kind, const Operands &operands, std::byte *y,
                int64_t resultSize, int64_t count) {
  const T *a = operands[0].as<T>();
  const T *b = operands[1].as<T>();
  bool aScalar = operands[0].isScalar, bScalar = operands[1].isScalar;
  if (!aScalar && !bScalar)
    return binaryRun(kind, a, b, y, count);
  constexpr int64_t blockSize = 512;
  alignas(64) T blocks[2][blockSize];
  int64_t filled = std::min(blockSize, count);
  if (aScalar)
    std::fill_n(blocks[0], filled, *a);
  if (bScalar)
    std::fill_n(blocks[1], filled, *b);
  for (int64_t begin = 0; begin < count; begin += blockSize)
    binaryRun(kind, aScalar ? blocks[0] : a + begin,
              bScalar ? blocks[1] : b + begin, y + begin * resultSize,
              std::min(blockSize, count - begin));
}

/// base^exponent of integers, modulo the range of T.
template <typename T> T powInteger(T base, double exponent) {
  if (exponent < 0) // the truncated reciprocal
    return base == T(1)    ? T(1)
           : base == T(-1) ? (std::fmod(exponent, 2) == 0 ? T(1) : base)
                           : T(0);
  T result = 1;
  auto rest = saturateTo<uint64_t>(exponent);
  for (T power = base; rest != 0; rest >>= 1, power = wrapMul(power, power))
    if (rest & 1)
      result = wrapMul(result, power);
  return result;
}

template <typename T>
void powLoop(const T *base, int64_t baseStride, const double *exponent,
             int64_t exponentStride, bool isWholeExponent, T *y,
             int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T b = base[i * baseStride];
    double e = exponent[i * exponentStride];
    if constexpr (std::is_integral_v<T>)
      y[i] = isWholeExponent ? powInteger(b, e)
                             : saturateTo<T>(std::pow(double(b), e));
    else if (e == double(T(e)))
      y[i] = std::pow(b, T(e));
    else
      y[i] = T(std::pow(double(b), e));
  }
}

/// Exponents come in any type; converting them in small blocks spares a loop
/// for each pair of types.
template <typename T>
void powSpan(const Operands &operands, DType exponentType, T *y,
             int64_t count) {
  constexpr int64_t blockSize = 256;
  double exponents[blockSize];
  const T *base = operands[0].as<T>();
  int64_t baseStride = operands[0].isScalar ? 0 : 1;
  int64_t exponentStride = operands[1].isScalar ? 0 : 1;
  for (int64_t begin = 0; begin < count; begin += blockSize) {
    int64_t length = std::min(blockSize, count - begin);
    dispatch(exponentType, [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E *from = operands[1].as<E>() + begin * exponentStride;
      int64_t converted = exponentStride == 0 ? 1 : length;
      for (int64_t i = 0; i < converted; ++i)
        exponents[i] = double(from[i]);
    });
    const T *bases = base + begin * baseStride;
    // Squares and roots are what models use; both are exact to the last bit.
    if (exponentStride == 0 && baseStride == 1 && exponents[0] == 2)
      std::transform(bases, bases + length, y + begin,
                     [](T v) { return wrapMul(v, v); });
    else
      powLoop<T>(bases, baseStride, exponents, exponentStride,
                 !isFloat(exponentType), y + begin, length);
  }
}

} // namespace

void binary(BinaryKind kind, const Tensor &a, const Tensor &b, Tensor &y) {
  DType type = a.dtype();
  bool isHalf = type == DType::F16 || type == DType::BF16;
  if (isHalf || (isFloat(type) && isBitwise(kind)))
    throw Error(fmt::format("this element-wise operator does not compute in "
                            "{}; insert a Cast before it",
                            nameOf(type)));
  auto *to = static_cast<std::byte *>(y.rawData());
  int64_t size = sizeOf(y.dtype());
  const Tensor *inputs[] = {&a, &b};
  forEachSpan(
      y.shape(), inputs,
      [&](const Operands &operands, int64_t begin, int64_t count) {
        std::byte *target = to + begin * size;
        dispatch(type, [&](auto tag) {
          using Stored = typename decltype(tag)::type;
          // Bytes that are 0 or 1 make the bitwise operators logical.
          using T =
              std::conditional_t<std::is_same_v<Stored, bool>, uint8_t, Stored>;
          if constexpr (!std::is_arithmetic_v<T>)
            return;
          else if (kind == BinaryKind::Pow)
            powSpan(operands, b.dtype(), reinterpret_cast<T *>(target), count);
          else
            binarySpan<T>(kind, operands, target, size, count);
        });
      });
}

} // namespace parallax::kernels
