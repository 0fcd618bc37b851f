//===- Reference.h - The float engine --------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels for every operator of the nn dialect in the arithmetic of the
// imported network.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_REFERENCE_H
#define PARALLAX_BACKEND_REFERENCE_REFERENCE_H

#include "parallax/Backend/Core/Prepare.h"

namespace parallax {

/// Adds the kernels, the fusion rules and the reorder of the float engine.
void populateReferenceKernels(KernelSet &kernels);

/// All of them, made once.
const KernelSet &referenceKernels();

} // namespace parallax

#endif // PARALLAX_BACKEND_REFERENCE_REFERENCE_H
