//===- Normalize.cpp - Reference kernels: scaled normalizations -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The normalizations with learned scale and bias: batch, instance, group,
// layer and RMS. Each splits the tensor into contiguous runs and leaves the
// loops to Moments.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Normalize.h"

#include "Moments.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::kernels {
namespace {

/// x as images x channels x values.
AxisSplit splitChannels(const Tensor &x) {
  return x.rank() < 2 ? AxisSplit{x.size(), 1, 1} : splitAt(x.shape(), 1);
}

template <typename Fn> void forEachItem(int64_t items, int64_t work, Fn fn) {
  parallelFor(items, grainFor(work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      fn(i);
  });
}

float inverseDeviation(double variance, double eps) {
  return float(1.0 / std::sqrt(variance + eps));
}

/// Finds the entry of a tensor that broadcasts to `shape`.
class BroadcastIndex {
public:
  BroadcastIndex(const Shape &from, const Shape &shape) : shape(shape) {
    Shape own = stridesOf(from);
    strides.assign(shape.size(), 0);
    size_t missing = shape.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i)
      strides[missing + i] = from[i] == 1 ? 0 : own[i];
  }

  int64_t operator()(int64_t flat) const {
    int64_t offset = 0;
    for (size_t i = shape.size(); i-- > 0;) {
      offset += flat % shape[i] * strides[i];
      flat /= shape[i];
    }
    return offset;
  }

private:
  const Shape &shape;
  Shape strides;
};

/// Scale and bias of a normalization over trailing dimensions.
class TrailingAffine {
public:
  TrailingAffine(const Tensor &x, int64_t axis, const Tensor &scale,
                 const Tensor *bias)
      : scale(scale), bias(bias), direct(coversRun(scale, x, axis) &&
                                         (!bias || coversRun(*bias, x, axis))),
        scaleIndex(scale.shape(), x.shape()),
        biasIndex(bias ? bias->shape() : Shape(), x.shape()) {}

  /// Normalizes the run at `offset` and applies scale and bias.
  void apply(const float *x, float *y, int64_t offset, int64_t count, Mean mean,
             float inv) const {
    const float *s = scale.data<float>();
    const float *b = bias ? bias->data<float>() : nullptr;
    if (direct)
      return normalizeRun(x + offset, y + offset, count, mean, inv, s, b);
    normalizeRun(x + offset, y + offset, count, mean, inv, 0.0f);
    for (int64_t i = offset; i < offset + count; ++i)
      y[i] = y[i] * s[scaleIndex(i)] + (b ? b[biasIndex(i)] : 0.0f);
  }

private:
  /// Whether `t` has exactly one entry per value of a run, in order.
  static bool coversRun(const Tensor &t, const Tensor &x, int64_t axis) {
    int64_t run = splitAt(x.shape(), axis, x.rank()).count;
    int64_t normalized = std::min(x.rank() - axis, t.rank());
    return t.size() == run &&
           splitAt(t.shape(), t.rank() - normalized, t.rank()).count == run;
  }

  const Tensor &scale;
  const Tensor *bias;
  bool direct;
  BroadcastIndex scaleIndex, biasIndex;
};

/// What a run is normalized by.
struct RunScale {
  Mean mean;
  float inv;
};

/// Normalizes each run of the dimensions from `axis` on by what
/// statistics(values, length, index) finds out about it.
template <typename Statistics>
void normalizeTrailing(std::string_view kernel, const Tensor &x,
                       const Tensor &scale, const Tensor *bias, Tensor &y,
                       int64_t axis, Statistics statistics) {
  requireFloat(kernel, x);
  axis = axis < 0 ? axis + x.rank() : axis;
  AxisSplit split = splitAt(x.shape(), axis, x.rank());
  int64_t run = split.count;
  TrailingAffine affine(x, axis, scale, bias);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  forEachItem(split.outer, 4 * run, [&](int64_t i) {
    RunScale found = statistics(from + i * run, run, i);
    affine.apply(from, to, i * run, run, found.mean, found.inv);
  });
}

} // namespace

void batchNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
               const Tensor &mean, const Tensor &var, Tensor &y, float eps) {
  requireFloat("BatchNormalization", x);
  auto [images, channels, inner] = splitChannels(x);
  const float *from = x.data<float>(), *s = scale.data<float>(),
              *b = bias.data<float>(), *m = mean.data<float>(),
              *v = var.data<float>();
  float *to = y.data<float>();
  forEachItem(images * channels, inner,
              [&, channels = channels, inner = inner](int64_t i) {
                int64_t c = i % channels;
                float mul = float(s[c] / std::sqrt(double(v[c]) + double(eps)));
                normalizeRun(from + i * inner, to + i * inner, inner,
                             Mean{m[c], 0}, mul, b[c]);
              });
}

void instanceNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
                  Tensor &y, float eps) {
  groupNorm(x, scale, bias, y, x.dim(1), eps, /*perChannelScale=*/true);
}

void groupNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
               Tensor &y, int64_t groups, float eps, bool perChannelScale) {
  requireFloat("GroupNormalization", x);
  AxisSplit split = splitChannels(x);
  if (x.size() == 0)
    return;
  int64_t channels = split.count / groups, run = channels * split.inner;
  const float *from = x.data<float>(), *s = scale.data<float>(),
              *b = bias.data<float>();
  float *to = y.data<float>();
  forEachItem(split.outer * groups, 4 * run, [&](int64_t i) {
    int64_t group = i % groups, offset = i * run;
    Moments moments = momentsOf(from + offset, run);
    float inv = inverseDeviation(moments.variance, eps);
    for (int64_t c = 0; c < channels; ++c) {
      int64_t entry = perChannelScale ? group * channels + c : group;
      int64_t start = offset + c * split.inner;
      normalizeRun(from + start, to + start, split.inner, moments.mean,
                   inv * s[entry], b[entry]);
    }
  });
}

void layerNorm(const Tensor &x, const Tensor &scale, const Tensor *bias,
               Tensor &y, Tensor *mean, Tensor *invStd, int64_t axis,
               float eps) {
  normalizeTrailing("LayerNormalization", x, scale, bias, y, axis,
                    [&](const float *values, int64_t count, int64_t i) {
                      Moments moments = momentsOf(values, count);
                      float inv = inverseDeviation(moments.variance, eps);
                      if (mean)
                        mean->data<float>()[i] =
                            moments.mean.high + moments.mean.low;
                      if (invStd)
                        invStd->data<float>()[i] = inv;
                      return RunScale{moments.mean, inv};
                    });
}

void rmsNorm(const Tensor &x, const Tensor &scale, Tensor &y, int64_t axis,
             float eps) {
  normalizeTrailing("RMSNormalization", x, scale, nullptr, y, axis,
                    [&](const float *values, int64_t count, int64_t) {
                      double mean = sumOfSquares(values, count) / double(count);
                      return RunScale{Mean(), inverseDeviation(mean, eps)};
                    });
}

} // namespace parallax::kernels
