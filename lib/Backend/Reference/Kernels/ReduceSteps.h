//===- ReduceSteps.h - The inner loops of reductions -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Ten reductions consist of seven ways to take in one more element. They are
// instantiated for four types of numbers only (float, double, int64, uint64);
// other types are widened block by block.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_REDUCESTEPS_H
#define PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_REDUCESTEPS_H

#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/VectorMath.h"

namespace parallax::kernels {

enum class Step { Add, AddAbs, AddSquare, AddExp, Mul, Max, Min };
inline constexpr int stepCount = int(Step::Min) + 1;

/// Floats are summed in double.
template <typename W>
using Accumulator = std::conditional_t<std::is_same_v<W, float>, double, W>;

template <Step S> constexpr bool isExtreme() {
  return S == Step::Max || S == Step::Min;
}

/// The type in which a single lane accumulates. An extreme value needs no more
/// precision than the input has.
template <Step S, typename W>
using Lane = std::conditional_t<isExtreme<S>(), W, Accumulator<W>>;

template <Step S, typename A> constexpr A neutral() {
  using Limits = std::numeric_limits<A>;
  if constexpr (S == Step::Mul)
    return A(1);
  else if constexpr (S == Step::Max)
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  else if constexpr (S == Step::Min)
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  else
    return A(0);
}

template <Step S, typename A> PARALLAX_INLINE A combine(A a, A b) {
  if constexpr (S == Step::Mul)
    return wrapMul(a, b);
  else if constexpr (S == Step::Max)
    return maximum(a, b);
  else if constexpr (S == Step::Min)
    return minimum(a, b);
  else
    return wrapAdd(a, b);
}

/// What element x contributes. `shift` keeps exponentials in range.
template <Step S, typename W>
PARALLAX_INLINE Lane<S, W> contribution(W x, [[maybe_unused]] W shift) {
  using A = Lane<S, W>;
  if constexpr (S == Step::AddAbs) {
    if constexpr (std::is_floating_point_v<W>)
      return A(std::fabs(x));
    else
      return x < W(0) ? wrapSub(W(0), x) : x;
  } else if constexpr (S == Step::AddSquare) {
    return wrapMul(A(x), A(x));
  } else if constexpr (S == Step::AddExp) {
    // Integers were widened to double before.
    if constexpr (std::is_floating_point_v<W>)
      return A(vm::exp(x - shift));
    else
      return A(0);
  } else {
    return A(x);
  }
}

/// The combination of `count` consecutive elements, in an order that depends on
/// nothing but `count`.
template <Step S, typename W>
PARALLAX_INLINE Accumulator<W> reduceRowLoop(const W *x, int64_t count,
                                             W shift) {
  using A = Lane<S, W>;
  if constexpr (isExtreme<S>() && std::is_same_v<W, float>)
    return laneExtreme<S == Step::Max>(x, count, neutral<S, W>());
  constexpr int64_t lanes = 16;
  int64_t full = count / lanes * lanes;
  A rest = neutral<S, A>();
  for (int64_t i = full; i < count; ++i)
    rest = combine<S>(rest, contribution<S>(x[i], shift));
  if (full > 0) {
    A lane[lanes];
    for (A &value : lane)
      value = neutral<S, A>();
    for (int64_t i = 0; i < full; i += lanes)
      for (int64_t j = 0; j < lanes; ++j)
        lane[j] = combine<S>(lane[j], contribution<S>(x[i + j], shift));
    for (int64_t width = lanes / 2; width > 0; width /= 2)
      for (int64_t j = 0; j < width; ++j)
        lane[j] = combine<S>(lane[j], lane[j + width]);
    rest = combine<S>(lane[0], rest);
  }
  return Accumulator<W>(rest);
}

/// Exponentials are computed apart from their sum: the lanes of the sum are too
/// many for the registers that the function needs.
template <typename W>
PARALLAX_INLINE Accumulator<W> reduceExpRowLoop(const W *x, int64_t count,
                                                W shift) {
  constexpr int64_t blockSize = 256;
  Accumulator<W> block[blockSize], sum = 0;
  for (int64_t begin = 0; begin < count; begin += blockSize) {
    int64_t length = std::min(blockSize, count - begin);
    for (int64_t i = 0; i < length; ++i)
      block[i] = contribution<Step::AddExp>(x[begin + i], shift);
    sum += reduceRowLoop<Step::Add>(block, length, Accumulator<W>(0));
  }
  return sum;
}

/// Several rows of equal length, combined column by column.
template <typename W> struct ColumnRows {
  const W *x;
  int64_t rows, rowStride, columns;
};

template <Step S, typename W>
PARALLAX_INLINE void reduceColumnsLoop(const ColumnRows<W> &in, const W *shifts,
                                       Accumulator<W> *results) {
  using A = Lane<S, W>;
  const W *x = in.x;
  int64_t columns = in.columns;
  for (int64_t row = 0; row < in.rows; ++row, x += in.rowStride) {
    PARALLAX_INDEPENDENT
    for (int64_t i = 0; i < columns; ++i)
      results[i] = Accumulator<W>(
          combine<S>(A(results[i]), contribution<S>(x[i], shifts[i])));
  }
}

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_REDUCESTEPS_H
