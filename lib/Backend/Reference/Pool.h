//===- Pool.h - Pooling over whole planes ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A mean over all spatial dimensions is a global pooling under another name,
// so the reductions use its kernel.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_POOL_H
#define PARALLAX_LIB_BACKEND_REFERENCE_POOL_H

#include "parallax/Backend/Core/KernelSet.h"
#include "parallax/Backend/Reference/Kernels/OneDnn.h"

namespace parallax::reference {

/// One number per image and channel; `p` is the exponent of a p-norm.
Kernel bindGlobalPool(BindContext &context, kernels::PoolKind kind,
                      int64_t p = 2);

} // namespace parallax::reference

#endif // PARALLAX_LIB_BACKEND_REFERENCE_POOL_H
