//===- Pool.cpp - Reference kernels: pooling ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One scheme serves every rank: an output row starts from the neutral value,
// and each input row that the windows touch is folded into it, one tap of the
// innermost dimension after the other. The inner loop runs along the output
// row, without a bounds check, and vectorises.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Pool.h"

#include "PoolDetail.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

namespace parallax::kernels {
namespace {

int64_t ceilDiv(int64_t a, int64_t b) {
  return a <= 0 ? -(-a / b) : (a - 1) / b + 1;
}

/// One spatial dimension of the windows.
struct WindowAxis {
  int64_t in, out, kernel, stride, dilation, padBegin, padEnd;

  int64_t position(int64_t output, int64_t tap) const {
    return output * stride - padBegin + tap * dilation;
  }

  /// How many taps fall into the input, or into the padded input.
  int64_t countTaps(int64_t output, bool includePad) const {
    int64_t start = position(output, 0);
    int64_t low = includePad ? -padBegin : 0;
    int64_t high = includePad ? in + padEnd : in;
    int64_t first = std::max<int64_t>(ceilDiv(low - start, dilation), 0);
    int64_t end = std::min(ceilDiv(high - start, dilation), kernel);
    return std::max<int64_t>(end - first, 0);
  }
};

struct Geometry {
  static constexpr size_t maxRank = 8;

  int64_t planes;
  std::vector<WindowAxis> axes;
  int64_t rows;   // output rows of all planes
  int64_t inRows; // input rows of one plane
  int64_t taps = 1;

  Geometry(const Tensor &x, const Tensor &y, const PoolParams &p)
      : planes(x.dim(0) * x.dim(1)), rows(planes), inRows(1) {
    if (p.kernel.size() > maxRank)
      throw Error(fmt::format("pooling over {} dimensions is not supported; "
                              "the limit is {}",
                              p.kernel.size(), maxRank));
    for (size_t i = 0; i < p.kernel.size(); ++i) {
      axes.push_back({x.dim(i + 2), y.dim(i + 2), p.kernel[i], p.strides[i],
                      p.dilations[i], p.padsBegin[i], p.padsEnd[i]});
      taps *= p.kernel[i];
      if (i + 1 < p.kernel.size()) {
        rows *= axes.back().out;
        inRows *= axes.back().in;
      }
    }
  }

  const WindowAxis &row() const { return axes.back(); }

  /// Calls fn(offset) for each input row that the windows of an output row
  /// touch, in the order of the taps.
  template <typename Fn> void visitInputRows(int64_t outputRow, Fn fn) const {
    int64_t coordinates[maxRank];
    int64_t plane = outputRow;
    for (size_t i = axes.size() - 1; i-- > 0;) {
      coordinates[i] = plane % axes[i].out;
      plane /= axes[i].out;
    }
    visitDim(coordinates, 0, plane, fn);
  }

  /// The number of taps in all dimensions but the innermost.
  int64_t countRows(int64_t outputRow, bool includePad) const {
    int64_t count = 1;
    for (size_t i = axes.size() - 1; i-- > 0;) {
      count *= axes[i].countTaps(outputRow % axes[i].out, includePad);
      outputRow /= axes[i].out;
    }
    return count;
  }

  /// Runs fn(row) over all output rows on the threads.
  template <typename Fn> void forEachRow(Fn fn) const {
    if (row().out == 0)
      return;
    parallelFor(rows, grainFor(row().out * taps),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    fn(i);
                });
  }

private:
  template <typename Fn>
  void visitDim(const int64_t *coordinates, size_t dim, int64_t base,
                Fn &fn) const {
    if (dim + 1 == axes.size())
      return fn(base * row().in);
    const WindowAxis &axis = axes[dim];
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      int64_t i = axis.position(coordinates[dim], tap);
      if (i >= 0 && i < axis.in)
        visitDim(coordinates, dim + 1, base * axis.in + i, fn);
    }
  }
};

//===----------------------------------------------------------------------===//
// Folding one input row into one output row
//===----------------------------------------------------------------------===//

/// `stride` as a constant lets the compiler shuffle instead of gather.
template <typename T, typename Fold, typename Stride>
PARALLAX_INLINE void foldTap(const T *x, T *y, int64_t count, Stride stride,
                             Fold fold) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = fold(y[i], x[i * stride]);
}

template <typename T, typename Fold>
PARALLAX_INLINE void foldRow(const T *x, T *y, const WindowAxis &axis,
                             Fold fold) {
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    int64_t offset = axis.position(0, tap);
    int64_t begin = offset < 0 ? (-offset - 1) / axis.stride + 1 : 0;
    int64_t end = std::min(
        offset < axis.in ? (axis.in - 1 - offset) / axis.stride + 1 : 0,
        axis.out);
    if (begin >= end)
      continue;
    const T *from = x + begin * axis.stride + offset;
    if (axis.stride == 1)
      foldTap(from, y + begin, end - begin,
              std::integral_constant<int64_t, 1>(), fold);
    else if (axis.stride == 2)
      foldTap(from, y + begin, end - begin,
              std::integral_constant<int64_t, 2>(), fold);
    else
      foldTap(from, y + begin, end - begin, axis.stride, fold);
  }
}

struct Max {
  template <typename T> PARALLAX_INLINE T operator()(T a, T b) const {
    return maxOrNan(a, b);
  }
};

