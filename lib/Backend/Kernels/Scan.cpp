//===- Scan.cpp - ArgMax, TopK and CumSum ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that walk along one axis and need the position, not only the value.
// A tensor is seen as [outer, axis, inner]; with a large inner part they walk
// whole rows, which keeps memory accesses contiguous.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Scan.h"
#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <fmt/format.h>
#include <numeric>

namespace parallax::kernels {
namespace {

constexpr int64_t scanLength = 256;

struct AxisView {
  AxisView(const Tensor &x, int64_t axis) : length(x.dim(axis)) {
    for (int64_t i = 0; i < x.rank(); ++i)
      (i < axis ? outer : inner) *= i == axis ? 1 : x.dim(i);
  }

  int64_t outer = 1, length, inner = 1;

  /// Calls `fn(outer index, first column, columns)` for blocks of columns.
  template <typename Fn> void forEachBlock(Fn fn) const {
    int64_t perRow = (inner + scanLength - 1) / scanLength;
    int64_t width = std::min(inner, scanLength);
    parallelFor(outer * perRow, grainFor(length * width),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    int64_t column = i % perRow * scanLength;
                    fn(i / perRow, column,
                       std::min(scanLength, inner - column));
                  }
                });
  }
};

/// Calls fn with the element type, bool as a byte.
template <typename Fn>
void dispatchArithmetic(DType type, std::string_view op, Fn &&fn) {
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>)
      fn(TypeTag<uint8_t>{});
    else if constexpr (std::is_arithmetic_v<T>)
      fn(tag);
    else
      throw Error(fmt::format("{} does not compute in {}; insert a Cast to "
                              "float32 before it",
                              op, nameOf(type)));
  });
}

/// A total order in which NaN is the largest number.
template <typename T> PARALLAX_INLINE bool isLess(T a, T b) {
  return a < b || (isNan(b) && !isNan(a));
}

/// Whether `value` replaces `best` as the extreme element.
template <bool isMax, bool selectLast, typename T>
PARALLAX_INLINE bool replaces(T value, T best) {
  if (isNan(best)) // wins against every number in both directions
    return selectLast && isNan(value);
  bool isBetter = isMax ? value > best : value < best;
  return isBetter || isNan(value) || (selectLast && value == best);
}

template <bool isMax, bool selectLast, typename T>
void argReduceBlock(const T *x, int64_t length, int64_t stride, int64_t columns,
                    int64_t *y) {
  T best[scanLength];
  std::copy_n(x, columns, best);
  // Indices as wide as most elements are, for the sake of vectors.
  int32_t bestRow[scanLength] = {};
  for (int32_t row = 1; row < length; ++row) {
    const T *values = x + row * stride;
    for (int64_t i = 0; i < columns; ++i) {
      bool takes = replaces<isMax, selectLast>(values[i], best[i]);
      best[i] = takes ? values[i] : best[i];
      bestRow[i] = takes ? row : bestRow[i];
    }
  }
  std::copy_n(bestRow, columns, y);
}

template <typename T>
void topkLane(const T *x, int64_t stride, int64_t k, bool largest, bool sorted,
              std::vector<int64_t> &order, T *values, int64_t *indices) {
  std::iota(order.begin(), order.end(), 0);
  auto precedes = [=](int64_t i, int64_t j) {
    T a = x[i * stride], b = x[j * stride];
    bool before = largest ? isLess(b, a) : isLess(a, b);
    bool after = largest ? isLess(a, b) : isLess(b, a);
    return before || (!after && i < j);
  };
  auto middle = order.begin() + k;
  if (middle != order.end())
    std::nth_element(order.begin(), middle, order.end(), precedes);
  if (sorted)
    std::sort(order.begin(), middle, precedes);
  for (int64_t i = 0; i < k; ++i) {
    values[i * stride] = x[order[size_t(i)] * stride];
    indices[i * stride] = order[size_t(i)];
  }
}

/// `fixedColumns`, if not 0, is the number of columns.
template <int64_t fixedColumns, typename T>
void cumsumBlock(const T *x, T *y, const AxisView &view, int64_t columns,
                 bool exclusive, bool reverse) {
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
  Sum sums[fixedColumns ? fixedColumns : scanLength] = {};
  columns = fixedColumns ? fixedColumns : columns;
  for (int64_t step = 0; step < view.length; ++step) {
    int64_t row = (reverse ? view.length - 1 - step : step) * view.inner;
    for (int64_t i = 0; i < columns; ++i) {
      Sum before = sums[i];
      sums[i] = wrapAdd(before, Sum(x[row + i]));
      y[row + i] = T(exclusive ? before : sums[i]);
    }
  }
}

} // namespace

void argReduce(bool isMax, const Tensor &x, Tensor &y, int64_t axis,
               bool selectLast) {
  AxisView view(x, axis);
  int64_t *to = y.data<int64_t>();
  if (y.size() == 0)
    return;
  if (view.length == 0)
    throw Error(fmt::format("{} over axis {}, which has no elements; check the "
                            "model's inputs",
                            isMax ? "ArgMax" : "ArgMin", axis));
  dispatchArithmetic(x.dtype(), "ArgMax", [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto *from = static_cast<const T *>(x.rawData());
    auto *reduceBlock = isMax ? (selectLast ? argReduceBlock<true, true, T>
                                            : argReduceBlock<true, false, T>)
                              : (selectLast ? argReduceBlock<false, true, T>
                                            : argReduceBlock<false, false, T>);
    view.forEachBlock([&](int64_t o, int64_t column, int64_t columns) {
      reduceBlock(from + o * view.length * view.inner + column, view.length,
                  view.inner, columns, to + o * view.inner + column);
    });
  });
}

void topk(const Tensor &x, Tensor &values, Tensor &indices, int64_t axis,
          bool largest, bool sorted) {
  AxisView view(x, axis);
  int64_t k = values.dim(axis);
  dispatchArithmetic(x.dtype(), "TopK", [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto *from = static_cast<const T *>(x.rawData());
    auto *to = static_cast<T *>(values.rawData());
    int64_t *positions = indices.data<int64_t>();
    parallelFor(view.outer * view.inner, grainFor(8 * view.length),
                [&](int64_t begin, int64_t end) {
                  std::vector<int64_t> order(size_t(view.length));
                  for (int64_t lane = begin; lane < end; ++lane) {
                    int64_t o = lane / view.inner, i = lane % view.inner;
                    int64_t target = o * k * view.inner + i;
                    topkLane(from + o * view.length * view.inner + i,
                             view.inner, k, largest, sorted, order, to + target,
                             positions + target);
                  }
                });
  });
}

void cumsum(const Tensor &x, Tensor &y, int64_t axis, bool exclusive,
            bool reverse) {
  AxisView view(x, axis);
  dispatchArithmetic(x.dtype(), "CumSum", [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto *from = static_cast<const T *>(x.rawData());
    auto *to = static_cast<T *>(y.rawData());
    view.forEachBlock([&](int64_t o, int64_t column, int64_t columns) {
      int64_t offset = o * view.length * view.inner + column;
      auto *block = columns == 1 ? cumsumBlock<1, T> : cumsumBlock<0, T>;
      block(from + offset, to + offset, view, columns, exclusive, reverse);
    });
  });
}

} // namespace parallax::kernels
