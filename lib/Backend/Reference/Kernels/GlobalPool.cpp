//===- GlobalPool.cpp - Reference kernels: global pooling -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A global window is a long contiguous sum: what matters here is that its error
// doesn't grow with the image, not where a window falls.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Pool.h"

#include "PoolDetail.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

namespace parallax::kernels {
namespace {

PARALLAX_SIMD float planeMax(const float *x, int64_t count) {
  return laneMax(x, count);
}
template <typename T> T planeMax(const T *x, int64_t count) {
  T best = lowestOf<T>();
  for (int64_t i = 0; i < count; ++i)
    best = maximum(best, x[i]);
  return best;
}

PARALLAX_SIMD double planeSum(const float *x, int64_t count) {
  return laneSum(x, count, PlainValue());
}
PARALLAX_SIMD double planeAbsSum(const float *x, int64_t count) {
  return laneSum(x, count, AbsoluteValue());
}
PARALLAX_SIMD double planeSquareSum(const float *x, int64_t count) {
  return laneSum(x, count, SquareValue());
}

template <typename T, typename Map>
double mappedSum(const T *x, int64_t count, Map map) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += map(double(x[i]));
  return sum;
}

template <typename T>
double powerSum(const T *x, int64_t count, PoolKind kind, int64_t p) {
  bool plain = kind == PoolKind::Average;
  if constexpr (std::is_same_v<T, float>)
    if (plain || p == 1 || p == 2)
      return plain    ? planeSum(x, count)
             : p == 1 ? planeAbsSum(x, count)
                      : planeSquareSum(x, count);
  return plain ? mappedSum(x, count, [](double v) { return v; })
               : mappedSum(x, count, [p](double v) {
                   return std::pow(std::abs(v), double(p));
                 });
}

} // namespace

void globalPool(const Tensor &x, Tensor &y, PoolKind kind, int64_t p) {
  AxisSplit split = splitAt(x.shape(), 2, x.rank());
  int64_t count = split.count;
  auto forEachPlane = [&](auto fn) {
    parallelFor(split.outer, grainFor(count), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane)
        fn(plane);
    });
  };
  if (kind == PoolKind::Max)
    return dispatchOrdered("GlobalMaxPool", x, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T *from = x.data<T>();
      T *to = y.data<T>();
      forEachPlane([&](int64_t plane) {
        to[plane] = planeMax(from + plane * count, count);
      });
    });
  dispatchReal("GlobalPool", x, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = x.data<T>();
    T *to = y.data<T>();
    forEachPlane([&](int64_t plane) {
      double sum = powerSum(from + plane * count, count, kind, p);
      to[plane] = T(kind == PoolKind::Average
                        ? sum / double(std::max<int64_t>(count, 1))
                        : root(sum, p));
    });
  });
}

} // namespace parallax::kernels
