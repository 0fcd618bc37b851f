//===- Binding.h - From operations to kernels ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the binding files of the operator families share: how a kernel follows
// the layout of its operands, and how attributes become plain values.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_BINDING_H
#define PARALLAX_LIB_BACKEND_REFERENCE_BINDING_H

#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Error.h"

#include <array>

namespace parallax::reference {

// One function per operator family, each in the source file of its name.
void addElementwiseKernels(KernelSet &kernels);
void addIndexingKernels(KernelSet &kernels);
void addLayoutKernels(KernelSet &kernels);
void addMacKernels(KernelSet &kernels);
void addNormalizeKernels(KernelSet &kernels);
void addPoolKernels(KernelSet &kernels);
void addQuantizeKernels(KernelSet &kernels);
void addRecurrentKernels(KernelSet &kernels);
void addReduceKernels(KernelSet &kernels);

/// Rounds a quantized result in place, if the operation does more than to move
/// elements of the same type.
Kernel makeRounding(mlir::OpResult result);

/// Computes in the layout that operand 0 has, for kernels that treat every
/// element alike. Returns that layout.
inline Layout followOperand(KernelBuilder &builder) {
  Layout layout = builder.input(0).layout;
  builder.wantLayout(0, layout);
  builder.setOutputLayout(0, layout);
  return layout;
}

/// True if the last block of channels is full, so that no padding is computed
/// on.
inline bool fillsBlocks(const ValueInfo &info) {
  return info.layout.isPlain() || info.shape[1] % info.layout.channelBlock == 0;
}

inline int64_t normalizedAxis(int64_t axis, size_t rank) {
  return axis < 0 ? axis + int64_t(rank) : axis;
}

/// The enumerator at the place of `word` in the list that the operator's
/// definition gives.
template <typename Enum, size_t N>
Enum enumOf(StringRef word, const std::array<StringRef, N> &words) {
  for (size_t i = 0; i < N; ++i)
    if (words[i] == word)
      return Enum(i);
  throw Error("the word '" + word.str() + "' is unknown here");
}

} // namespace parallax::reference

#endif // PARALLAX_LIB_BACKEND_REFERENCE_BINDING_H
