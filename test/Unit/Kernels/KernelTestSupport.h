//===- KernelTestSupport.h - Inputs and comparisons for kernels -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Kernel tests compare with loops that share no code with the kernels, and
// walk indices so naively that they can serve as the expected truth. Inputs
// are random but reproducible; NaN must meet NaN.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_KERNELS_KERNELTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_KERNELS_KERNELTESTSUPPORT_H

#include "parallax/Support/Tensor.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace parallax::test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

template <typename T = float>
Tensor tensorOf(Shape shape, const std::vector<T> &values) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  assert(int64_t(values.size()) == tensor.size());
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.size());
}

/// 0, 1, 2, ... plus `first`.
template <typename T = float>
Tensor iota(Shape shape, std::type_identity_t<T> first = T(0)) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<T>()[i] = T(first + T(i));
  return tensor;
}

/// Numbers in [low, high], the same in every run.
template <typename T>
Tensor random(Shape shape, double low, double high, unsigned seed = 7) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<T>()[i] = T(distribution(engine));
  return tensor;
}

inline Tensor randomFloats(Shape shape, unsigned seed, double low = -2,
                           double high = 2) {
  return random<float>(std::move(shape), low, high, seed);
}

/// The coordinates of a flat position.
inline Shape unravel(int64_t flat, const Shape &shape) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
    index[axis] = flat % shape[axis];
  return index;
}

/// Calls fn with every index of `shape` in row-major order.
inline void forEachIndex(const Shape &shape,
                         const std::function<void(const Shape &)> &fn) {
  int64_t count = elementCount(shape);
  for (int64_t flat = 0; flat < count; ++flat)
    fn(unravel(flat, shape));
}

/// The element number of an index. Axes of size 1 repeat, and missing leading
/// axes too, as in broadcasting.
inline int64_t offsetOf(const Shape &shape, const Shape &index) {
  int64_t offset = 0;
  size_t lead = index.size() - shape.size();
  for (size_t axis = 0; axis < shape.size(); ++axis)
    offset = offset * shape[axis] + (shape[axis] == 1 ? 0 : index[lead + axis]);
  return offset;
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
