//===- Cast.cpp - Conversion between all element types --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Thirteen types make 169 pairs. A block is first widened to double, int64 or
// uint64, which is exact, and then narrowed, so that there is one loop per type
// and direction instead of one per pair.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/StridedCopy.h"
#include "parallax/Support/Parallel.h"

namespace parallax::kernels {
namespace {

/// The exact common type of a source type.
template <typename T>
using WideType = std::conditional_t<
    !std::is_integral_v<T>, double,
    std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>>;

/// The low bits of a truncated number; 0 if it is not finite.
template <typename T> T lowBits(double value) {
  double rest = std::isfinite(value) ? std::fmod(std::trunc(value), 0x1p64) : 0;
  auto magnitude = uint64_t(std::fabs(rest));
  return T(rest < 0 ? 0 - magnitude : magnitude);
}

template <typename Wide, typename To, bool saturate>
PARALLAX_INLINE To narrow(Wide value) {
  if constexpr (std::is_same_v<To, bool>)
    return value != Wide(0);
  else if constexpr (std::is_integral_v<To> && std::is_same_v<Wide, double>)
    return saturate ? saturateTo<To>(value) : lowBits<To>(value);
  else if constexpr (std::is_arithmetic_v<To>)
    return To(value);
  else
    return To(float(value));
}

template <typename Wide>
void narrowBlock(const Wide *block, DType type, std::byte *y, int64_t count,
                 bool saturate) {
  dispatch(type, [&](auto tag) {
    using To = typename decltype(tag)::type;
    auto *to = reinterpret_cast<To *>(y);
    // Two loops, because the wrapping conversion cannot be vectorised.
    if (saturate)
      for (int64_t i = 0; i < count; ++i)
        to[i] = narrow<Wide, To, true>(block[i]);
    else
      for (int64_t i = 0; i < count; ++i)
        to[i] = narrow<Wide, To, false>(block[i]);
  });
}

template <typename From>
void castRange(const From *x, DType type, std::byte *y, int64_t count,
               bool saturate) {
  constexpr int64_t blockSize = 512;
  using Wide = WideType<From>;
  Wide block[blockSize];
  for (int64_t begin = 0; begin < count; begin += blockSize) {
    int64_t length = std::min(blockSize, count - begin);
    for (int64_t i = 0; i < length; ++i)
      block[i] = Wide(x[begin + i]);
    narrowBlock(block, type, y + begin * int64_t(sizeOf(type)), length,
                saturate);
  }
}

} // namespace

void cast(const Tensor &x, Tensor &y, bool saturate) {
  if (x.dtype() == y.dtype())
    return parallelCopy(y.rawData(), x.rawData(), x.byteSize());
  auto *to = static_cast<std::byte *>(y.rawData());
  int64_t size = sizeOf(y.dtype());
  dispatch(x.dtype(), [&](auto tag) {
    using From = typename decltype(tag)::type;
    const From *from = x.data<From>();
    parallelFor(x.size(), cheapGrain, [&](int64_t begin, int64_t end) {
      castRange(from + begin, y.dtype(), to + begin * size, end - begin,
                saturate);
    });
  });
}

} // namespace parallax::kernels
