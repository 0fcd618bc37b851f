//===- NPU.h - The simulator engine ----------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Executes the view of the NPU bit by bit as docs/numerics.md says. What
// moves codes has the kernels of the float engine; layers in float have them
// where FloatRules.h gives a reason.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_NPU_H
#define PARALLAX_BACKEND_NPU_NPU_H

#include "parallax/Backend/Core/Prepare.h"

namespace parallax {

/// Adds the integer kernels of the npu dialect.
void populateNpuKernels(KernelSet &kernels);

/// The simulator: those, and kernels of the nn dialect for what is not codes,
/// made once.
const KernelSet &npuKernels();

/// Called with npuKernels() before their first use. Null in what is shipped: a
/// test that looks for broken kernels needs some.
extern void (*changeNpuKernels)(KernelSet &kernels);

} // namespace parallax

#endif // PARALLAX_BACKEND_NPU_NPU_H
