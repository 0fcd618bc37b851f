//===- KernelSupport.h - What most reference kernels need ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Multiversioned functions can't be templates, so a kernel writes its loop once
// as a PARALLAX_INLINE template and compiles it inside small PARALLAX_SIMD
// functions. Sums run over a fixed number of lanes: the compiler may vectorise
// them without reordering, and every instruction set adds in the same order.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_KERNELSUPPORT_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_KERNELSUPPORT_H

#include "parallax/Support/Error.h"
#include "parallax/Support/Tensor.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

/// Code that must become part of a PARALLAX_SIMD function: a call out of one
/// of the clones would leave its instruction set.
#define PARALLAX_INLINE inline __attribute__((always_inline))
#define PARALLAX_INLINE_LAMBDA __attribute__((always_inline))

/// Precedes a loop whose iterations touch only their own element. The output
/// may then be the very buffer of an input, and the loop is vectorised without
/// a test for overlap.
#if defined(__clang__)
// Loops that call the C library cannot be vectorised; that is known.
#pragma clang diagnostic ignored "-Wpass-failed"
#define PARALLAX_INDEPENDENT                                                   \
  _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define PARALLAX_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace parallax::kernels {

[[noreturn]] inline void throwUnsupported(std::string_view kernel,
                                          DType dtype) {
  throw Error(fmt::format("{} has no kernel for {}; convert its input with "
                          "Cast to a supported type",
                          kernel, nameOf(dtype)));
}

inline void requireFloat(std::string_view kernel, const Tensor &x) {
  if (x.dtype() != DType::F32)
    throwUnsupported(kernel, x.dtype());
}

/// Elements that a thread should at least get of a cheap operation.
inline constexpr int64_t cheapGrain = 16384;

/// The grain of a parallel loop whose every item handles `perItem` elements.
inline int64_t grainFor(int64_t perItem) {
  return std::max<int64_t>(1, cheapGrain / std::max<int64_t>(perItem, 1));
}

/// Calls `fn(TypeTag<T>{})` with an unsigned type of `size` bytes, for code
/// that moves elements without looking at them.
template <typename Fn> decltype(auto) dispatchSize(size_t size, Fn &&fn) {
  switch (size) {
  case 1:
    return fn(TypeTag<uint8_t>{});
  case 2:
    return fn(TypeTag<uint16_t>{});
  case 4:
    return fn(TypeTag<uint32_t>{});
  default:
    assert(size == 8);
    return fn(TypeTag<uint64_t>{});
  }
}

/// Calls `fn(std::integral_constant<Kind, kind>{})`, for an enumeration of
/// `count` consecutive kinds.
template <auto count, typename Kind, typename Fn>
PARALLAX_INLINE void dispatchKind(Kind kind, Fn fn) {
  [&]<size_t... I>(std::index_sequence<I...>) PARALLAX_INLINE_LAMBDA {
    ((size_t(kind) == I ? fn(std::integral_constant<Kind, Kind(I)>{}) : void()),
     ...);
  }
  (std::make_index_sequence<size_t(count)>{});
}

/// A shape seen from one axis, or from a run of axes [axis, end).
struct AxisSplit {
  int64_t outer, count, inner;
};

inline AxisSplit splitAt(const Shape &shape, int64_t axis, int64_t end) {
  std::span<const int64_t> dims(shape);
  return {elementCount(dims.first(axis)),
          elementCount(dims.subspan(axis, end - axis)),
          elementCount(dims.subspan(end))};
}

inline AxisSplit splitAt(const Shape &shape, int64_t axis) {
  axis = axis < 0 ? axis + int64_t(shape.size()) : axis;
  return splitAt(shape, axis, axis + 1);
}

/// Combines the lanes pairwise: a chain of dependent steps would take longer
/// than the loop before it on short rows.
template <size_t lanes, typename T, typename Combine>
PARALLAX_INLINE T foldLanes(T (&lane)[lanes], Combine combine) {
  static_assert((lanes & (lanes - 1)) == 0);
#pragma GCC unroll 8
  for (size_t width = lanes / 2; width > 0; width /= 2)
#pragma GCC unroll 16
    for (size_t j = 0; j < width; ++j)
      lane[j] = combine(lane[j], lane[j + width]);
  return lane[0];
}

/// The sum of float lanes in double.
template <size_t lanes>
PARALLAX_INLINE double sumOfLanes(const float (&sums)[lanes]) {
  double pairs[lanes / 2];
#pragma GCC unroll 16
  for (size_t j = 0; j < lanes / 2; ++j)
    pairs[j] = double(sums[j]) + double(sums[j + lanes / 2]);
  return foldLanes(pairs, [](double a, double b)
                              PARALLAX_INLINE_LAMBDA { return a + b; });
}

/// The sum of map(x[i]) over `count` items: float lanes within a block, double
/// between blocks, so that the error doesn't grow with the length.
template <typename Map>
PARALLAX_INLINE double laneSum(const float *x, int64_t count, Map map) {
  constexpr int64_t lanes = 32, block = 2048;
  double total = 0;
  int64_t i = 0;
  while (count - i >= lanes) {
    float sums[lanes] = {};
    int64_t end = i + std::min(block, (count - i) / lanes * lanes);
    for (; i < end; i += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        sums[lane] += map(x[i + lane]);
    total += sumOfLanes(sums);
  }
  for (; i < count; ++i)
    total += map(x[i]);
  return total;
}

template <typename T> PARALLAX_INLINE bool isNan(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return value != value;
}

/// The smaller and the larger number; NaN if either is NaN. Two selections,
/// because processors have an instruction for the first.
template <typename T> PARALLAX_INLINE T minimum(T a, T b) {
  T smaller = a < b ? a : b;
  return isNan(a) ? a : smaller;
}
template <typename T> PARALLAX_INLINE T maximum(T a, T b) {
  T larger = a > b ? a : b;
  return isNan(a) ? a : larger;
}

/// The greatest item, or NaN if there is one; `lowest` for no items.
PARALLAX_INLINE float laneMax(const float *x, int64_t count, float lowest) {
  constexpr int64_t lanes = 32;
  float best[lanes];
  std::fill_n(best, lanes, lowest);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      best[lane] = maximum(best[lane], x[i + lane]);
  float result = foldLanes(best, [](float a, float b) PARALLAX_INLINE_LAMBDA {
    return maximum(a, b);
  });
  for (; i < count; ++i)
    result = maximum(result, x[i]);
  return result;
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_KERNELSUPPORT_H
