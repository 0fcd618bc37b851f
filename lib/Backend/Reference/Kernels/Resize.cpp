//===- Resize.cpp - Reference kernels: applying a resize plan -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An output row (the last resized axis and what is inside of it) is made in two
// steps: the input rows that the leading axes combine are blended into one,
// along contiguous memory, and that row is then resampled.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Resize.h"

#include "parallax/Backend/Reference/Kernels/KernelSupport.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cstring>

namespace parallax::kernels {
namespace {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename T>
PARALLAX_INLINE void accumulate(const T *x, T *sum, int64_t count, T weight,
                                bool first) {
  if (first)
    for (int64_t i = 0; i < count; ++i)
      sum[i] = x[i] * weight;
  else
    for (int64_t i = 0; i < count; ++i)
      sum[i] += x[i] * weight;
}

template <typename T>
PARALLAX_INLINE void resample(const T *x, T *y, const ResizeAxis &axis,
                              int64_t inner) {
  const int32_t *index = axis.index.data();
  const float *weight = axis.weight.data();
  if (inner == 1 && axis.taps == 2) {
    for (int64_t o = 0; o < axis.out; ++o)
      y[o] = x[index[2 * o]] * T(weight[2 * o]) +
             x[index[2 * o + 1]] * T(weight[2 * o + 1]);
    return;
  }
  for (int64_t o = 0; o < axis.out; ++o) {
    if (inner == 1) {
      T sum = 0;
      for (int64_t t = 0; t < axis.taps; ++t)
        sum += x[index[o * axis.taps + t]] * T(weight[o * axis.taps + t]);
      y[o] = sum;
      continue;
    }
    for (int64_t t = 0; t < axis.taps; ++t)
      accumulate(x + index[o * axis.taps + t] * inner, y + o * inner, inner,
                 T(weight[o * axis.taps + t]), t == 0);
  }
}

void accumulateRow(const double *x, double *sum, int64_t count, double weight,
                   bool first) {
  accumulate(x, sum, count, weight, first);
}
PARALLAX_SIMD void accumulateRow(const float *x, float *sum, int64_t count,
                                 float weight, bool first) {
  accumulate(x, sum, count, weight, first);
}

void resampleRow(const double *x, double *y, const ResizeAxis &axis,
                 int64_t inner) {
  resample(x, y, axis, inner);
}
PARALLAX_SIMD void resampleRow(const float *x, float *y, const ResizeAxis &axis,
                               int64_t inner) {
  resample(x, y, axis, inner);
}

/// Nearest only moves elements: T is any type of their size.
template <typename T>
void selectRow(const T *x, T *y, const ResizeAxis &axis, int64_t inner) {
  if (inner == 1)
    for (int64_t o = 0; o < axis.out; ++o)
      y[o] = x[axis.index[o]];
  else
    for (int64_t o = 0; o < axis.out; ++o)
      std::copy_n(x + axis.index[o] * inner, inner, y + o * inner);
}

//===----------------------------------------------------------------------===//
// The leading axes
//===----------------------------------------------------------------------===//

/// Walks through the output rows of a plan.
class RowWalker {
public:
  explicit RowWalker(const ResizePlan &plan)
      : plan(plan), leading(plan.axes.data(), plan.axes.size() - 1) {
    rows = plan.outer;
    for (const ResizeAxis &axis : leading)
      rows *= axis.out;
  }

  const ResizeAxis &last() const { return plan.axes.back(); }

  /// Calls fn(input row, weight) for each input row that contributes.
  template <typename Fn> void forEachInput(int64_t row, Fn fn) const {
    int64_t stride = 1;
    for (const ResizeAxis &axis : leading)
      stride *= axis.out;
    visit(0, row % stride, stride, row / stride, 1.0, fn);
  }

  /// Whether a leading axis puts the whole row outside of the input.
  bool isOutside(int64_t row) const {
    for (size_t i = leading.size(); i-- > 0;) {
      if (!leading[i].outside.empty() &&
          leading[i].outside[row % leading[i].out])
        return true;
      row /= leading[i].out;
    }
    return false;
  }

  int64_t rows;

private:
  template <typename Fn>
  void visit(size_t dim, int64_t rest, int64_t stride, int64_t base,
             double weight, Fn &fn) const {
    if (dim == leading.size())
      return fn(base, weight);
    const ResizeAxis &axis = leading[dim];
    stride /= axis.out;
    int64_t entry = rest / stride * axis.taps;
    for (int64_t t = entry; t < entry + axis.taps; ++t)
      if (axis.weight[t] != 0)
        visit(dim + 1, rest % stride, stride, base * axis.in + axis.index[t],
              weight * axis.weight[t], fn);
  }

