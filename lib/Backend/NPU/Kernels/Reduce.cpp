//===- Reduce.cpp - Integer kernels: sums along axes ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Exact sums have no order: each result walks the reduced axes on its own.
// Logarithms are those of log-softmax.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Reduce.h"

#include "Vectorize.h"
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/Kernels/Loops.h"
#include "parallax/Support/Parallel.h"

#include <cmath>
#include <tuple>

namespace parallax::npu {

Multiplier sumMultiplier(SumKind kind, float xScale, float yScale,
                         int64_t count, int multiplierBits) {
  switch (kind) {
  case SumKind::Sum:
  case SumKind::L1:
  case SumKind::L2:
    return multiplierFor(double(xScale) / double(yScale), multiplierBits);
  case SumKind::Mean:
    return count == 0 ? Multiplier()
                      : multiplierFor(double(xScale) /
                                          (double(yScale) * double(count)),
                                      multiplierBits);
  case SumKind::SumSquare:
    break;
  }
  return multiplierFor(double(xScale) * double(xScale) / double(yScale),
                       multiplierBits);
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
    bool squares = kind == SumKind::SumSquare || kind == SumKind::L2;
    sum += squares                            ? value * value
           : kind == SumKind::L1 && value < 0 ? -value
                                              : value;
  }
  return sum;
}

int64_t requantizeRoot(int64_t sum, Multiplier m, Rounding rounding) {
  return roundShift<int64_t>(rootOf(Int128(sum) * m.mantissa * m.mantissa),
                             m.shift, rounding);
}

/// Stores fn(first element, the reduced axes) for every result.
template <typename Fn>
static void forEachReduced(const Tensor &x, Tensor &y,
                           std::span<const int64_t> axes, Fn fn) {
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
    dispatchResult("reduce", y, [&]<typename T>(T *to) {
      const A *from = x.data<A>();
      parallelFor(y.size(), rowGrain(elementCount(reduced.dims)),
                  [&](int64_t begin, int64_t end) {
                    kernels::Odometer<1> at(kept, begin);
                    for (int64_t i = begin; i < end; ++i, at.next())
                      to[i] = T(fn(from + at[0], reduced));
                  });
    });
  });
}

namespace {
/// Sums of `count` rows, some columns at a time.
template <typename A> struct AddRows {
  PARALLAX_INLINE static void run(const A *x, int64_t count, int64_t stride,
                                  int64_t columns, int64_t *__restrict sums) {
    // So many codes of any type can be added in 32 bits.
    constexpr int64_t most = 1 << 15;
    constexpr int64_t width = 32;
    for (int64_t c = 0; c < columns; c += width) {
      int64_t here = std::min(width, columns - c);
      for (int64_t first = 0; first < count; first += most) {
        int32_t part[width] = {};
        int64_t last = std::min(first + most, count);
        if (here == width)
          for (int64_t r = first; r < last; ++r)
            for (int64_t i = 0; i < width; ++i)
              part[i] += x[r * stride + c + i];
        else
          for (int64_t r = first; r < last; ++r)
            for (int64_t i = 0; i < here; ++i)
              part[i] += x[r * stride + c + i];
        for (int64_t i = 0; i < here; ++i)
          sums[c + i] += part[i];
      }
    }
  }
};

template <typename A> struct AddRun {
  PARALLAX_INLINE static void run(const A *x, int64_t count, int64_t *sum) {
    constexpr int64_t most = 1 << 15;
    for (int64_t first = 0; first < count; first += most) {
      int32_t part = 0;
      for (int64_t i = first; i < std::min(first + most, count); ++i)
        part += x[i];
      *sum += part;
    }
  }
};
} // namespace

/// x as [outer, count, inner]: sums along the middle.
static void sumMiddle(const Tensor &x, int64_t xZero, Tensor &y, int64_t count,
                      int64_t inner, Multiplier multiplier,
                      const OutputCodes &output) {
  constexpr int64_t columns = 64;
  int64_t parts = (inner + columns - 1) / columns;
  dispatchCodes("reduce", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("reduce", y, [&]<typename T>(T *codes) {
      auto addRows = vectorized<AddRows<A>>();
      auto addRun = vectorized<AddRun<A>>();
      parallelFor(
          y.size() / inner * parts, rowGrain(count * std::min(inner, columns)),
          [&](int64_t begin, int64_t end) {
            for (int64_t task = begin; task < end; ++task) {
              int64_t row = task / parts, first = task % parts * columns;
              int64_t here = std::min(columns, inner - first);
              const A *from = x.data<A>() + row * count * inner + first;
              int64_t sums[columns] = {};
              if (inner == 1)
                addRun(from, count, sums);
              else
                addRows(from, count, inner, here, sums);
              T *to = codes + row * inner + first;
              for (int64_t i = 0; i < here; ++i)
                to[i] = T(output.code(requantize(sums[i] - count * xZero,
                                                 multiplier, output.rounding)));
            }
          });
    });
  });
}

