//===- KernelTesting.h - Helpers of the kernel tests -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Short ways to write tensors by hand and to fill large ones, and an index walk
// so naive that it can serve as the expected truth.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_KERNELS_KERNELTESTING_H
#define PARALLAX_TEST_UNIT_KERNELS_KERNELTESTING_H

#include "parallax/Support/Tensor.h"

#include <functional>
#include <random>

namespace parallax::testing {

template <typename T>
Tensor make(Shape shape, const std::vector<std::type_identity_t<T>> &values) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  assert(int64_t(values.size()) == tensor.size());
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.size());
}

/// 0, 1, 2, ...
template <typename T> Tensor iota(Shape shape) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<T>()[i] = T(i);
  return tensor;
}

/// Numbers in [lo, hi], the same in every run.
template <typename T> Tensor random(Shape shape, double lo, double hi) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> distribution(lo, hi);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<T>()[i] = T(distribution(engine));
  return tensor;
}

/// Calls fn with every index of `shape` in row-major order.
inline void forEachIndex(const Shape &shape,
                         const std::function<void(const Shape &)> &fn) {
  int64_t count = elementCount(shape);
  for (int64_t linear = 0; linear < count; ++linear) {
    Shape index(shape.size());
    int64_t rest = linear;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      index[axis] = rest % shape[axis];
    fn(index);
  }
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

} // namespace parallax::testing

#endif // PARALLAX_TEST_UNIT_KERNELS_KERNELTESTING_H
