//===- Reduce.cpp - Integer kernels: sums along axes ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Exact sums have no order: each result walks the reduced axes on its own.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Reduce.h"

#include "parallax/Backend/Reference/Kernels/Loops.h"
#include "parallax/Support/Parallel.h"

namespace parallax::npu {

Multiplier sumMultiplier(SumKind kind, float xScale, float yScale,
                         int64_t count) {
  switch (kind) {
  case SumKind::Sum:
  case SumKind::L1:
    return multiplierFor(double(xScale) / double(yScale));
  case SumKind::Mean:
    return count == 0 ? Multiplier()
                      : multiplierFor(double(xScale) /
                                      (double(yScale) * double(count)));
  case SumKind::SumSquare:
    break;
  }
  return multiplierFor(double(xScale) * double(xScale) / double(yScale));
}

/// The sum of what a kind makes of each element of a loop nest.
template <typename A>
static int64_t sumOver(SumKind kind, const A *x, int64_t zero,
                       const kernels::LoopNest<1> &nest) {
  int64_t sum = 0, count = elementCount(nest.dims);
  if (count == 0)
    return 0;
  kernels::Odometer<1> at(nest, 0);
  for (int64_t i = 0; i < count; ++i, at.next()) {
    int64_t value = int64_t(x[at[0]]) - zero;
    sum += kind == SumKind::SumSquare         ? value * value
           : kind == SumKind::L1 && value < 0 ? -value
                                              : value;
  }
  return sum;
}

void reduceSum(SumKind kind, const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const int64_t> axes, Multiplier multiplier,
               const OutputCodes &output) {
  Shape strides = stridesOf(x.shape());
  kernels::LoopNest<1> kept, reduced;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    bool isReduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    kernels::LoopNest<1> &nest = isReduced ? reduced : kept;
    nest.dims.push_back(x.dim(axis));
    nest.strides[0].push_back(strides[axis]);
  }
  kept.simplify();
  reduced.simplify();
  dispatchCodes("reduce", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("reduce", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.data<A>();
      T *to = y.data<T>();
      parallelFor(y.size(), rowGrain(elementCount(reduced.dims)),
                  [&](int64_t begin, int64_t end) {
                    kernels::Odometer<1> at(kept, begin);
                    for (int64_t i = begin; i < end; ++i, at.next()) {
                      int64_t sum = sumOver(kind, from + at[0], xZero, reduced);
                      to[i] = T(output.code(
                          requantize(sum, multiplier, output.rounding)));
                    }
                  });
    });
  });
}

} // namespace parallax::npu
