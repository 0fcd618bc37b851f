//===- FloatLayers.cpp - FP32 layers of the NPU ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Lanes are added in a fixed order, so that vectors of any width may be used
// and give the same bits.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/FloatLayers.h"

#include "parallax/Backend/Reference/Kernels/KernelSupport.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::npu {

/// The sum of element(0), element(1), … in lanes.
template <typename Fn> static float laneSum(int64_t count, Fn element) {
  float lanes[8] = {};
  for (int64_t i = 0; i < count; ++i)
    lanes[i % 8] += element(i);
  for (int half : {4, 2, 1})
    for (int lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  return lanes[0];
}

float sumFloats(const float *x, int64_t count, int64_t stride) {
  return laneSum(count, [&](int64_t i) { return x[i * stride]; });
}

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
                    exponents[i] =
                        float(std::exp(double(from[i * inner] - greatest)));
                  float sum = sumFloats(exponents.data(), count);
                  auto logarithm = float(std::log(double(sum)));
                  for (int64_t i = 0; i < count; ++i)
                    to[i * inner] =
                        isLog ? (from[i * inner] - greatest) - logarithm
                              : exponents[i] / sum;
                }
              });
}

void normalizeFloat(NormKind kind, const Tensor &x, Tensor &y,
                    const NormRows &rows, float epsilon,
                    std::span<const float> gamma, std::span<const float> beta) {
  int64_t count = rows.count, entries = count / rows.inner;
  if (x.size() == 0)
    return;
  parallelFor(
      x.size() / count, rowGrain(4 * count), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const float *from = x.data<float>() + r * count;
          float *to = y.data<float>() + r * count;
          float mean = kind == NormKind::Centered
                           ? sumFloats(from, count) / float(count)
                           : 0.0f;
          float variance = laneSum(count, [&](int64_t i) {
            float distance = from[i] - mean;
            return distance * distance;
          });
          if (kind != NormKind::L2)
            variance /= float(count);
          float deviation = std::sqrt(variance + epsilon);
          for (int64_t i = 0; i < count; ++i) {
            int64_t entry = r % rows.groups * entries + i / rows.inner;
            float value = deviation == 0 ? 0.0f : (from[i] - mean) / deviation;
            if (!gamma.empty())
              value *= gamma[entry];
            to[i] = beta.empty() ? value : value + beta[entry];
          }
        }
      });
}

} // namespace parallax::npu
