//===- Resize.cpp - Reference kernels: applying a resize plan -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An output row (the last resized axis and what is inside of it) is made in two
// steps: the input rows that the leading axes combine are blended into one,
// along contiguous memory, and that row is then resampled. Where the leading
// axes grow, the steps change places: an input row is resampled once and
// blended into several output rows.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Resize.h"

#include "parallax/Backend/Kernels/KernelSupport.h"
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

/// Pixels of `inner` values, whose sums stay in registers.
template <int64_t inner, typename T>
PARALLAX_INLINE void resampleBlocks(const T *x, T *y, const ResizeAxis &axis) {
  const int32_t *index = axis.index.data();
  const float *weight = axis.weight.data();
  for (int64_t o = 0; o < axis.out; ++o, y += inner) {
    T sums[inner] = {};
    for (int64_t t = 0; t < axis.taps; ++t, ++index, ++weight)
      for (int64_t i = 0; i < inner; ++i)
        sums[i] += x[*index * inner + i] * T(*weight);
    std::copy_n(sums, inner, y);
  }
}

template <typename T>
PARALLAX_INLINE void resample(const T *x, T *y, const ResizeAxis &axis,
                              int64_t inner) {
  const int32_t *index = axis.index.data();
  const float *weight = axis.weight.data();
  if (inner == 1 && axis.taps == 2) {
    PARALLAX_INDEPENDENT
    for (int64_t o = 0; o < axis.out; ++o)
      y[o] = x[index[2 * o]] * T(weight[2 * o]) +
             x[index[2 * o + 1]] * T(weight[2 * o + 1]);
    return;
  }
  if (inner == 1) {
    for (int64_t o = 0; o < axis.out; ++o) {
      T sum = 0;
      for (int64_t t = 0; t < axis.taps; ++t)
        sum += x[index[o * axis.taps + t]] * T(weight[o * axis.taps + t]);
      y[o] = sum;
    }
    return;
  }
  if (inner == 8)
    return resampleBlocks<8>(x, y, axis);
  if (inner == 16)
    return resampleBlocks<16>(x, y, axis);
  for (int64_t o = 0; o < axis.out; ++o)
    for (int64_t t = 0; t < axis.taps; ++t)
      accumulate(x + index[o * axis.taps + t] * inner, y + o * inner, inner,
                 T(weight[o * axis.taps + t]), t == 0);
}

/// A sum of rows that stay as they are.
template <typename T>
PARALLAX_INLINE void blend(std::span<const T *const> rows, const T *weights,
                           T *y, int64_t count) {
  if (rows.size() < 2)
    return accumulate(rows[0], y, count, weights[0], true);
  const T *first = rows[0], *second = rows[1];
  T firstWeight = weights[0], secondWeight = weights[1];
  for (int64_t i = 0; i < count; ++i)
    y[i] = first[i] * firstWeight + second[i] * secondWeight;
  for (size_t r = 2; r < rows.size(); ++r)
    accumulate(rows[r], y, count, weights[r], false);
}

void blendRows(std::span<const double *const> rows, const double *weights,
               double *y, int64_t count) {
  blend(rows, weights, y, count);
}
PARALLAX_SIMD void blendRows(std::span<const float *const> rows,
                             const float *weights, float *y, int64_t count) {
  blend(rows, weights, y, count);
}

void resampleRow(const double *x, double *y, const ResizeAxis &axis,
                 int64_t inner) {
  resample(x, y, axis, inner);
}
PARALLAX_SIMD void resampleRow(const float *x, float *y, const ResizeAxis &axis,
                               int64_t inner) {
  resample(x, y, axis, inner);
}

/// Nearest only moves elements: T is any type of their size. A constant number
/// of them makes a move of a register out of each.
template <typename T, typename Inner>
PARALLAX_INLINE void selectPixels(const T *x, T *y, const ResizeAxis &axis,
                                  Inner inner) {
  const int32_t *index = axis.index.data();
  int64_t out = axis.out;
  for (int64_t o = 0; o < out; ++o)
    std::memcpy(y + o * inner, x + index[o] * inner, size_t(inner) * sizeof(T));
}

