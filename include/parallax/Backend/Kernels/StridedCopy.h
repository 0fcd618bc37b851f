//===- StridedCopy.h - The engine of the layout kernels --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Transposing, slicing, concatenating, broadcasting and tiling are the same
// thing: a copy between two memories that are walked with different strides.
// Here that copy is made fast once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_STRIDEDCOPY_H
#define PARALLAX_BACKEND_KERNELS_STRIDEDCOPY_H

#include "parallax/Backend/Kernels/Loops.h"

namespace parallax::kernels {

/// Copies elements of `elementSize` bytes. Operand 0 of the nest is the target
/// and operand 1 the source; the strides are in elements. A stride of 0
/// repeats the source, negative strides walk backwards. The memories must not
/// overlap.
void stridedCopy(void *target, const void *source, size_t elementSize,
                 LoopNest<2> nest);

/// A plain copy on several threads; nothing happens if both are the same.
void parallelCopy(void *target, const void *source, size_t bytes);

/// Sets `count` elements to the value at `value`, on several threads.
void parallelFill(void *target, const void *value, size_t elementSize,
                  int64_t count);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_STRIDEDCOPY_H
