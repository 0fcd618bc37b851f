//===- NormalizeAxis.cpp - Reference kernels: Lp, LRN and MVN -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The normalizations without learned parameters, over any axes.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Normalize.h"

#include "Moments.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <cmath>

namespace parallax::kernels {
namespace {

/// Adds the squares of one channel to the sums of another.
PARALLAX_SIMD void addSquares(const float *x, float *sums, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    sums[i] += x[i] * x[i];
}

/// Turns the sums in `y` into results. The usual exponents need only square
/// roots, which vectorise and round well.
PARALLAX_SIMD void divideByPower(const float *x, float *y, int64_t count,
                                 float scale, float bias, float beta) {
  if (beta == 0.75f)
    for (int64_t i = 0; i < count; ++i) {
      float root = std::sqrt(bias + scale * y[i]);
      y[i] = x[i] / (root * std::sqrt(root));
    }
  else if (beta == 0.5f)
    for (int64_t i = 0; i < count; ++i)
      y[i] = x[i] / std::sqrt(bias + scale * y[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      y[i] = float(x[i] / std::pow(double(bias + scale * y[i]), double(beta)));
}

/// The norms of `width` neighbouring columns, and the division by them.
constexpr int64_t columnsAtOnce = 64;
PARALLAX_SIMD void lpColumns(const float *x, float *y, int64_t count,
                             int64_t stride, int64_t width, int64_t p,
                             float eps) {
  double sums[columnsAtOnce] = {};
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < width; ++i) {
      double v = x[k * stride + i];
      sums[i] += p == 1 ? std::abs(v) : v * v;
    }
  for (int64_t i = 0; i < width; ++i) {
    double norm = p == 1 ? sums[i] : std::sqrt(sums[i]);
    sums[i] = norm == 0 ? 1 : norm < double(eps) ? double(eps) : norm;
  }
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < width; ++i)
      y[k * stride + i] = float(x[k * stride + i] / sums[i]);
}

/// One row. Squares that leave the range of float are left to the double sums
/// of lpColumns.
PARALLAX_SIMD bool lpRow(const float *x, float *y, int64_t count, int64_t p,
                         float eps) {
  double sum = p == 1 ? laneSum(x, count, AbsoluteValue())
                      : laneSum(x, count, SquareValue());
  if (!(sum > 1e-20 && sum < 1e30))
    return false;
  float norm = std::max(float(p == 1 ? sum : std::sqrt(sum)), eps);
  for (int64_t i = 0; i < count; ++i)
    y[i] = x[i] / norm;
  return true;
}

/// A tensor as alternating kept and reduced dimensions, for statistics over any
/// set of axes.
struct ReducedView {
  struct Dim {
    int64_t extent, stride;
  };
  std::vector<Dim> kept, reduced;

  ReducedView(const Shape &shape, std::span<const int64_t> axes) {
    Shape strides = stridesOf(shape);
    int64_t rank = int64_t(shape.size());
    for (int64_t i = 0; i < rank; ++i) {
      bool isReduced = std::any_of(axes.begin(), axes.end(), [&](int64_t a) {
        return (a < 0 ? a + rank : a) == i;
      });
      auto &dims = isReduced ? reduced : kept;
      // Neighbours of the same kind are one dimension.
      if (!dims.empty() && dims.back().stride == strides[i] * shape[i])
        dims.back() = {dims.back().extent * shape[i], strides[i]};
      else
        dims.push_back({shape[i], strides[i]});
    }
  }

  static int64_t countOf(const std::vector<Dim> &dims) {
    int64_t count = 1;
    for (const Dim &dim : dims)
      count *= dim.extent;
    return count;
  }

  static int64_t offsetOf(const std::vector<Dim> &dims, int64_t index) {
    int64_t offset = 0;
    for (size_t i = dims.size(); i-- > 0;) {
      offset += index % dims[i].extent * dims[i].stride;
      index /= dims[i].extent;
    }
    return offset;
  }

  /// The length of the contiguous pieces of a group.
  int64_t run() const {
    return !reduced.empty() && reduced.back().stride == 1
               ? reduced.back().extent
               : 1;
  }