template <typename T> void maxRow(const T *x, T *y, const WindowAxis &axis) {
  foldRow(x, y, axis, Max());
}
PARALLAX_SIMD void maxRow(const float *x, float *y, const WindowAxis &axis) {
  foldRow(x, y, axis, Max());
}
PARALLAX_SIMD void maxRow(const uint8_t *x, uint8_t *y,
                          const WindowAxis &axis) {
  foldRow(x, y, axis, Max());
}
PARALLAX_SIMD void maxRow(const uint16_t *x, uint16_t *y,
                          const WindowAxis &axis) {
  foldRow(x, y, axis, Max());
}
PARALLAX_SIMD void maxRow(const int8_t *x, int8_t *y, const WindowAxis &axis) {
  foldRow(x, y, axis, Max());
}

template <typename T>
PARALLAX_INLINE void foldSum(const T *x, T *y, const WindowAxis &axis) {
  foldRow(x, y, axis, [](T sum, T v) { return sum + v; });
}
void sumRow(const double *x, double *y, const WindowAxis &axis) {
  foldSum(x, y, axis);
}
PARALLAX_SIMD void sumRow(const float *x, float *y, const WindowAxis &axis) {
  foldSum(x, y, axis);
}

template <typename T>
PARALLAX_INLINE void foldPower(const T *x, T *y, const WindowAxis &axis,
                               int64_t p) {
  if (p == 1)
    foldRow(x, y, axis, [](T sum, T v) { return sum + std::abs(v); });
  else if (p == 2)
    foldRow(x, y, axis, [](T sum, T v) { return sum + v * v; });
  else
    foldRow(x, y, axis,
            [p](T sum, T v) { return T(sum + std::pow(std::abs(v), T(p))); });
}
void powerRow(const double *x, double *y, const WindowAxis &axis, int64_t p) {
  foldPower(x, y, axis, p);
}
PARALLAX_SIMD void powerRow(const float *x, float *y, const WindowAxis &axis,
                            int64_t p) {
  foldPower(x, y, axis, p);
}

//===----------------------------------------------------------------------===//
// Positions of the maxima
//===----------------------------------------------------------------------===//

/// The position of `flat` when the spatial dimensions of its plane are stored
/// with the first one innermost.
int64_t columnMajor(int64_t flat, const Geometry &geometry) {
  int64_t planeSize = geometry.inRows * geometry.row().in;
  int64_t rest = flat % planeSize, stride = planeSize;
  int64_t result = flat - rest;
  for (size_t i = geometry.axes.size(); i-- > 0;) {
    int64_t extent = geometry.axes[i].in;
    stride /= extent;
    result += rest % extent * stride;
    rest /= extent;
  }
  return result;
}

template <typename T>
void maxRowWithIndices(const T *x, T *y, int64_t *indices, int64_t outputRow,
                       const Geometry &geometry, int64_t storageOrder) {
  const WindowAxis &axis = geometry.row();
  for (int64_t o = 0; o < axis.out; ++o) {
    T best = lowestOf<T>();
    int64_t index = -1;
    geometry.visitInputRows(outputRow, [&](int64_t offset) {
      for (int64_t tap = 0; tap < axis.kernel; ++tap) {
        int64_t i = axis.position(o, tap);
        if (i < 0 || i >= axis.in)
          continue;
        T value = x[offset + i];
        bool firstNan = value != value && best == best;
        if (index < 0 || value > best || firstNan) {
          best = value;
          index = offset + i;
        }
      }
    });
    y[o] = best;
    indices[o] =
        storageOrder == 1 && index >= 0 ? columnMajor(index, geometry) : index;
  }
}

} // namespace

void maxPool(const Tensor &x, Tensor &y, Tensor *indices,
             const PoolParams &params, int64_t storageOrder) {
  Geometry geometry(x, y, params);
  dispatchOrdered("MaxPool", x, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = x.data<T>();
    T *to = y.data<T>();
    int64_t *positions = indices ? indices->data<int64_t>() : nullptr;
    int64_t width = geometry.row().out;
    geometry.forEachRow([&](int64_t row) {
      T *out = to + row * width;
      if (positions)
        return maxRowWithIndices(from, out, positions + row * width, row,
                                 geometry, storageOrder);
      std::fill_n(out, width, lowestOf<T>());
      geometry.visitInputRows(row, [&](int64_t offset) {
        maxRow(from + offset, out, geometry.row());
      });
    });
  });
}

void averagePool(const Tensor &x, Tensor &y, const PoolParams &params) {
  Geometry geometry(x, y, params);
  dispatchReal("AveragePool", x, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = x.data<T>();
    T *to = y.data<T>();
    const WindowAxis &axis = geometry.row();
    geometry.forEachRow([&](int64_t row) {
      T *out = to + row * axis.out;
      std::fill_n(out, axis.out, T(0));
      geometry.visitInputRows(
          row, [&](int64_t offset) { sumRow(from + offset, out, axis); });
      int64_t rows = geometry.countRows(row, params.countIncludePad);
      for (int64_t o = 0; o < axis.out; ++o) {
        int64_t count = rows * axis.countTaps(o, params.countIncludePad);
        out[o] /= T(std::max<int64_t>(count, 1));
      }
    });
  });
}

void lpPool(const Tensor &x, Tensor &y, const PoolParams &params) {
  Geometry geometry(x, y, params);
  dispatchReal("LpPool", x, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = x.data<T>();
    T *to = y.data<T>();
    const WindowAxis &axis = geometry.row();
    geometry.forEachRow([&](int64_t row) {
      T *out = to + row * axis.out;
      std::fill_n(out, axis.out, T(0));
      geometry.visitInputRows(row, [&](int64_t offset) {
        powerRow(from + offset, out, axis, params.p);
      });
      for (int64_t o = 0; o < axis.out; ++o)
        out[o] = root(out[o], params.p);
    });
  });
}

} // namespace parallax::kernels
