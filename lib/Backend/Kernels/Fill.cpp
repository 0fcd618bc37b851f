//===- Fill.cpp - Layout kernels that also make new elements --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pad, Trilu, OneHot and ReverseSequence: the position decides whether an
// element is copied, and from where.
//===----------------------------------------------------------------------===//
#include "IndexValues.h"
#include "parallax/Backend/Kernels/Arithmetic.h"
#include "parallax/Backend/Kernels/Layout.h"
#include "parallax/Backend/Kernels/StridedCopy.h"
#include "parallax/Support/Parallel.h"

#include <cstring>

namespace parallax::kernels {
namespace {

int64_t floorMod(int64_t a, int64_t b) {
  int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// The element of an axis of `dim` elements that position i of the padded axis
/// repeats; i may lie on either side.
int64_t repeatedIndex(PadMode mode, int64_t i, int64_t dim) {
  if (i >= 0 && i < dim)
    return i;
  switch (mode) {
  case PadMode::Edge:
    return i < 0 ? 0 : dim - 1;
  case PadMode::Wrap:
    return floorMod(i, dim);
  default: // reflect, again and again if the pad is longer than the axis
    if (dim == 1)
      return 0;
    i = floorMod(i, 2 * (dim - 1));
    return i < dim ? i : 2 * (dim - 1) - i;
  }
}

void padConstant(const Tensor &x, Tensor &y, std::span<const int64_t> begins,
                 const void *value) {
  size_t size = sizeOf(x.dtype());
  Shape xStrides = stridesOf(x.shape()), yStrides = stridesOf(y.shape());
  Shape kept(x.shape().size());
  int64_t xOffset = 0, yOffset = 0;
  for (size_t axis = 0; axis < kept.size(); ++axis) {
    int64_t first = std::max<int64_t>(0, -begins[axis]);
    int64_t end = std::min(x.dim(axis), y.dim(axis) - begins[axis]);
    kept[axis] = std::max<int64_t>(0, end - first);
    xOffset += first * xStrides[axis];
    yOffset += (first + begins[axis]) * yStrides[axis];
  }
  int64_t copied = elementCount(kept);
  if (copied < y.size())
    parallelFill(y.rawData(), value, size, y.size());
  if (copied > 0)
    stridedCopy(static_cast<std::byte *>(y.rawData()) + yOffset * int64_t(size),
                static_cast<const std::byte *>(x.rawData()) +
                    xOffset * int64_t(size),
                size, {kept, {yStrides, xStrides}});
}

/// Every pad mode that repeats elements of x, for x of rank 1 or more.
template <typename T>
void padRepeated(const Tensor &x, Tensor &y, std::span<const int64_t> begins,
                 PadMode mode) {
  size_t last = x.shape().size() - 1;
  Shape xStrides = stridesOf(x.shape());
  // For each axis, the offset in x that each position of y refers to.
  std::vector<Shape> offsets(last + 1);
  for (size_t axis = 0; axis <= last; ++axis)
    for (int64_t i = 0; i < y.dim(axis); ++i)
      offsets[axis].push_back(
          xStrides[axis] * repeatedIndex(mode, i - begins[axis], x.dim(axis)));
  const Shape &columns = offsets[last];
  int64_t width = y.dim(last);
  int64_t copyBegin = std::clamp<int64_t>(begins[last], 0, width);
  int64_t copyEnd =
      std::clamp<int64_t>(begins[last] + x.dim(last), copyBegin, width);

  LoopNest<1> rows{y.shape(), {Shape(last + 1, 0)}};
  rows.resize(last);
  auto *from = static_cast<const T *>(x.rawData());
  auto *to = static_cast<T *>(y.rawData());
  parallelFor(elementCount(rows.dims), grainFor(width),
              [&](int64_t begin, int64_t end) {
                Odometer<1> row(rows, begin);
                for (; begin < end; ++begin, row.next()) {
                  const T *source = from;
                  for (size_t axis = 0; axis < last; ++axis)
                    source += offsets[axis][row.at(axis)];
                  T *target = to + begin * width;
                  for (int64_t i = 0; i < copyBegin; ++i)
                    target[i] = source[columns[i]];
                  if (copyBegin < copyEnd)
                    std::copy_n(source + columns[copyBegin],
                                copyEnd - copyBegin, target + copyBegin);
                  for (int64_t i = copyEnd; i < width; ++i)
                    target[i] = source[columns[i]];
                }
              });
}

} // namespace

void pad(const Tensor &x, Tensor &y, std::span<const int64_t> padsBegin,
         PadMode mode, const void *value) {
  if (mode == PadMode::Constant || x.rank() == 0)
    padConstant(x, y, padsBegin, value);
  else if (y.size() > 0)
    dispatchSize(sizeOf(x.dtype()), [&](auto tag) {
      padRepeated<typename decltype(tag)::type>(x, y, padsBegin, mode);
    });
}

void trilu(const Tensor &x, Tensor &y, int64_t k, bool upper) {
  if (x.size() == 0)
    return;
  int64_t height = x.dim(x.rank() - 2), width = x.dim(x.rank() - 1);
  // Farther diagonals are outside as well, and would overflow.
  k = std::clamp(k, -height, width);
  int64_t size = sizeOf(x.dtype());
  auto *from = static_cast<const std::byte *>(x.rawData());
  auto *to = static_cast<std::byte *>(y.rawData());
  parallelFor(
      x.size() / width, grainFor(width), [=](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          // Columns from `first` on lie on or above the diagonal; those before
          // `past` on or below.
          int64_t first = std::clamp<int64_t>(row % height + k, 0, width);
          int64_t past = std::clamp<int64_t>(row % height + k + 1, 0, width);
          int64_t keepBegin = upper ? first : 0;
          int64_t keepEnd = upper ? width : past;
          std::byte *target = to + row * width * size;
          std::memset(target, 0, size_t(keepBegin * size));
          std::memmove(target + keepBegin * size,
                       from + (row * width + keepBegin) * size,
                       size_t((keepEnd - keepBegin) * size));
          std::memset(target + keepEnd * size, 0,
                      size_t((width - keepEnd) * size));
        }
      });
}

void oneHot(const Tensor &indices, const Tensor &values, Tensor &y,
            int64_t axis) {
  int64_t size = sizeOf(y.dtype());
  auto *offValue = static_cast<const std::byte *>(values.rawData());
  parallelFill(y.rawData(), offValue, size_t(size), y.size());
  int64_t depth = y.dim(axis), inner = 1;
  for (int64_t i = axis + 1; i < y.rank(); ++i)
    inner *= y.dim(i);
  auto *to = static_cast<std::byte *>(y.rawData());
  dispatch(indices.dtype(), [&](auto tag) {
    using Index = typename decltype(tag)::type;
    const Index *index = indices.data<Index>();
    int64_t count = indices.size();
    for (int64_t i = 0, outer = 0, column = 0; i < count; ++i) {
      int64_t hot;
      if constexpr (std::is_integral_v<Index>)
        hot = int64_t(index[i]);
      else
        hot = saturateTo<int64_t>(double(index[i]));
      hot = wrapIndex(hot, depth);
      if (hot >= 0 && hot < depth)
        std::memcpy(to + ((outer * depth + hot) * inner + column) * size,
                    offValue + size, size_t(size));
      if (++column == inner) {
        column = 0;
        ++outer;
      }
    }
  });
}

void reverseSequence(const Tensor &x, const Tensor &lens, Tensor &y,
                     int64_t batchAxis, int64_t timeAxis) {
  int64_t batches = x.dim(batchAxis), times = x.dim(timeAxis);
  if (x.size() == 0)
    return;
  IndexValues lengths(lens);
  for (int64_t i = 0; i < batches; ++i)
    checkRange(lengths[i], 0, times, "ReverseSequence length", timeAxis);
  int64_t runBytes = int64_t(x.byteSize()) / (batches * times);
  int64_t timeStride = timeAxis == 0 ? batches : 1;
  int64_t batchStride = timeAxis == 0 ? 1 : times;
  auto *from = static_cast<const std::byte *>(x.rawData());
  auto *to = static_cast<std::byte *>(y.rawData());
  parallelFor(batches, grainFor(times * runBytes),
              [&](int64_t begin, int64_t end) {
                for (int64_t batch = begin; batch < end; ++batch)
                  for (int64_t time = 0; time < times; ++time) {
                    int64_t length = lengths[batch];
                    int64_t source = time < length ? length - 1 - time : time;
                    int64_t base = batch * batchStride;
                    std::memcpy(to + (base + time * timeStride) * runBytes,
                                from + (base + source * timeStride) * runBytes,
                                size_t(runBytes));
                  }
              });
}

} // namespace parallax::kernels
