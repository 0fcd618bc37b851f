//===- NPU.h - The simulator engine ----------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Executes the view of the machine bit by bit as docs/numerics.md says. What
// moves codes, and layers in float, have the kernels of the float engine.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_NPU_H
#define PARALLAX_BACKEND_NPU_NPU_H

#include "parallax/Backend/Core/Prepare.h"

namespace parallax {

/// Adds the integer kernels of the npu dialect.
void populateNpuKernels(KernelSet &kernels);

/// The simulator: those and the float engine's, made once.
const KernelSet &npuKernels();

} // namespace parallax

#endif // PARALLAX_BACKEND_NPU_NPU_H