void reduceSum(SumKind kind, const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const int64_t> axes, Multiplier multiplier,
               const OutputCodes &output) {
  bool isPlainSum = kind == SumKind::Sum || kind == SumKind::Mean;
  if (isPlainSum && !axes.empty() && y.size() > 0 &&
      axes.back() - axes.front() + 1 == int64_t(axes.size())) {
    std::span<const int64_t> dims(x.shape());
    return sumMiddle(
        x, xZero, y,
        elementCount(dims.subspan(size_t(axes.front()), axes.size())),
        elementCount(dims.subspan(size_t(axes.back()) + 1)), multiplier,
        output);
  }
  forEachReduced(x, y, axes,
                 [&](const auto *from, const kernels::LoopNest<1> &nest) {
                   int64_t sum = sumOver(kind, from, xZero, nest);
                   return output.code(
                       kind == SumKind::L2
                           ? requantizeRoot(sum, multiplier, output.rounding)
                           : requantize(sum, multiplier, output.rounding));
                 });
}

void cumSum(const Tensor &x, int64_t xZero, Tensor &y,
            const CumSumParams &params, Multiplier multiplier,
            const OutputCodes &output) {
  kernels::AxisSplit split = kernels::splitAt(x.shape(), params.axis);
  int64_t count = split.count, inner = split.inner;
  dispatchCodes("cum_sum", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("cum_sum", y, [&]<typename T>(T *codes) {
      parallelFor(split.outer * inner, rowGrain(count),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t r = begin; r < end; ++r) {
                      int64_t first = r / inner * count * inner + r % inner;
                      int64_t sum = 0;
                      for (int64_t i = 0; i < count; ++i) {
                        int64_t place = params.reverse ? count - 1 - i : i;
                        int64_t at = first + place * inner;
                        int64_t value = int64_t(x.data<A>()[at]) - xZero;
                        int64_t shown = params.exclusive ? sum : sum + value;
                        sum += value;
                        codes[at] = T(output.code(
                            requantize(shown, multiplier, output.rounding)));
                      }
                    }
                  });
    });
  });
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

LogSumTables logSumTables(float xScale, float yScale, int multiplierBits) {
  LogSumTables tables;
  tables.logarithms = logarithmTable();
  Multiplier logarithm =
      multiplierFor(std::ldexp(1.0 / double(yScale), -20), multiplierBits);
  tables.logarithm = logarithm.mantissa;
  tables.shift = logarithm.shift;
  tables.offset = roundHalfEven(std::ldexp(std::log(double(xScale)), 20));
  return tables;
}

/// The greatest code, and the sum of exponentials of the distances to it.
template <typename A>
static std::pair<int64_t, int64_t>
exponentialsOver(const A *x, const kernels::LoopNest<1> &nest,
                 const ExponentTable &exponents) {
  int64_t count = elementCount(nest.dims), greatest = x[0], sum = 0;
  for (bool isSum : {false, true}) {
    kernels::Odometer<1> at(nest, 0);
    for (int64_t i = 0; i < count; ++i, at.next())
      if (isSum)
        sum += exponents(greatest - int64_t(x[at[0]]));
      else
        greatest = std::max<int64_t>(greatest, x[at[0]]);
  }
  return {greatest, sum};
}

void reduceLog(const Tensor &x, int64_t xZero, Tensor &y,
               std::span<const int64_t> axes, const LogSumTables &tables,
               const OutputCodes &output) {
  const std::vector<int64_t> &logarithms = tables.logarithms;
  auto steps = [&](const auto *from, const kernels::LoopNest<1> &nest) {
    int64_t sum = 0, offset = tables.offset, distance = 0;
    if (tables.exponents.fine.empty()) {
      sum = sumOver(SumKind::Sum, from, xZero, nest);
    } else if (elementCount(nest.dims) > 0) {
      int64_t greatest = 0;
      std::tie(greatest, sum) = exponentialsOver(from, nest, tables.exponents);
      distance = (greatest - xZero) * tables.distance;
      // Exponentials have 30 bits behind the point.
      offset = -30 * logarithms[256];
    }
    if (sum <= 0)
      return output.low;
    int64_t logarithm = logarithmOf(sum, logarithms) + offset;
    return output.code(
        roundShift<int64_t>(logarithm * tables.logarithm + distance,
                            tables.shift, output.rounding));
  };
  forEachReduced(x, y, axes, steps);
}

} // namespace parallax::npu
