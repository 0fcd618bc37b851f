//===- Reference.cpp - The float engine -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Puts the families together.
//===----------------------------------------------------------------------===//
#include "Binding.h"
#include "Fusion.h"
#include "parallax/Backend/Reference/Kernels/OneDnn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

void populateReferenceKernels(KernelSet &kernels) {
  reference::addElementwiseKernels(kernels);
  reference::addIndexingKernels(kernels);
  reference::addLayoutKernels(kernels);
  reference::addMacKernels(kernels);
  reference::addNormalizeKernels(kernels);
  reference::addPoolKernels(kernels);
  reference::addQuantizeKernels(kernels);
  reference::addRecurrentKernels(kernels);
  reference::addReduceKernels(kernels);
  kernels.planFusion = reference::planFusion;
  kernels.makeReorder = kernels::makeReorder;
  kernels.makeRounding = reference::makeRounding;
}

const KernelSet &referenceKernels() {
  static const KernelSet kernels = [] {
    KernelSet set;
    populateReferenceKernels(set);
    return set;
  }();
  return kernels;
}

} // namespace parallax
