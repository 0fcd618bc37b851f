//===- Broadcast.cpp - Spans of broadcast operands ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// After fusing, the innermost loop usually is long and becomes the span. When
// it is short (the channels of an interleaved image, say), spans of that length
// would cost more in calls than in arithmetic; then the broadcast operands are
// spelled out block by block into a buffer in the cache. Rows are the innermost
// loop there, and the loop around it, which walks rows with one stride, is a
// group.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Broadcast.h"

#include "parallax/Support/Parallel.h"

#include <cstring>

namespace parallax::kernels {
namespace {

constexpr int64_t shortestRow = 128;
constexpr int64_t blockElements = 1024;

/// Writes `rows` rows of `inner` elements. A constant `inner` makes a row one
/// or two moves of a register.
template <typename T, typename Inner>
PARALLAX_INLINE void spellRows(T *to, const T *from, int64_t rows,
                               int64_t rowStride, bool isRepeated,
                               Inner inner) {
  for (int64_t row = 0; row < rows; ++row, to += inner, from += rowStride)
    if (isRepeated)
      std::fill_n(to, int64_t(inner), *from);
    else
      for (int64_t i = 0; i < inner; ++i)
        to[i] = from[i];
}

template <typename T>
void spellWholeRows(T *to, const T *from, int64_t rows, int64_t rowStride,
                    bool isRepeated, int64_t inner) {
  switch (inner) {
  case 4:
    return spellRows(to, from, rows, rowStride, isRepeated,
                     std::integral_constant<int64_t, 4>());
  case 8:
    return spellRows(to, from, rows, rowStride, isRepeated,
                     std::integral_constant<int64_t, 8>());
  case 16:
    return spellRows(to, from, rows, rowStride, isRepeated,
                     std::integral_constant<int64_t, 16>());
  default:
    return spellRows(to, from, rows, rowStride, isRepeated, inner);
  }
}

using Callback = std::function<void(const Operands &, int64_t, int64_t)>;

class SpanWalk {
public:
  SpanWalk(const Shape &shape, std::span<const Tensor *const> inputs)
      : count(inputs.size()) {
    LoopNest<3> nest{shape, {}};
    nest.strides.fill(Shape(shape.size(), 0));
    for (size_t k = 0; k < count; ++k) {
      base[k] = static_cast<const std::byte *>(inputs[k]->rawData());
      elementSize[k] = sizeOf(inputs[k]->dtype());
      const Shape &dims = inputs[k]->shape();
      Shape strides = stridesOf(dims);
      size_t offset = shape.size() - dims.size();
      for (size_t axis = 0; axis < dims.size(); ++axis)
        if (dims[axis] != 1)
          nest.strides[k][offset + axis] = strides[axis];
    }
    nest.simplify();
    if (nest.dims.empty())
      nest = {{1}, {Shape{0}, Shape{0}, Shape{0}}};
    inner = nest.dims.back();
    Shape whole = stridesOf(nest.dims);
    usesRows = nest.dims.size() == 1 || inner >= shortestRow;
    for (size_t k = 0; k < count; ++k) {
      isWhole[k] = nest.strides[k] == whole;
      innerStride[k] = nest.strides[k].back();
    }
    nest.resize(nest.dims.size() - 1);
    outer = nest;
    if (usesRows)
      return;
    rowsPerGroup = nest.dims.back();
    for (size_t k = 0; k < count; ++k)
      rowStride[k] = nest.strides[k].back();
    nest.resize(nest.dims.size() - 1);
    groups = std::move(nest);
  }

  void run(int64_t begin, int64_t end, const Callback &fn) const {
    usesRows ? runRows(begin, end, fn) : runBlocks(begin, end, fn);
  }

private:
  const std::byte *address(size_t k, int64_t element) const {
    return base[k] + element * int64_t(elementSize[k]);
  }

  void runRows(int64_t begin, int64_t end, const Callback &fn) const {
    Odometer<3> row(outer, begin / inner);
    int64_t column = begin % inner;
    Operands operands;
    while (begin < end) {
      int64_t length = std::min(inner - column, end - begin);
      for (size_t k = 0; k < count; ++k)
        operands[k] = {address(k, row[k] + column * innerStride[k]),
                       innerStride[k] == 0};
      fn(operands, begin, length);
      begin += length;
      column = 0;
      row.next();
    }
  }

  void runBlocks(int64_t begin, int64_t end, const Callback &fn) const {
    alignas(64) std::byte buffers[3][blockElements * sizeof(uint64_t)];
    // Blocks of whole rows: what only depends on the column stays the same.
    int64_t blockLength = blockElements / inner * inner;
    int64_t groupLength = rowsPerGroup * inner;
    int64_t filledGroup = -1, filled = 0;
    Operands operands;
    for (; begin < end; begin += blockLength) {
      int64_t length = std::min(blockLength, end - begin);
      int64_t group = begin / groupLength;
      bool isInside = (begin + length - 1) / groupLength == group;
      bool isRepetition = isInside && group == filledGroup && length <= filled;
      for (size_t k = 0; k < count; ++k) {
        if (!isWhole[k] && !(isRepetition && rowStride[k] == 0))
          spellOut(k, begin, length, buffers[k]);
        operands[k] = {isWhole[k] ? address(k, begin) : buffers[k], false};
      }
      if (!isRepetition) {
        filledGroup = isInside ? group : -1;
        filled = length;
      }
      fn(operands, begin, length);
    }
  }

  /// Writes `length` elements of operand k from element `begin` of the output
  /// on.
  void spellOut(size_t k, int64_t begin, int64_t length,
                std::byte *target) const {
    dispatchSize(elementSize[k], [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto *from = reinterpret_cast<const T *>(base[k]);
      auto *to = reinterpret_cast<T *>(target);
      int64_t column = begin % inner, row = begin / inner % rowsPerGroup;
      Odometer<3> group(groups, begin / inner / rowsPerGroup);
      while (length > 0) {
        const T *source = from + group[k] + row * rowStride[k];
        int64_t rows = std::min(rowsPerGroup - row, length / inner);
        if (column == 0 && rows > 0) {
          spellWholeRows(to, source, rows, rowStride[k], innerStride[k] == 0,
                         inner);
          to += rows * inner;
          length -= rows * inner;
          row += rows;
        } else { // the rest of a row, or its beginning
          int64_t part = std::min(inner - column, length);
          for (int64_t i = column; i < column + part; ++i)
            *to++ = source[i * innerStride[k]];
          length -= part;
          column = 0;
          ++row;
        }
        if (row == rowsPerGroup) {
          row = 0;
          group.next();
        }
      }
    });
  }

  size_t count;
  std::array<const std::byte *, 3> base{};
  std::array<size_t, 3> elementSize{};
  std::array<int64_t, 3> innerStride{};
  /// Whether an operand has all elements of the output.
  std::array<bool, 3> isWhole{};
  /// The loops around the rows, and around the groups of rows.
  LoopNest<3> outer, groups;
  int64_t inner = 1;
  int64_t rowsPerGroup = 1;
  std::array<int64_t, 3> rowStride{};
  bool usesRows = true;
};

} // namespace

void forEachSpan(const Shape &shape, std::span<const Tensor *const> inputs,
                 const Callback &fn) {
  int64_t total = elementCount(shape);
  if (total == 0)
    return;
  SpanWalk walk(shape, inputs);
  parallelFor(total, cheapGrain,
              [&](int64_t begin, int64_t end) { walk.run(begin, end, fn); });
}

} // namespace parallax::kernels
