//===- Reduce.h - Kernels that combine elements along axes -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, arg-reductions, selection and prefix sums with the semantics of
// ONNX. All axes are normalised (not negative). Floats are summed in double in
// an order that does not depend on the number of threads.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_REDUCE_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_REDUCE_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

enum class ReduceKind {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L1,
  L2,
  LogSum,
  LogSumExp,
  SumSquare,
};
inline constexpr int reduceKindCount = int(ReduceKind::SumSquare) + 1;

/// `axes` are sorted. Whether the output keeps reduced axes as ones does not
/// matter. Without axes, each element is reduced on its own: Sum copies, L1
/// takes the absolute value. Over no elements, the result is the neutral
/// element of the combination (-inf or the smallest integer for Max); the mean
/// is then NaN, or 0 for integers.
void reduce(ReduceKind kind, const Tensor &x, Tensor &y,
            std::span<const int64_t> axes);

/// The index (int64) of the extreme element along `axis`; the first one of
/// equals unless `selectLast`. NaN beats every number.
void argReduce(bool isMax, const Tensor &x, Tensor &y, int64_t axis,
               bool selectLast);

/// The k extreme elements along `axis`, where k is that dimension of the
/// outputs. Of equal elements the lower index comes first; NaN is larger than
/// every number. Without `sorted` their order is unspecified.
void topk(const Tensor &x, Tensor &values, Tensor &indices, int64_t axis,
          bool largest, bool sorted);

void cumsum(const Tensor &x, Tensor &y, int64_t axis, bool exclusive,
            bool reverse);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_REDUCE_H
