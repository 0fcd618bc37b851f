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

void (*changeNpuKernels)(KernelSet &kernels) = nullptr;

void populateNpuKernels(KernelSet &kernels) {
  npu::addElementwiseKernels(kernels);
  npu::addLayoutKernels(kernels);
  npu::addMacKernels(kernels);
  npu::addNormalizeKernels(kernels);
  npu::addRecurrentKernels(kernels);
  npu::addSumKernels(kernels);
  kernels.makeReorder = npu::makeReorder;
}

namespace {
struct Engine {
  KernelSet kernels;
  std::vector<FloatRule> rules;

  Engine() {
    populateReferenceKernels(kernels);
    // Layers that the float engine computes together are rounded elsewhere.
    kernels.planFusion = nullptr;
    populateNpuKernels(kernels);
    npu::addFloatKernels(kernels, rules);
    if (changeNpuKernels)
      changeNpuKernels(kernels);
  }
};
} // namespace

static const Engine &engine() {
  static const Engine simulator;
  return simulator;
}

const KernelSet &npuKernels() { return engine().kernels; }

const std::vector<FloatRule> &floatRules() { return engine().rules; }

} // namespace parallax
