//===- KernelTestSupport.h - Inputs and comparisons for kernels -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Kernel tests compare with loops that share no code with the kernels. Inputs
// are random but reproducible; NaN must meet NaN.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_KERNELS_KERNELTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_KERNELS_KERNELTESTSUPPORT_H

#include "parallax/Support/Tensor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace parallax::test {

inline Tensor randomFloats(Shape shape, unsigned seed, float low = -2,
                           float high = 2) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  Tensor tensor(DType::F32, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = distribution(generator);
  return tensor;
}

template <typename T = float>
Tensor tensorOf(Shape shape, std::vector<T> values) {
  return Tensor::fromValues<T>(std::move(shape), std::span<const T>(values));
}

/// 0, 1, 2, ... plus `first`.
inline Tensor iota(Shape shape, float first = 0) {
  Tensor tensor(DType::F32, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = first + float(i);
  return tensor;
}

template <typename T>
void expectValues(const Tensor &actual, const std::vector<T> &expected) {
  ASSERT_EQ(actual.size(), int64_t(expected.size()));
  for (int64_t i = 0; i < actual.size(); ++i)
    EXPECT_EQ(actual.data<T>()[i], expected[i]) << "element " << i;
}

/// |actual - expected| <= tolerance * max(|expected|, floor).
inline void expectClose(const Tensor &actual,
                        const std::vector<double> &expected,
                        double tolerance = 1e-6, double floor = 1) {
  ASSERT_EQ(actual.size(), int64_t(expected.size()));
  for (int64_t i = 0; i < actual.size(); ++i) {
    double value = actual.data<float>()[i];
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(value)) << "element " << i;
      continue;
    }
    ASSERT_LE(std::abs(value - expected[i]),
              tolerance * std::max(std::abs(expected[i]), floor))
        << "element " << i << ": " << value << " instead of " << expected[i];
  }
}

} // namespace parallax::test

#endif // PARALLAX_TEST_UNIT_KERNELS_KERNELTESTSUPPORT_H
