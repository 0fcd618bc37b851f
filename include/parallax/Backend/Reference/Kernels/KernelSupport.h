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

/// Lets a loop take the instruction set of the function that calls it.
#define PARALLAX_INLINE [[gnu::always_inline]] inline

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

/// The `grain` of parallelFor for items of about `work` operations each.
inline int64_t grainFor(int64_t work) {
  constexpr int64_t worthAThread = 32768;
  return std::max<int64_t>(1, worthAThread / std::max<int64_t>(work, 1));
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
    for (int64_t lane = 0; lane < lanes; ++lane)
      total += sums[lane];
  }
  for (; i < count; ++i)
    total += map(x[i]);
  return total;
}

/// The greatest item, or NaN if there is one; `lowest` for no items.
template <typename T> PARALLAX_INLINE T maxOrNan(T best, T value) {
  return value > best || value != value ? value : best;
}

PARALLAX_INLINE float laneMax(const float *x, int64_t count, float lowest) {
  constexpr int64_t lanes = 32;
  float best[lanes];
  std::fill_n(best, lanes, lowest);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      best[lane] = maxOrNan(best[lane], x[i + lane]);
  float result = lowest;
  for (float lane : best)
    result = maxOrNan(result, lane);
  for (; i < count; ++i)
    result = maxOrNan(result, x[i]);
  return result;
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_KERNELSUPPORT_H
