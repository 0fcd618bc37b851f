//===- Indexing.h - Kernels whose addresses are data -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Gather, scatter and NonZero with the semantics of ONNX. Indices are int32 or
// int64 and count from the end if negative. They come from the user's data, so
// all of them are checked before the first element moves; one out of range
// throws Error.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_INDEXING_H
#define PARALLAX_BACKEND_KERNELS_INDEXING_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

void gather(const Tensor &data, const Tensor &indices, Tensor &y, int64_t axis);
void gatherElements(const Tensor &data, const Tensor &indices, Tensor &y,
                    int64_t axis);
void gatherND(const Tensor &data, const Tensor &indices, Tensor &y,
              int64_t batchDims);

enum class ScatterReduction { None, Add, Mul, Min, Max };

/// Updates are applied in order, so the last one of equal indices wins without
/// a reduction. y may be the buffer of `data`.
void scatterElements(const Tensor &data, const Tensor &indices,
                     const Tensor &updates, Tensor &y, int64_t axis,
                     ScatterReduction reduction);
void scatterND(const Tensor &data, const Tensor &indices, const Tensor &updates,
               Tensor &y, ScatterReduction reduction);

/// y comes as [rank, capacity] and leaves as [rank, count], without gaps.
void nonZero(const Tensor &x, Tensor &y);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_INDEXING_H