  const ResizePlan &plan;
  std::span<const ResizeAxis> leading;
};

bool selectsOnly(const ResizePlan &plan) {
  return std::all_of(plan.axes.begin(), plan.axes.end(),
                     [](const ResizeAxis &axis) { return axis.taps == 1; });
}

template <typename T>
void fillOutside(const RowWalker &walker, int64_t row, T *y, int64_t inner,
                 T value) {
  const ResizeAxis &axis = walker.last();
  if (walker.isOutside(row)) {
    std::fill_n(y, axis.out * inner, value);
    return;
  }
  if (!axis.outside.empty())
    for (int64_t o = 0; o < axis.out; ++o)
      if (axis.outside[o])
        std::fill_n(y + o * inner, inner, value);
}

template <typename T>
void interpolate(const ResizePlan &plan, const Tensor &x, Tensor &y) {
  RowWalker walker(plan);
  const ResizeAxis &last = walker.last();
  int64_t rowIn = last.in * plan.inner, rowOut = last.out * plan.inner;
  const T *from = x.data<T>();
  T *to = y.data<T>();
  auto body = [&](int64_t begin, int64_t end) {
    std::vector<T> blended(rowIn);
    for (int64_t row = begin; row < end; ++row) {
      // The first row is only touched once a second one shows that there is
      // something to blend.
      const T *source = nullptr;
      double firstWeight = 1;
      walker.forEachInput(row, [&](int64_t inputRow, double weight) {
        const T *input = from + inputRow * rowIn;
        if (!source) {
          source = input;
          firstWeight = weight;
          return;
        }
        if (source != blended.data())
          accumulateRow(source, blended.data(), rowIn, T(firstWeight), true);
        source = blended.data();
        firstWeight = 1;
        accumulateRow(input, blended.data(), rowIn, T(weight), false);
      });
      if (firstWeight != 1) {
        accumulateRow(source, blended.data(), rowIn, T(firstWeight), true);
        source = blended.data();
      }
      resampleRow(source, to + row * rowOut, last, plan.inner);
      fillOutside(walker, row, to + row * rowOut, plan.inner,
                  T(plan.extrapolationValue));
    }
  };
  parallelFor(walker.rows, grainFor(2 * rowIn + last.taps * rowOut), body);
}

/// Moves elements of the unsigned type Bits; `outside` has its bits.
template <typename Bits>
void select(const ResizePlan &plan, const Tensor &x, Tensor &y, Bits outside) {
  RowWalker walker(plan);
  const ResizeAxis &last = walker.last();
  int64_t rowIn = last.in * plan.inner, rowOut = last.out * plan.inner;
  const Bits *from = static_cast<const Bits *>(x.rawData());
  Bits *to = static_cast<Bits *>(y.rawData());
  parallelFor(walker.rows, grainFor(rowOut), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      walker.forEachInput(row, [&](int64_t inputRow, double) {
        selectRow(from + inputRow * rowIn, to + row * rowOut, last, plan.inner);
      });
      fillOutside(walker, row, to + row * rowOut, plan.inner, outside);
    }
  });
}

} // namespace

void resize(const ResizePlan &plan, const Tensor &x, Tensor &y) {
  if (y.size() == 0)
    return;
  if (plan.axes.empty()) {
    std::memcpy(y.rawData(), x.rawData(), x.byteSize());
    return;
  }
  if (!selectsOnly(plan)) {
    if (x.dtype() == DType::F32)
      return interpolate<float>(plan, x, y);
    if (x.dtype() == DType::F64)
      return interpolate<double>(plan, x, y);
    throwUnsupported("Resize with interpolation", x.dtype());
  }
  dispatch(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T outside = T(plan.extrapolationValue);
    if constexpr (sizeof(T) == 1)
      select(plan, x, y, std::bit_cast<uint8_t>(outside));
    else if constexpr (sizeof(T) == 2)
      select(plan, x, y, std::bit_cast<uint16_t>(outside));
    else if constexpr (sizeof(T) == 4)
      select(plan, x, y, std::bit_cast<uint32_t>(outside));
    else
      select(plan, x, y, std::bit_cast<uint64_t>(outside));
  });
}

} // namespace parallax::kernels