  /// Calls fn(offset) for each contiguous piece of group `index`.
  template <typename Fn> void forEachRun(int64_t index, Fn fn) const {
    int64_t base = offsetOf(kept, index), step = run();
    int64_t count = countOf(reduced);
    for (int64_t i = 0; i < count; i += step)
      fn(base + offsetOf(reduced, i));
  }
};

} // namespace

void normalize(const Tensor &x, Tensor &y, std::span<const float> mean,
               std::span<const float> std, int64_t axis) {
  requireFloat("Normalize", x);
  if (x.size() == 0)
    return;
  AxisSplit split = splitAt(x.shape(), axis);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(split.outer * split.count, grainFor(split.inner),
              [&](int64_t begin, int64_t end) {
                int64_t channel = begin % split.count;
                for (int64_t row = begin; row < end; ++row) {
                  float offset = mean[channel], divisor = std[channel];
                  for (int64_t i = row * split.inner;
                       i < (row + 1) * split.inner; ++i)
                    to[i] = (from[i] - offset) / divisor;
                  channel = channel + 1 == split.count ? 0 : channel + 1;
                }
              });
}

void lpNorm(const Tensor &x, Tensor &y, int64_t axis, int64_t p, float eps) {
  requireFloat("LpNormalization", x);
  AxisSplit split = splitAt(x.shape(), axis);
  int64_t blocks = (split.inner + columnsAtOnce - 1) / columnsAtOnce;
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(
      split.outer * blocks,
      grainFor(split.count * std::min(split.inner, columnsAtOnce)),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t column = i % blocks * columnsAtOnce;
          int64_t offset = i / blocks * split.count * split.inner + column;
          if (split.inner == 1 &&
              lpRow(from + offset, to + offset, split.count, p, eps))
            continue;
          lpColumns(from + offset, to + offset, split.count, split.inner,
                    std::min(columnsAtOnce, split.inner - column), p, eps);
        }
      });
}

void lrn(const Tensor &x, Tensor &y, int64_t size, float alpha, float beta,
         float bias) {
  requireFloat("LRN", x);
  AxisSplit split = splitAt(x.shape(), 1);
  int64_t before = (size - 1) / 2, after = size - 1 - before;
  float scale = alpha / float(size);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(split.outer * split.count, grainFor(split.inner * (size + 4)),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  int64_t c = i % split.count;
                  int64_t first = std::max<int64_t>(c - before, 0);
                  int64_t last = std::min(c + after, split.count - 1);
                  float *sums = to + i * split.inner;
                  std::fill_n(sums, split.inner, 0.0f);
                  for (int64_t k = first; k <= last; ++k)
                    addSquares(from + (i - c + k) * split.inner, sums,
                               split.inner);
                  divideByPower(from + i * split.inner, sums, split.inner,
                                scale, bias, beta);
                }
              });
}

void meanVarianceNorm(const Tensor &x, Tensor &y,
                      std::span<const int64_t> axes) {
  requireFloat("MeanVarianceNormalization", x);
  if (x.size() == 0)
    return;
  ReducedView view(x.shape(), axes);
  int64_t run = view.run(), count = ReducedView::countOf(view.reduced);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(ReducedView::countOf(view.kept), grainFor(4 * count),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  double sum = 0;
                  view.forEachRun(i, [&](int64_t offset) {
                    sum += sumOf(from + offset, run);
                  });
                  float pivot = float(sum / double(count));
                  DeviationSums sums;
                  view.forEachRun(i, [&](int64_t offset) {
                    DeviationSums part =
                        deviationsOf(from + offset, run, pivot);
                    sums.sum += part.sum;
                    sums.squares += part.squares;
                  });
                  Moments moments(pivot, sums, count);
                  double deviation = std::sqrt(moments.variance);
                  float mul = float(1.0 / (deviation + 1e-9));
                  view.forEachRun(i, [&](int64_t offset) {
                    normalizeRun(from + offset, to + offset, run, moments.mean,
                                 mul, 0.0f);
                  });
                }
              });
}

} // namespace parallax::kernels
