//===- FloatLayers.cpp - Normalizations of FP32 layers --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Rows are independent of each other, so threads only choose who does which.
// Steps that are one operation per element are those of the float engine.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"

#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/NPU/Kernels/FloatFunctions.h"
#include "parallax/Support/Parallel.h"

#include <cmath>
#include <limits>

namespace parallax::npu {

using kernels::BinaryKind;
using kernels::ReduceKind;

void softmaxFloat(const Tensor &x, Tensor &y, int64_t axis, bool isLog) {
  kernels::AxisSplit split = kernels::splitAt(x.shape(), axis);
  int64_t count = split.count, inner = split.inner;
  if (x.size() == 0)
    return;
  parallelFor(split.outer * inner, rowGrain(16 * count),
              [&](int64_t begin, int64_t end) {
                std::vector<float> exponents(static_cast<size_t>(count));
                for (int64_t r = begin; r < end; ++r) {
                  int64_t offset = r / inner * count * inner + r % inner;
                  const float *from = x.data<float>() + offset;
                  float *to = y.data<float>() + offset;
                  float greatest = from[0];
                  for (int64_t i = 1; i < count; ++i)
                    greatest = std::max(greatest, from[i * inner]);
                  for (int64_t i = 0; i < count; ++i)
                    exponents[i] = floatExp(from[i * inner] - greatest);
                  float sum = sumFloats(exponents.data(), count);
                  float logarithm = isLog ? floatLog(sum) : 0;
                  for (int64_t i = 0; i < count; ++i)
                    to[i * inner] =
                        isLog ? (from[i * inner] - greatest) - logarithm
                              : exponents[i] / sum;
                }
              });
}

void normalizeFloat(NormKind kind, const Tensor &x, Tensor &y,
                    const NormRows &rows, float epsilon,
                    std::span<const float> gamma, std::span<const float> beta,
                    const RowStatistics &statistics) {
  if (x.size() == 0) {
    // The mean of nothing is 0 / 0.
    for (Tensor *values : {statistics.mean, statistics.inverse})
      if (values)
        std::fill_n(values->data<float>(), values->size(),
                    std::numeric_limits<float>::quiet_NaN());
    return;
  }
  int64_t count = rows.count, entries = count / rows.inner;
  parallelFor(
      x.size() / count, rowGrain(4 * count), [&](int64_t begin, int64_t end) {
        std::vector<float> squares(static_cast<size_t>(count));
        for (int64_t r = begin; r < end; ++r) {
          const float *from = x.data<float>() + r * count;
          float *to = y.data<float>() + r * count;
          float mean = kind == NormKind::Centered
                           ? sumFloats(from, count) / float(count)
                           : 0.0f;
          for (int64_t i = 0; i < count; ++i) {
            float distance = from[i] - mean;
            squares[i] = distance * distance;
          }
          float variance = sumFloats(squares.data(), count) / float(count);
          float deviation = std::sqrt(variance + epsilon);
          for (int64_t i = 0; i < count; ++i) {
            int64_t entry = r % rows.groups * entries + i / rows.inner;
            float value = deviation == 0 ? 0.0f : (from[i] - mean) / deviation;
            if (!gamma.empty())
              value *= gamma[entry];
            to[i] = beta.empty() ? value : value + beta[entry];
          }
          if (statistics.mean)
            statistics.mean->data<float>()[r] = mean;
          if (statistics.inverse)
            statistics.inverse->data<float>()[r] = 1.0f / deviation;
        }
      });
}

void batchNormFloat(const Tensor &x, const BatchNormFloat &params, Tensor &y) {
  kernels::AxisSplit split = x.rank() < 2 ? kernels::AxisSplit{x.size(), 1, 1}
                                          : kernels::splitAt(x.shape(), 1);
  parallelFor(split.outer * split.count, rowGrain(split.inner),
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) {
                  int64_t c = r % split.count;
                  float mean = params.mean.data<float>()[c];
                  float variance =
                      params.variance.data<float>()[c] + params.epsilon;
                  float factor =
                      params.scale.data<float>()[c] / std::sqrt(variance);
                  float offset = params.bias.data<float>()[c];
                  const float *from = x.data<float>() + r * split.inner;
                  float *to = y.data<float>() + r * split.inner;
                  for (int64_t i = 0; i < split.inner; ++i)
                    to[i] = (from[i] - mean) * factor + offset;
                }
              });
}

