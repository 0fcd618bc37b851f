//===- Pool.cpp - Reference kernels: pooling ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One scheme serves every rank and kind, because all kinds are separable: the
// input rows that the windows of an output row touch are folded into one line,
// and the taps along that line then give the outputs. Both steps keep their
// result in a vector register, and the line is padded, so that neither has a
// bounds check.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Pool.h"

#include "PoolDetail.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cstring>

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

  /// The elements of a padded line. Its end leaves room for a vector that
  /// begins at the last tap.
  int64_t lineLength() const {
    int64_t span = position(out - 1, kernel - 1) + padBegin + 1;
    return std::max(span, padBegin + in) + 32;
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
      if (p.padsBegin[i] < 0 || p.padsEnd[i] < 0)
        throw Error("pooling has a negative padding; crop its input instead");
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

  /// Calls fn(begin, end) for ranges of output rows on the threads.
  template <typename Fn> void forEachRowRange(Fn fn) const {
    parallelFor(rows, grainFor(row().out * taps), fn);
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
// Folds
//===----------------------------------------------------------------------===//

// What a window does with its elements, on numbers as well as on vectors:
// map() each, combine() them, and finish() the outputs from `at` on.

template <typename T> struct MaxFold {
  static T neutral() { return lowestOf<T>(); }
  template <typename V> PARALLAX_INLINE void map(V &) const {}
  template <typename V>
  PARALLAX_INLINE void combine(V &best, const V &value) const {
    V larger = best > value ? best : value;
    best = best != best ? best : larger;
  }
  template <typename V> PARALLAX_INLINE void finish(V &, int64_t) const {}
};

template <typename T> struct SumFold {
  static T neutral() { return T(0); }
  template <typename V>
  PARALLAX_INLINE void combine(V &sum, const V &value) const {
    sum += value;
  }
};

template <typename T> struct AverageFold : SumFold<T> {
  /// The elements along the line in the window of each output, and the number
  /// of rows; at least 1, since a sum over none is 0 anyway.
  const T *columns;
  T rows;

  template <typename V> PARALLAX_INLINE void map(V &) const {}
  template <typename V> PARALLAX_INLINE void finish(V &sum, int64_t at) const {
    V count;
    std::memcpy(&count, columns + at, sizeof(V));
    sum /= count * rows;
  }
};

template <typename T> struct PowerFold : SumFold<T> {
  int64_t p;

  void map(T &value) const {
    T magnitude = std::abs(value);
    value = p == 1   ? magnitude
            : p == 2 ? value * value
                     : std::pow(magnitude, T(p));
  }
  void finish(T &sum, int64_t) const { sum = root(sum, p); }
};

//===----------------------------------------------------------------------===//
// One output row
//===----------------------------------------------------------------------===//

/// Where an output row comes from and goes to.
template <typename T> struct RowJob {
  const T *x;
  /// Offsets of the input rows.
  const int64_t *rows;
  int64_t rowCount;
  const WindowAxis &axis;
  /// axis.lineLength() elements, neutral ones where the padding is.
  T *line;
  T *y;
};

template <typename T, int64_t bytes> struct PackOf {
  typedef T type __attribute__((vector_size(bytes)));
};

template <typename V, typename T> PARALLAX_INLINE void load(V &v, const T *p) {
  std::memcpy(&v, p, sizeof(V));
}

/// Every second element from p on. Reads one more than needed.
template <typename V, typename T, size_t... I>
PARALLAX_INLINE void loadEven(V &v, const T *p, std::index_sequence<I...>) {
  V low, high;
  load(low, p);
  load(high, p + sizeof...(I));
  v = __builtin_shufflevector(low, high, (2 * I)...);
}

/// Calls step(at) for pieces of `lanes` outputs; the last overlaps with the one
/// before it.
template <int64_t lanes, typename Step>
PARALLAX_INLINE void forEachPiece(int64_t count, Step step) {
  for (int64_t i = 0; i < count; i += lanes)
    step(std::min(i, count - lanes));
}

template <typename V, typename T, typename Fold>
PARALLAX_INLINE void foldRows(const RowJob<T> &job, const Fold &fold) {
  T *line = job.line + job.axis.padBegin;
  forEachPiece<sizeof(V) / sizeof(T)>(
      job.axis.in, [&](int64_t at) PARALLAX_INLINE_LAMBDA {
        V sum, value;
        load(sum, job.x + job.rows[0] + at);
        fold.map(sum);
        for (int64_t r = 1; r < job.rowCount; ++r) {
          load(value, job.x + job.rows[r] + at);
          fold.map(value);
          fold.combine(sum, value);
        }
        std::memcpy(line + at, &sum, sizeof(V));
      });
}

template <typename V, typename T, typename Fold, typename Load>
PARALLAX_INLINE void foldTaps(const RowJob<T> &job, const Fold &fold,
                              int64_t stride, Load load) {
  forEachPiece<sizeof(V) / sizeof(T)>(
      job.axis.out, [&](int64_t at) PARALLAX_INLINE_LAMBDA {
        const T *from = job.line + at * stride;
        V sum, value;
        load(sum, from);
        for (int64_t tap = 1; tap < job.axis.kernel; ++tap) {
          load(value, from + tap * job.axis.dilation);
          fold.combine(sum, value);
        }
        fold.finish(sum, at);
        std::memcpy(job.y + at, &sum, sizeof(V));
      });
}

/// In registers of 32 or 16 bytes, as the extents allow.
template <typename T, typename Fold>
PARALLAX_INLINE void poolRowLoop(const RowJob<T> &job, const Fold &fold) {
  using Wide = typename PackOf<T, 32>::type;
  using Narrow = typename PackOf<T, 16>::type;
  constexpr int64_t wide = 32 / sizeof(T), narrow = 16 / sizeof(T);
  const WindowAxis &axis = job.axis;
  auto plainLoad = [](auto &v, const T *p)
                       PARALLAX_INLINE_LAMBDA { load(v, p); };
  auto evenLoad = [](auto &v, const T *p) PARALLAX_INLINE_LAMBDA {
    loadEven(v, p, std::make_index_sequence<sizeof(v) / sizeof(T)>());
  };
  if (axis.in >= wide)
    foldRows<Wide>(job, fold);
  else if (axis.in >= narrow)
    foldRows<Narrow>(job, fold);
  else
    foldRows<T>(job, fold);
  if (axis.out < narrow || axis.stride > 2)
    foldTaps<T>(job, fold, axis.stride, plainLoad);
  else if (axis.stride == 1 && axis.out >= wide)
    foldTaps<Wide>(job, fold, 1, plainLoad);
  else if (axis.stride == 1)
    foldTaps<Narrow>(job, fold, 1, plainLoad);
  else if (axis.out >= wide)
    foldTaps<Wide>(job, fold, 2, evenLoad);
  else
    foldTaps<Narrow>(job, fold, 2, evenLoad);
}

template <typename T, typename Fold>
void poolRow(const RowJob<T> &job, const Fold &fold) {
  foldRows<T>(job, fold);
  foldTaps<T>(job, fold, job.axis.stride,
              [](T &v, const T *p) PARALLAX_INLINE_LAMBDA { v = *p; });
}
PARALLAX_SIMD void poolRow(const RowJob<float> &job,
                           const MaxFold<float> &fold) {
  poolRowLoop(job, fold);
}
PARALLAX_SIMD void poolRow(const RowJob<uint8_t> &job,
                           const MaxFold<uint8_t> &fold) {
  poolRowLoop(job, fold);
}
PARALLAX_SIMD void poolRow(const RowJob<int8_t> &job,
                           const MaxFold<int8_t> &fold) {
  poolRowLoop(job, fold);
}
PARALLAX_SIMD void poolRow(const RowJob<uint16_t> &job,
                           const MaxFold<uint16_t> &fold) {
  poolRowLoop(job, fold);
}
PARALLAX_SIMD void poolRow(const RowJob<float> &job,
                           const AverageFold<float> &fold) {
  poolRowLoop(job, fold);
}

/// Pools all rows; foldOf(row) gives what to do with the windows of a row.
template <typename T, typename FoldOf>
void poolRows(const Tensor &x, Tensor &y, const Geometry &geometry,
              FoldOf foldOf) {
  const WindowAxis &axis = geometry.row();
  if (axis.out == 0)
    return;
  const T *from = x.data<T>();
  T *to = y.data<T>();
  geometry.forEachRowRange([&](int64_t begin, int64_t end) {
    using Fold = decltype(foldOf(begin));
    std::vector<T> line(axis.lineLength(), Fold::neutral());
    std::vector<int64_t> rows;
    for (int64_t row = begin; row < end; ++row) {
      rows.clear();
      geometry.visitInputRows(row,
                              [&](int64_t offset) { rows.push_back(offset); });
      RowJob<T> job{from, rows.data(), int64_t(rows.size()),
                    axis, line.data(), to + row * axis.out};
      if (rows.empty())
        std::fill_n(job.y, axis.out, Fold::neutral());
      else
        poolRow(job, foldOf(row));
    }
  });
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
    if (!indices)
      return poolRows<T>(x, y, geometry, [](int64_t) { return MaxFold<T>(); });
    const T *from = x.data<T>();
    T *to = y.data<T>();
    int64_t *positions = indices->data<int64_t>();
    int64_t width = geometry.row().out;
    geometry.forEachRowRange([&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        maxRowWithIndices(from, to + row * width, positions + row * width, row,
                          geometry, storageOrder);
    });
  });
}

void averagePool(const Tensor &x, Tensor &y, const PoolParams &params) {
  Geometry geometry(x, y, params);
  dispatchReal("AveragePool", x, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto atLeastOne = [](int64_t count) {
      return T(std::max<int64_t>(count, 1));
    };
    const WindowAxis &axis = geometry.row();
    std::vector<T> columns(axis.out);
    for (int64_t o = 0; o < axis.out; ++o)
      columns[o] = atLeastOne(axis.countTaps(o, params.countIncludePad));
    poolRows<T>(x, y, geometry, [&](int64_t row) {
      int64_t rows = geometry.countRows(row, params.countIncludePad);
      return AverageFold<T>{{}, columns.data(), atLeastOne(rows)};
    });
  });
}

void lpPool(const Tensor &x, Tensor &y, const PoolParams &params) {
  Geometry geometry(x, y, params);
  dispatchReal("LpPool", x, [&](auto tag) {
    using T = typename decltype(tag)::type;
    poolRows<T>(x, y, geometry, [&](int64_t) {
      return PowerFold<T>{{}, params.p};
    });
  });
}

} // namespace parallax::kernels
