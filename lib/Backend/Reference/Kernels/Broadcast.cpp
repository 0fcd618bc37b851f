//===- Broadcast.cpp - Spans of broadcast operands ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// After fusing, the innermost loop usually is long and becomes the span. When
// it is short (a vector of three over the channels of an image, say), spans of
// that length would cost more in calls than in arithmetic; then the broadcast
// operands are spelled out block by block into a buffer in the cache.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Broadcast.h"

#include "parallax/Support/Parallel.h"

#include <cstring>

namespace parallax::kernels {
namespace {

constexpr int64_t shortestRow = 32;
constexpr int64_t blockElements = 1024;

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
    for (size_t k = 0; k < count; ++k) {
      isWhole[k] = nest.strides[k] == whole;
      innerStride[k] = nest.strides[k].back();
      outerOf[k] = {nest.dims, {nest.strides[k]}};
      outerOf[k].resize(nest.dims.size() - 1);
      isPeriodic[k] = outerOf[k].strides[0] == Shape(nest.dims.size() - 1, 0);
    }
    usesRows = nest.dims.size() == 1 || inner >= shortestRow;
    outer = std::move(nest);
    outer.resize(outer.dims.size() - 1);
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
    // Blocks of whole rows: what only depends on the column is the same in all.
    int64_t blockLength = blockElements / inner * inner;
    int64_t column = begin % inner;
    std::vector<Odometer<1>> rows;
    for (size_t k = 0; k < count; ++k)
      rows.emplace_back(outerOf[k], begin / inner);
    Operands operands;
    for (bool isFirst = true; begin < end; isFirst = false) {
      int64_t length = std::min(blockLength, end - begin);
      for (size_t k = 0; k < count; ++k) {
        if (!isWhole[k] && (isFirst || !isPeriodic[k]))
          spellOut(k, rows[k], column, length, buffers[k]);
        operands[k] = {isWhole[k] ? address(k, begin) : buffers[k], false};
      }
      fn(operands, begin, length);
      begin += length;
    }
  }

  /// Writes `length` elements of operand k from `column` of `row` on, and moves
  /// `row` to where the next block begins.
  void spellOut(size_t k, Odometer<1> &row, int64_t column, int64_t length,
                std::byte *target) const {
    dispatchSize(elementSize[k], [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto *from = reinterpret_cast<const T *>(base[k]);
      auto *to = reinterpret_cast<T *>(target);
      const int64_t stride = innerStride[k];
      const T *source = from + row[0] + column * stride;
      for (int64_t i = 0; i < length; ++i) {
        to[i] = *source;
        source += stride;
        if (++column == inner) {
          column = 0;
          row.next();
          source = from + row[0];
        }
      }
    });
  }

  size_t count;
  std::array<const std::byte *, 3> base{};
  std::array<size_t, 3> elementSize{};
  std::array<int64_t, 3> innerStride{};
  /// Whether an operand has all elements of the output, or only depends on the
  /// innermost index.
  std::array<bool, 3> isWhole{}, isPeriodic{};
  LoopNest<3> outer;
  std::array<LoopNest<1>, 3> outerOf;
  int64_t inner = 1;
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