template <typename T>
void selectRow(const T *x, T *y, const ResizeAxis &axis, int64_t inner) {
  if (inner == 1)
    selectPixels(x, y, axis, std::integral_constant<int64_t, 1>());
  else if (inner == 8)
    selectPixels(x, y, axis, std::integral_constant<int64_t, 8>());
  else if (inner == 16)
    selectPixels(x, y, axis, std::integral_constant<int64_t, 16>());
  else
    selectPixels(x, y, axis, inner);
}

//===----------------------------------------------------------------------===//
// The leading axes
//===----------------------------------------------------------------------===//

/// Which input rows make an output row: worked out once for all leading axes
/// together, since it is the same for each of the `outer` parts.
class RowWalker {
public:
  explicit RowWalker(const ResizePlan &plan)
      : plan(plan), leading(plan.axes.data(), plan.axes.size() - 1) {
    for (const ResizeAxis &axis : leading) {
      rowsPerPart *= axis.out;
      inputsPerPart *= axis.in;
      rowsPerOutput *= axis.taps;
    }
    rows = plan.outer * rowsPerPart;
    for (int64_t row = 0; row < rowsPerPart; ++row) {
      starts.push_back(inputs.size());
      addInputs(0, row, rowsPerPart, 0, 1.0);
      outside.push_back(isOutsideOfAnAxis(row));
    }
    starts.push_back(inputs.size());
  }

  const ResizeAxis &last() const { return plan.axes.back(); }

  /// Calls fn(input row, weight) for each input row that contributes.
  template <typename Fn> void forEachInput(int64_t row, Fn fn) const {
    int64_t base = row / rowsPerPart * inputsPerPart;
    size_t entry = size_t(row % rowsPerPart);
    for (size_t i = starts[entry]; i < starts[entry + 1]; ++i)
      fn(base + inputs[i].row, inputs[i].weight);
  }

  /// Whether a leading axis puts the whole row outside of the input.
  bool isOutside(int64_t row) const { return outside[row % rowsPerPart]; }

  /// Whether there are more output rows than input rows.
  bool grows() const { return rowsPerPart > inputsPerPart; }

  int64_t rows;
  /// At most as many input rows make an output row.
  int64_t rowsPerOutput = 1;

private:
  struct Input {
    int64_t row;
    double weight;
  };

  void addInputs(size_t dim, int64_t rest, int64_t stride, int64_t base,
                 double weight) {
    if (dim == leading.size()) {
      inputs.push_back({base, weight});
      return;
    }
    const ResizeAxis &axis = leading[dim];
    stride /= axis.out;
    int64_t entry = rest / stride * axis.taps;
    for (int64_t t = entry; t < entry + axis.taps; ++t)
      if (axis.weight[t] != 0)
        addInputs(dim + 1, rest % stride, stride,
                  base * axis.in + axis.index[t], weight * axis.weight[t]);
  }

  bool isOutsideOfAnAxis(int64_t row) const {
    for (size_t i = leading.size(); i-- > 0;) {
      if (!leading[i].outside.empty() &&
          leading[i].outside[row % leading[i].out])
        return true;
      row /= leading[i].out;
    }
    return false;
  }

