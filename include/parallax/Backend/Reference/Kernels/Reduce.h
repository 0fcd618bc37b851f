//===- Reduce.h - Kernels that combine elements along axes -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions with the semantics of ONNX. All axes are normalised (not
// negative). Floats are summed in double in an order that does not depend on
// the number of threads.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_REDUCE_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_REDUCE_H

#include "parallax/Backend/Kernels/OperatorParams.h"

namespace parallax::kernels {

/// `axes` are sorted. Whether the output keeps reduced axes as ones does not
/// matter. Without axes, each element is reduced on its own: Sum copies, L1
/// takes the absolute value. Over no elements, the result is the neutral
/// element of the combination (-inf or the smallest integer for Max); the mean
/// is then NaN, or 0 for integers.
void reduce(ReduceKind kind, const Tensor &x, Tensor &y,
            std::span<const int64_t> axes);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_REDUCE_H