/// The shape of a reduction that keeps its axes as ones.
static Shape reducedShape(const Tensor &x, std::span<const int64_t> axes) {
  Shape shape = x.shape();
  for (int64_t axis : axes)
    shape[size_t(axis)] = 1;
  return shape;
}

void lpNormFloat(const Tensor &x, Tensor &y, int64_t axis, int64_t p,
                 float epsilon) {
  int64_t axes[] = {axis};
  Tensor norm(DType::F32, reducedShape(x, axes));
  reduceFloat(p == 1 ? ReduceKind::L1 : ReduceKind::L2, x, norm, axes);
  auto least =
      Tensor::fromValues<float>({}, std::span<const float>(&epsilon, 1));
  kernels::binary(BinaryKind::Max, norm, least, norm);
  kernels::AxisSplit split = kernels::splitAt(x.shape(), axis);
  parallelFor(split.outer, rowGrain(split.count * split.inner),
              [&](int64_t begin, int64_t end) {
                for (int64_t o = begin; o < end; ++o) {
                  const float *norms = norm.data<float>() + o * split.inner;
                  for (int64_t k = 0; k < split.count; ++k) {
                    int64_t at = (o * split.count + k) * split.inner;
                    const float *from = x.data<float>() + at;
                    float *to = y.data<float>() + at;
                    for (int64_t i = 0; i < split.inner; ++i)
                      to[i] = norms[i] == 0 ? 0.0f : from[i] / norms[i];
                  }
                }
              });
}

void meanVarianceNormFloat(const Tensor &x, Tensor &y,
                           std::span<const int64_t> axes) {
  Tensor mean(DType::F32, reducedShape(x, axes));
  Tensor deviation(DType::F32, mean.shape());
  Tensor squares(DType::F32, x.shape());
  reduceFloat(ReduceKind::Mean, x, mean, axes);
  kernels::binary(BinaryKind::Sub, x, mean, y);
  kernels::binary(BinaryKind::Mul, y, y, squares);
  reduceFloat(ReduceKind::Mean, squares, deviation, axes);
  for (int64_t i = 0; i < deviation.size(); ++i) {
    float &value = deviation.data<float>()[i];
    value = std::sqrt(value) + 1e-9f;
  }
  kernels::binary(BinaryKind::Div, y, deviation, y);
}

void lrnFloat(const Tensor &x, Tensor &y, const LrnFloat &params) {
  kernels::AxisSplit split = kernels::splitAt(x.shape(), 1);
  int64_t before = (params.size - 1) / 2, after = params.size - 1 - before;
  float factor = params.alpha / float(params.size);
  const float *from = x.data<float>();
  float *to = y.data<float>();
  parallelFor(split.outer * split.count, rowGrain(16 * split.inner),
              [&](int64_t begin, int64_t end) {
                std::vector<float> squares(
                    size_t(std::min(params.size, split.count)));
                for (int64_t r = begin; r < end; ++r) {
                  int64_t c = r % split.count;
                  int64_t first = std::max<int64_t>(c - before, 0);
                  int64_t last = std::min(c + after, split.count - 1);
                  for (int64_t i = 0; i < split.inner; ++i) {
                    for (int64_t k = first; k <= last; ++k) {
                      float value = from[(r - c + k) * split.inner + i];
                      squares[k - first] = value * value;
                    }
                    float sum = sumFloats(squares.data(), last - first + 1);
                    float base = params.bias + factor * sum;
                    int64_t at = r * split.inner + i;
                    to[at] = from[at] / floatPower(base, double(params.beta));
                  }
                }
              });
}

} // namespace parallax::npu
