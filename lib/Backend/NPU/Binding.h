//===- Binding.h - From npu operations to kernels --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How attributes become the plain numbers that integer kernels take. All of
// them work on row-major tensors.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_BINDING_H
#define PARALLAX_LIB_BACKEND_NPU_BINDING_H

#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NPU/NPUOps.h"

namespace parallax::npu {

// One function per operator family, each in the source file of its name.
void addElementwiseKernels(KernelSet &kernels);
void addMacKernels(KernelSet &kernels);
void addNormalizeKernels(KernelSet &kernels);
void addSumKernels(KernelSet &kernels);

/// The place of a word in the list that the operation's definition gives.
template <typename Enum, size_t N>
Enum enumOf(StringRef word, const StringRef (&words)[N]) {
  return Enum(llvm::find(words, word) - words);
}

template <typename OpTy> OutputCodes outputOf(OpTy op) {
  static constexpr StringRef roundings[] = {"half_up", "half_away",
                                            "half_even"};
  return {int64_t(op.getZeroPoint()), int64_t(op.getLow()),
          int64_t(op.getHigh()), enumOf<Rounding>(op.getRounding(), roundings)};
}

template <typename OpTy> std::vector<Multiplier> multipliersOf(OpTy op) {
  std::vector<Multiplier> result;
  for (auto [mantissa, shift] : llvm::zip(op.getMultipliers(), op.getShifts()))
    result.push_back({mantissa, shift});
  return result;
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_BINDING_H
