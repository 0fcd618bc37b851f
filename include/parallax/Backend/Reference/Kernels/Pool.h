//===- Pool.h - Reference kernels: pooling ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pooling over any number of spatial dimensions, layout N x C x spatial. The
// output's shape carries the decision about ceil_mode and auto_pad: the kernels
// only look at where a window falls.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_POOL_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_POOL_H

#include "parallax/Backend/Kernels/OperatorParams.h"

namespace parallax::kernels {

/// Any numeric type. A NaN in a window wins. A window without an element gives
/// the type's lowest value and index -1. `indices`, if given, receives the
/// position in the flattened input; with `storageOrder` 1 the spatial
/// dimensions are counted column-major.
void maxPool(const Tensor &x, Tensor &y, Tensor *indices,
             const PoolParams &params, int64_t storageOrder = 0);

/// float32 and float64. A window without an element gives 0.
void averagePool(const Tensor &x, Tensor &y, const PoolParams &params);

/// float32 and float64: (sum |x|^p)^(1/p).
void lpPool(const Tensor &x, Tensor &y, const PoolParams &params);

/// One value per image and channel; float32 and float64, Max for any numeric
/// type.
void globalPool(const Tensor &x, Tensor &y, PoolKind kind, int64_t p = 2);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_POOL_H
