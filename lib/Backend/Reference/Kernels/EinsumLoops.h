//===- EinsumLoops.h - Products without matrices ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Outer products, products element by element and dot products gain nothing
// from a matrix product, and oneDNN has none for double and integers. All of
// them are one pair of loop nests: over the result, and over what is summed.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_EINSUMLOOPS_H
#define PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_EINSUMLOOPS_H

#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Loops.h"
#include "parallax/Support/Parallel.h"

namespace parallax::kernels {

/// Floats add up in double; integers wrap.
template <typename T>
using ProductSum =
    std::conditional_t<std::is_floating_point_v<T>, double, WrapType<T>>;

template <typename T> struct StridedRow {
  const T *data;
  int64_t stride;
};

/// Calls `loop` with the strides as constants where they are the common ones.
template <typename Fn>
PARALLAX_INLINE void withStrides(int64_t a, int64_t b, Fn loop) {
  std::integral_constant<int64_t, 0> zero;
  std::integral_constant<int64_t, 1> one;
  if (a == 1 && b == 1)
    loop(one, one);
  else if (a == 1 && b == 0)
    loop(one, zero);
  else if (a == 0 && b == 1)
    loop(zero, one);
  else
    loop(a, b);
}

template <typename T>
void multiplyRows(StridedRow<T> a, StridedRow<T> b, T *y, int64_t count) {
  withStrides(a.stride, b.stride, [&](auto aStride, auto bStride) {
    PARALLAX_INDEPENDENT
    for (int64_t i = 0; i < count; ++i)
      y[i] = wrapMul(a.data[i * aStride], b.data[i * bStride]);
  });
}

/// Several sums at a time, since each addition waits for the one before.
template <typename T>
ProductSum<T> dotRows(StridedRow<T> a, StridedRow<T> b, int64_t count) {
  using A = ProductSum<T>;
  constexpr int64_t lanes = 8;
  A sums[lanes] = {};
  withStrides(a.stride, b.stride, [&](auto aStride, auto bStride) {
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        sums[lane] +=
            A(a.data[(i + lane) * aStride]) * A(b.data[(i + lane) * bStride]);
    for (; i < count; ++i)
      sums[0] += A(a.data[i * aStride]) * A(b.data[i * bStride]);
  });
  for (int64_t lane = 1; lane < lanes; ++lane)
    sums[0] += sums[lane];
  return sums[0];
}

/// The operands of all nests are a and b; the result is walked in order.
struct LoopProduct {
  LoopNest<2> result, depth;
  /// The innermost loops of both nests.
  int64_t resultRun, depthRun;
  std::array<int64_t, 2> resultStrides, depthStrides;

  LoopProduct(LoopNest<2> resultLoops, LoopNest<2> depthLoops)
      : result(std::move(resultLoops)), depth(std::move(depthLoops)) {
    resultRun = takeInnermost(result, resultStrides);
    depthRun = takeInnermost(depth, depthStrides);
  }

  static int64_t takeInnermost(LoopNest<2> &nest,
                               std::array<int64_t, 2> &strides) {
    nest.simplify();
    strides = {0, 0};
    if (nest.dims.empty())
      return 1;
    int64_t run = nest.dims.back();
    strides = {nest.strides[0].back(), nest.strides[1].back()};
    nest.resize(nest.dims.size() - 1);
    return run;
  }

  template <typename T> void run(const T *a, const T *b, T *y) const {
    int64_t depthRuns = elementCount(depth.dims);
    int64_t count = elementCount(result.dims) * resultRun;
    parallelFor(
        count, grainFor(depthRuns * depthRun), [&](int64_t begin, int64_t end) {
          Odometer<2> row(result, begin / resultRun);
          // Returns to its start after each result.
          Odometer<2> inner(depth, 0);
          for (int64_t column = begin % resultRun; begin < end; column = 0) {
            int64_t length = std::min(resultRun - column, end - begin);
            const T *aRow = a + row[0] + column * resultStrides[0];
            const T *bRow = b + row[1] + column * resultStrides[1];
            if (depthRuns * depthRun == 1)
              multiplyRows<T>({aRow, resultStrides[0]},
                              {bRow, resultStrides[1]}, y + begin, length);
            else
              for (int64_t i = 0; i < length; ++i)
                y[begin + i] =
                    sumOver(inner, depthRuns, aRow + i * resultStrides[0],
                            bRow + i * resultStrides[1]);
            begin += length;
            row.next();
          }
        });
  }

private:
  template <typename T>
  T sumOver(Odometer<2> &inner, int64_t runs, const T *a, const T *b) const {
    ProductSum<T> sum = 0;
    for (int64_t i = 0; i < runs; ++i, inner.next())
      sum += dotRows<T>({a + inner[0], depthStrides[0]},
                        {b + inner[1], depthStrides[1]}, depthRun);
    return T(sum);
  }
};

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_EINSUMLOOPS_H