  const ResizePlan &plan;
  std::span<const ResizeAxis> leading;
  int64_t rowsPerPart = 1, inputsPerPart = 1;
  /// The inputs of row i are those from starts[i] to starts[i + 1].
  std::vector<size_t> starts;
  std::vector<Input> inputs;
  std::vector<uint8_t> outside;
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

/// Input rows after resampling, as many as one output row needs.
template <typename T> class ResampledRows {
public:
  ResampledRows(int64_t slots, const ResizePlan &plan)
      : plan(plan), length(plan.axes.back().out * plan.inner), keys(slots, -1),
        users(slots, -1), values(slots * length) {}

  /// Row `key`, which begins at x. It stays until another user asks.
  const T *get(int64_t key, const T *x, int64_t user) {
    size_t slot = std::find(keys.begin(), keys.end(), key) - keys.begin();
    if (slot == keys.size()) {
      do
        next = (next + 1) % keys.size();
      while (users[next] == user);
      slot = next;
      keys[slot] = key;
      resampleRow(x, values.data() + slot * length, plan.axes.back(),
                  plan.inner);
    }
    users[slot] = user;
    return values.data() + slot * length;
  }

private:
  const ResizePlan &plan;
  int64_t length;
  std::vector<int64_t> keys, users;
  std::vector<T> values;
  size_t next = 0;
};

template <typename T>
void interpolate(const ResizePlan &plan, const Tensor &x, Tensor &y) {
  RowWalker walker(plan);
  const ResizeAxis &last = walker.last();
  int64_t rowIn = last.in * plan.inner, rowOut = last.out * plan.inner;
  constexpr int64_t mostRows = 64;
  bool resamplesFirst = walker.grows() && walker.rowsPerOutput <= mostRows;
  const T *from = x.data<T>();
  T *to = y.data<T>();
  auto body = [&](int64_t begin, int64_t end) {
    std::vector<T> blended(resamplesFirst ? 0 : rowIn);
    ResampledRows<T> resampled(resamplesFirst ? walker.rowsPerOutput : 0, plan);
    std::vector<const T *> rows;
    std::vector<T> weights;
    for (int64_t row = begin; row < end; ++row) {
      rows.clear();
      weights.clear();
      walker.forEachInput(row, [&](int64_t inputRow, double weight) {
        const T *input = from + inputRow * rowIn;
        rows.push_back(resamplesFirst ? resampled.get(inputRow, input, row)
                                      : input);
        weights.push_back(T(weight));
      });
      T *out = to + row * rowOut;
      if (resamplesFirst) {
        blendRows(rows, weights.data(), out, rowOut);
      } else {
        const T *source = rows[0];
        if (rows.size() > 1 || weights[0] != 1) {
          blendRows(rows, weights.data(), blended.data(), rowIn);
          source = blended.data();
        }
        resampleRow(source, out, last, plan.inner);
      }
      fillOutside(walker, row, out, plan.inner, T(plan.extrapolationValue));
    }
  };
  parallelFor(walker.rows, grainFor(2 * rowIn + last.taps * rowOut), body);
}

/// Moves elements of the unsigned type Bits; `outside` has its bits.
template <typename Bits>
void selectNearest(const ResizePlan &plan, const Tensor &x, Tensor &y,
                   Bits outside) {
  RowWalker walker(plan);
  const ResizeAxis &last = walker.last();
  int64_t rowIn = last.in * plan.inner, rowOut = last.out * plan.inner;
  const Bits *from = static_cast<const Bits *>(x.rawData());
  Bits *to = static_cast<Bits *>(y.rawData());
  parallelFor(walker.rows, grainFor(rowOut), [&](int64_t begin, int64_t end) {
    int64_t previous = -1;
    for (int64_t row = begin; row < end; ++row) {
      Bits *out = to + row * rowOut;
      walker.forEachInput(row, [&](int64_t inputRow, double) {
        if (inputRow == previous)
          std::copy_n(out - rowOut, rowOut, out);
        else
          selectRow(from + inputRow * rowIn, out, last, plan.inner);
        previous = inputRow;
      });
      // A row that is replaced is not a copy of its input for the next one.
      if (walker.isOutside(row))
        previous = -1;
      fillOutside(walker, row, out, plan.inner, outside);
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
      selectNearest(plan, x, y, std::bit_cast<uint8_t>(outside));
    else if constexpr (sizeof(T) == 2)
      selectNearest(plan, x, y, std::bit_cast<uint16_t>(outside));
    else if constexpr (sizeof(T) == 4)
      selectNearest(plan, x, y, std::bit_cast<uint32_t>(outside));
    else
      selectNearest(plan, x, y, std::bit_cast<uint64_t>(outside));
  });
}

} // namespace parallax::kernels
