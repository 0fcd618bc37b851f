//===- KernelSupport.h - What most reference kernels need ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Multiversioned functions can't be templates, so a kernel writes its loop once
// as a PARALLAX_INLINE template and compiles it inside small PARALLAX_SIMD
// functions. Sums run over a fixed number of lanes: the compiler may vectorise
// them without reordering, and every instruction set adds in the same order.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_KERNELSUPPORT_H
#define PARALLAX_BACKEND_KERNELS_KERNELSUPPORT_H

#include "parallax/Support/Error.h"
#include "parallax/Support/Tensor.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
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
// Loops that call the C library cannot be vectorised; that is known. Two
// iterations at once hide the latency of long formulas, more don't fit into the
// registers.
#pragma clang diagnostic ignored "-Wpass-failed"
#define PARALLAX_INDEPENDENT                                                   \
  _Pragma("clang loop vectorize(assume_safety) interleave_count(2)")
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

/// A register of eight floats. Sums and extremes spell out their vectors: left
/// to the compiler, their last steps take longer than the loop on short rows.
typedef float FloatPack __attribute__((vector_size(32)));

PARALLAX_INLINE void loadPack(FloatPack &pack, const float *from) {
  __builtin_memcpy(&pack, from, sizeof(pack));
}

/// The sum of the eight floats, in double.
PARALLAX_INLINE double sumOfPack(const FloatPack &pack) {
  double low =
      (double(pack[0]) + double(pack[4])) + (double(pack[2]) + double(pack[6]));
  double high =
      (double(pack[1]) + double(pack[5])) + (double(pack[3]) + double(pack[7]));
  return low + high;
}

/// Running sums of four packs, so that additions needn't wait for each other.
struct PackSums {
  static constexpr int64_t lanes = 8, packs = 4;

  PARALLAX_INLINE double total() const {
    FloatPack all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return sumOfPack(all);
  }

  FloatPack sums[packs];
};

/// Calls add(sums, pack, from) for all whole packs of `count` items, and
/// finish(sums) after every `block` of them, each of which has a new `Sums`.
/// Returns how many items were in whole packs.
template <typename Sums, int64_t block, typename Add, typename Finish>
PARALLAX_INLINE int64_t sumByBlocks(const float *x, int64_t count, Add add,
                                    Finish finish) {
  constexpr int64_t lanes = PackSums::lanes, packs = PackSums::packs;
  int64_t i = 0;
  while (count - i >= lanes) {
    // No constructor, which would be a call in functions for other processors.
    Sums sums = {};
    int64_t end = i + std::min(block, (count - i) / lanes * lanes);
    for (; i + packs * lanes <= end; i += packs * lanes)
      for (int64_t pack = 0; pack < packs; ++pack)
        add(sums, pack, x + i + pack * lanes);
    for (; i < end; i += lanes)
      add(sums, 0, x + i);
    finish(sums);
  }
  return i;
}

/// The sum of map(x[i]) over `count` items: float lanes within a block, double
/// between blocks, so that the error doesn't grow with the length. map() takes
/// a reference to a number or a FloatPack, and changes it.
template <typename Map>
PARALLAX_INLINE double laneSum(const float *x, int64_t count, Map map) {
  double total = 0;
  auto add = [&](PackSums &sums, int64_t pack, const float *from)
                 PARALLAX_INLINE_LAMBDA {
                   FloatPack value;
                   loadPack(value, from);
                   map(value);
                   sums.sums[pack] += value;
                 };
  auto finish = [&](const PackSums &sums)
                    PARALLAX_INLINE_LAMBDA { total += sums.total(); };
  int64_t i = sumByBlocks<PackSums, 2048>(x, count, add, finish);
  for (; i < count; ++i) {
    float value = x[i];
    map(value);
    total += double(value);
  }
  return total;
}

struct PlainValue {
  template <typename V> PARALLAX_INLINE void operator()(V &) const {}
};
struct SquareValue {
  template <typename V> PARALLAX_INLINE void operator()(V &v) const { v *= v; }
};
struct AbsoluteValue {
  template <typename V> PARALLAX_INLINE void operator()(V &v) const {
    v = v < 0 ? -v : v;
  }
};

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

/// The extreme item, or NaN if there is one; `neutral` for no items. Keeping
/// the test for NaN apart leaves one instruction in the chain of dependencies.
template <bool isMax>
PARALLAX_INLINE float laneExtreme(const float *x, int64_t count,
                                  float neutral) {
  typedef int32_t Mask __attribute__((vector_size(32)));
  constexpr int64_t lanes = 8, packs = 4;
  FloatPack best[packs];
  Mask nan = {};
  for (FloatPack &pack : best)
    pack = FloatPack{} + neutral;
  auto combine = [](auto &a, const auto &b) PARALLAX_INLINE_LAMBDA {
    a = (isMax ? b > a : b < a) ? b : a;
  };
  auto take = [&](FloatPack &pack, const float *from) PARALLAX_INLINE_LAMBDA {
    FloatPack value;
    loadPack(value, from);
    nan |= value != value;
    combine(pack, value);
  };
  int64_t i = 0;
  for (; i + packs * lanes <= count; i += packs * lanes)
    for (int64_t pack = 0; pack < packs; ++pack)
      take(best[pack], x + i + pack * lanes);
  for (; i + lanes <= count; i += lanes)
    take(best[0], x + i);
  // What remains, together with items that were taken already.
  if (i < count && count >= lanes)
    take(best[1], x + count - lanes);
  combine(best[0], best[1]);
  combine(best[2], best[3]);
  combine(best[0], best[2]);
  float result = neutral;
  int32_t hasNan = 0;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    combine(result, float(best[0][lane]));
    hasNan |= nan[lane];
  }
  if (count < lanes)
    for (i = 0; i < count; ++i) {
      combine(result, x[i]);
      hasNan |= x[i] != x[i];
    }
  return hasNan ? std::numeric_limits<float>::quiet_NaN() : result;
}

PARALLAX_INLINE float laneMax(const float *x, int64_t count) {
  return laneExtreme<true>(x, count, -std::numeric_limits<float>::infinity());
}

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_KERNELSUPPORT_H
