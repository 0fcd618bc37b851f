//===- NPU.cpp - The simulator engine -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Puts the families together.
//===----------------------------------------------------------------------===//
#include "Binding.h"

#include "parallax/Backend/Reference/Reference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

void populateNpuKernels(KernelSet &kernels) {
  npu::addElementwiseKernels(kernels);
  npu::addMacKernels(kernels);
  npu::addNormalizeKernels(kernels);
  npu::addSumKernels(kernels);
}

const KernelSet &npuKernels() {
  static const KernelSet kernels = [] {
    KernelSet set;
    populateReferenceKernels(set);
    populateNpuKernels(set);
    return set;
  }();
  return kernels;
}

} // namespace parallax
