//===- Gather.cpp - Reading at addresses that are data --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Gather, GatherElements, GatherND and NonZero.
//===----------------------------------------------------------------------===//
#include "IndexValues.h"

#include "parallax/Backend/Kernels/Indexing.h"
#include "parallax/Backend/Kernels/Loops.h"
#include "parallax/Support/Parallel.h"

#include <cstring>

namespace parallax::kernels {
namespace {

int64_t product(const Shape &shape, int64_t begin, int64_t end) {
  return elementCount({shape.begin() + begin, shape.begin() + end});
}

/// Copies `count` runs. Run i comes from element `source()` of `from`, in units
/// of runs, after `source = sourcesFrom(begin)` and as many calls as needed.
template <typename SourcesFrom>
void gatherRuns(Tensor &y, const Tensor &data, int64_t run, int64_t count,
                SourcesFrom sourcesFrom) {
  int64_t size = sizeOf(data.dtype());
  parallelFor(count, grainFor(run), [&](int64_t begin, int64_t end) {
    auto source = sourcesFrom(begin);
    if (run == 1)
      return dispatchSize(size_t(size), [&](auto tag) {
        using T = typename decltype(tag)::type;
        auto *from = static_cast<const T *>(data.rawData());
        auto *to = static_cast<T *>(y.rawData());
        for (int64_t i = begin; i < end; ++i)
          to[i] = from[source()];
      });
    auto *from = static_cast<const std::byte *>(data.rawData());
    auto *to = static_cast<std::byte *>(y.rawData());
    auto copyRuns = [&](auto bytes) {
      for (int64_t i = begin; i < end; ++i)
        std::memcpy(to + i * bytes, from + source() * bytes, size_t(bytes));
    };
    // A constant length spares the call for the short runs of blocked layouts.
    if (run * size == 32)
      copyRuns(std::integral_constant<int64_t, 32>());
    else if (run * size == 64)
      copyRuns(std::integral_constant<int64_t, 64>());
    else
      copyRuns(run * size);
  });
}

} // namespace

void gather(const Tensor &data, const Tensor &indices, Tensor &y,
            int64_t axis) {
  int64_t dim = data.dim(axis);
  int64_t outer = product(data.shape(), 0, axis);
  int64_t inner = product(data.shape(), axis + 1, data.rank());
  IndexValues index(indices);
  int64_t count = index.size();
  for (int64_t i = 0; i < count; ++i)
    checkIndex(index[i], dim, "Gather", axis);
  gatherRuns(y, data, inner, outer * count, [=](int64_t begin) {
    return [=, i = begin % count, base = begin / count * dim]() mutable {
      int64_t element = base + wrapIndex(index[i], dim);
      if (++i == count) {
        i = 0;
        base += dim;
      }
      return element;
    };
  });
}

void gatherElements(const Tensor &data, const Tensor &indices, Tensor &y,
                    int64_t axis) {
  int64_t dim = data.dim(axis);
  IndexValues index(indices);
  int64_t count = indices.size();
  for (int64_t i = 0; i < count; ++i)
    checkIndex(index[i], dim, "GatherElements", axis);
  if (count == 0)
    return;
  // The position along `axis` comes from the indices alone.
  LoopNest<1> nest{indices.shape(), {stridesOf(data.shape())}};
  int64_t axisStride = nest.strides[0][axis];
  nest.strides[0][axis] = 0;
  int64_t columns = nest.dims.back(), columnStride = nest.strides[0].back();
  nest.resize(nest.dims.size() - 1);
  dispatchSize(sizeOf(data.dtype()), [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto *from = static_cast<const T *>(data.rawData());
    auto *to = static_cast<T *>(y.rawData());
    parallelFor(
        count / columns, grainFor(columns), [&](int64_t begin, int64_t end) {
          Odometer<1> row(nest, begin);
          for (; begin < end; ++begin, row.next()) {
            const T *source = from + row[0];
            int64_t first = begin * columns;
            T *target = to + first;
            for (int64_t i = 0; i < columns; ++i)
              target[i] = source[wrapIndex(index[first + i], dim) * axisStride +
                                 i * columnStride];
          }
        });
  });
}

void gatherND(const Tensor &data, const Tensor &indices, Tensor &y,
              int64_t batchDims) {
  const Shape &shape = data.shape();
  int64_t depth = indices.dim(indices.rank() - 1);
  int64_t batches = product(shape, 0, batchDims);
  int64_t count = product(indices.shape(), 0, indices.rank() - 1);
  // Strides in runs.
  Shape strides =
      stridesOf(std::span(shape).subspan(size_t(batchDims), size_t(depth)));
  int64_t batchStride = product(shape, batchDims, batchDims + depth);
  int64_t run = product(shape, batchDims + depth, data.rank());
  int64_t perBatch = count / std::max<int64_t>(batches, 1);
  IndexValues index(indices);
  for (int64_t i = 0; i < count * depth; ++i) {
    int64_t axis = batchDims + i % depth;
    checkIndex(index[i], shape[axis], "GatherND", axis);
  }
  gatherRuns(y, data, run, count, [&](int64_t begin) {
    return [&, i = begin]() mutable {
      int64_t element = batches > 1 ? i / perBatch * batchStride : 0;
      for (int64_t k = 0; k < depth; ++k)
        element +=
            strides[k] * wrapIndex(index[i * depth + k], shape[batchDims + k]);
      ++i;
      return element;
    };
  });
}

void nonZero(const Tensor &x, Tensor &y) {
  int64_t rank = x.rank();
  dispatch(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = x.data<T>();
    int64_t size = x.size();
    int64_t count = std::count_if(from, from + size,
                                  [](T value) { return double(value) != 0; });
    y.setShape({rank, count});
    int64_t *to = y.data<int64_t>();
    LoopNest<1> nest{x.shape(), {Shape(size_t(rank), 0)}};
    if (count == 0)
      return;
    Odometer<1> position(nest, 0);
    for (int64_t i = 0, found = 0; i < size; ++i, position.next()) {
      if (double(from[i]) == 0)
        continue;
      for (int64_t axis = 0; axis < rank; ++axis)
        to[axis * count + found] = position.at(size_t(axis));
      ++found;
    }
  });
}

} // namespace parallax::kernels
