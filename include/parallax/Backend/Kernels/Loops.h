//===- Loops.h - Loop nests over strided operands --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What all kernels that walk several tensors together share: a loop nest that
// is first reduced to as few loops as possible, and an odometer that steps
// through it by additions alone, since a division per element would cost more
// than most element-wise operations themselves.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_LOOPS_H
#define PARALLAX_BACKEND_KERNELS_LOOPS_H

#include "parallax/Backend/Kernels/KernelSupport.h"

#include <array>

namespace parallax::kernels {

/// Loops over `dims`, outermost first, with one stride per loop and operand.
template <size_t N> struct LoopNest {
  Shape dims;
  std::array<Shape, N> strides;

  /// Removes loops of one iteration and fuses neighbours that every operand
  /// walks with one common stride.
  void simplify() {
    size_t kept = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] == 1)
        continue;
      bool fuses = kept > 0;
      for (const Shape &stride : strides)
        fuses = fuses && stride[kept - 1] == stride[axis] * dims[axis];
      size_t target = fuses ? kept - 1 : kept++;
      dims[target] = fuses ? dims[target] * dims[axis] : dims[axis];
      for (Shape &stride : strides)
        stride[target] = stride[axis];
    }
    resize(kept);
  }

  void resize(size_t rank) {
    dims.resize(rank);
    for (Shape &stride : strides)
      stride.resize(rank);
  }

  void erase(size_t axis) {
    dims.erase(dims.begin() + axis);
    for (Shape &stride : strides)
      stride.erase(stride.begin() + axis);
  }
};

/// Steps through the iterations of a loop nest in row-major order and knows the
/// offset of each operand.
template <size_t N> class Odometer {
public:
  Odometer(const LoopNest<N> &nest, int64_t start)
      : nest(nest), position(nest.dims.size()) {
    for (size_t axis = nest.dims.size(); axis-- > 0;) {
      position[axis] = start % nest.dims[axis];
      start /= nest.dims[axis];
      for (size_t k = 0; k < N; ++k)
        offsets[k] += position[axis] * nest.strides[k][axis];
    }
  }

  void next() {
    for (size_t axis = position.size(); axis-- > 0;) {
      bool wraps = ++position[axis] == nest.dims[axis];
      int64_t steps = wraps ? 1 - nest.dims[axis] : 1;
      for (size_t k = 0; k < N; ++k)
        offsets[k] += steps * nest.strides[k][axis];
      if (!wraps)
        return;
      position[axis] = 0;
    }
  }

  int64_t operator[](size_t operand) const { return offsets[operand]; }
  /// The index along one loop of the nest.
  int64_t at(size_t axis) const { return position[axis]; }

private:
  const LoopNest<N> &nest;
  Shape position;
  std::array<int64_t, N> offsets{};
};

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_LOOPS_H
