//===- Broadcast.h - Spans of broadcast operands ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// NumPy broadcasting for all element-wise kernels. A kernel only ever sees
// spans of consecutive output elements, in which each operand is either
// consecutive too or one value; all index arithmetic stays here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_BROADCAST_H
#define PARALLAX_BACKEND_KERNELS_BROADCAST_H

#include "parallax/Backend/Kernels/Loops.h"

#include <functional>

namespace parallax::kernels {

/// An operand within one span.
struct Operand {
  const void *data = nullptr;
  /// Whether `data` is one value for the whole span.
  bool isScalar = false;

  template <typename T> const T *as() const {
    return static_cast<const T *>(data);
  }
};

/// At most three operands, in the order in which they were given.
using Operands = std::array<Operand, 3>;

/// Calls `fn(operands, begin, count)` for spans that cover all elements of an
/// output of shape `shape`, on several threads.
void forEachSpan(const Shape &shape, std::span<const Tensor *const> inputs,
                 const std::function<void(const Operands &operands,
                                          int64_t begin, int64_t count)> &fn);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_BROADCAST_H
