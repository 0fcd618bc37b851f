//===- Scatter.cpp - Writing at addresses that are data -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// ScatterElements and ScatterND. Indices may repeat, so updates are applied one
// after the other on one thread; the copy of the data before them is parallel.
//===----------------------------------------------------------------------===//
#include "IndexValues.h"
#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Indexing.h"
#include "parallax/Backend/Kernels/StridedCopy.h"

namespace parallax::kernels {
namespace {

/// Calls `fn(tag of the element type, function that combines old and new)`.
template <typename Fn>
void dispatchReduction(ScatterReduction reduction, DType type, Fn &&fn) {
  if (reduction == ScatterReduction::None)
    return dispatchSize(sizeOf(type), [&](auto tag) {
      using T = typename decltype(tag)::type;
      fn(tag, [](T, T update) { return update; });
    });
  dispatch(type, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<Stored>) {
      // On bytes that are 0 or 1, minimum and product are "and", maximum is
      // "or".
      using T =
          std::conditional_t<std::is_same_v<Stored, bool>, uint8_t, Stored>;
      TypeTag<T> element;
      switch (reduction) {
      case ScatterReduction::Add:
        return fn(element, [](T a, T b) { return wrapAdd(a, b); });
      case ScatterReduction::Mul:
        return fn(element, [](T a, T b) { return wrapMul(a, b); });
      case ScatterReduction::Min:
        return fn(element, [](T a, T b) { return minimum(a, b); });
      default:
        return fn(element, [](T a, T b) { return maximum(a, b); });
      }
    } else {
      throw Error(fmt::format("Scatter does not compute in {}; insert a Cast "
                              "to float32 before it",
                              nameOf(type)));
    }
  });
}

} // namespace

void scatterElements(const Tensor &data, const Tensor &indices,
                     const Tensor &updates, Tensor &y, int64_t axis,
                     ScatterReduction reduction) {
  int64_t dim = data.dim(axis), count = indices.size();
  IndexValues index(indices);
  for (int64_t i = 0; i < count; ++i)
    checkIndex(index[i], dim, "ScatterElements", axis);
  parallelCopy(y.rawData(), data.rawData(), data.byteSize());
  if (count == 0)
    return;
  // The position along `axis` comes from the indices alone.
  LoopNest<1> nest{indices.shape(), {stridesOf(data.shape())}};
  int64_t axisStride = nest.strides[0][axis];
  nest.strides[0][axis] = 0;
  dispatchReduction(reduction, data.dtype(), [&](auto tag, auto combine) {
    using T = typename decltype(tag)::type;
    auto *update = static_cast<const T *>(updates.rawData());
    auto *to = static_cast<T *>(y.rawData());
    Odometer<1> position(nest, 0);
    for (int64_t i = 0; i < count; ++i, position.next()) {
      T &element = to[position[0] + wrapIndex(index[i], dim) * axisStride];
      element = combine(element, update[i]);
    }
  });
}

void scatterND(const Tensor &data, const Tensor &indices, const Tensor &updates,
               Tensor &y, ScatterReduction reduction) {
  const Shape &shape = data.shape();
  int64_t depth = indices.dim(indices.rank() - 1);
  int64_t count = elementCount(
      std::span(indices.shape()).first(size_t(indices.rank() - 1)));
  Shape strides = stridesOf(shape);
  int64_t run = elementCount(std::span(shape).subspan(size_t(depth)));
  IndexValues index(indices);
  for (int64_t i = 0; i < count * depth; ++i)
    checkIndex(index[i], shape[i % depth], "ScatterND", i % depth);
  parallelCopy(y.rawData(), data.rawData(), data.byteSize());
  dispatchReduction(reduction, data.dtype(), [&](auto tag, auto combine) {
    using T = typename decltype(tag)::type;
    auto *update = static_cast<const T *>(updates.rawData());
    auto *to = static_cast<T *>(y.rawData());
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (int64_t k = 0; k < depth; ++k)
        offset += strides[k] * wrapIndex(index[i * depth + k], shape[k]);
      for (int64_t j = 0; j < run; ++j)
        to[offset + j] = combine(to[offset + j], update[i * run + j]);
    }
  });
}

} // namespace parallax::kernels
