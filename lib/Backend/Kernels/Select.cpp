//===- Select.cpp - Where and Clip ----------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The element-wise operators that choose between values without computing new
// ones.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Broadcast.h"
#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <fmt/format.h>

namespace parallax::kernels {
namespace {

template <typename T, bool aScalar, bool bScalar>
void selectLoop(const uint8_t *cond, const T *a, const T *b, T *y,
                int64_t count) {
  PARALLAX_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    T first = a[aScalar ? 0 : i], second = b[bScalar ? 0 : i];
    y[i] = cond[i] ? first : second;
  }
}

template <typename T>
void whereSpan(const Operands &operands, T *y, int64_t count) {
  const auto &[cond, a, b] = operands;
  if (cond.isScalar) {
    const Operand &chosen = *cond.as<uint8_t>() ? a : b;
    if (chosen.isScalar)
      std::fill_n(y, count, *chosen.as<T>());
    else if (chosen.data != y)
      std::copy_n(chosen.as<T>(), count, y);
    return;
  }
  auto *loop = a.isScalar ? (b.isScalar ? selectLoop<T, true, true>
                                        : selectLoop<T, true, false>)
                          : (b.isScalar ? selectLoop<T, false, true>
                                        : selectLoop<T, false, false>);
  loop(cond.as<uint8_t>(), a.as<T>(), b.as<T>(), y, count);
}

template <typename T>
PARALLAX_INLINE void clipLoop(const T *x, T *y, int64_t count, T lo, T hi) {
  PARALLAX_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    T raised = x[i] < lo ? lo : x[i];
    y[i] = raised > hi ? hi : raised;
  }
}

PARALLAX_SIMD void clipF32(const float *x, float *y, int64_t count, float lo,
                           float hi) {
  clipLoop(x, y, count, lo, hi);
}

template <typename T> T boundTo(double bound) {
  if constexpr (std::is_integral_v<T>)
    return saturateTo<T>(bound);
  else
    return T(bound);
}

} // namespace

void where(const Tensor &cond, const Tensor &a, const Tensor &b, Tensor &y) {
  auto *to = static_cast<std::byte *>(y.rawData());
  size_t size = sizeOf(y.dtype());
  const Tensor *inputs[] = {&cond, &a, &b};
  forEachSpan(y.shape(), inputs,
              [&](const Operands &operands, int64_t begin, int64_t count) {
                dispatchSize(size, [&](auto tag) {
                  using T = typename decltype(tag)::type;
                  whereSpan(operands, reinterpret_cast<T *>(to) + begin, count);
                });
              });
}

void clip(const Tensor &x, Tensor &y, double lo, double hi) {
  dispatch(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_arithmetic_v<T> || std::is_same_v<T, bool>) {
      throw Error(fmt::format("Clip does not compute in {}; insert a Cast "
                              "before it",
                              nameOf(x.dtype())));
    } else {
      const T *from = x.data<T>();
      T *to = y.data<T>();
      T low = boundTo<T>(lo), high = boundTo<T>(hi);
      parallelFor(x.size(), cheapGrain, [=](int64_t begin, int64_t end) {
        if constexpr (std::is_same_v<T, float>)
          clipF32(from + begin, to + begin, end - begin, low, high);
        else
          clipLoop(from + begin, to + begin, end - begin, low, high);
      });
    }
  });
}

} // namespace parallax::kernels
