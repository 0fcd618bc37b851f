//===- Binding.h - From npu operations to kernels --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How attributes become the plain numbers that integer kernels take, and which
// layouts codes have: row-major, or with all channels innermost, which is what
// convolutions read and write.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_BINDING_H
#define PARALLAX_LIB_BACKEND_NPU_BINDING_H

#include "parallax/Backend/NPU/FloatRules.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NPU/NPUOps.h"

namespace parallax::npu {

// One function per operator family, each in the source file of its name.
void addElementwiseKernels(KernelSet &kernels);
/// Replaces kernels of the float engine, and notes which.
void addFloatKernels(KernelSet &kernels, std::vector<FloatRule> &rules);
void addLayoutKernels(KernelSet &kernels);
void addMacKernels(KernelSet &kernels);
void addNormalizeKernels(KernelSet &kernels);
void addRecurrentKernels(KernelSet &kernels);
void addSumKernels(KernelSet &kernels);

/// The layout [N, 1, spatial..., C].
inline Layout channelsInnermost(const ValueInfo &info) {
  return {info.shape[1]};
}

/// Whether a value lies in memory like that.
inline bool hasChannelsInnermost(const ValueInfo &info) {
  return !info.layout.isPlain() && info.layout == channelsInnermost(info);
}

/// Brings codes into another layout; values of other types as the float engine
/// does it.
Kernel makeReorder(const ValueInfo &from, Layout to);

/// An eighth of the multiply-accumulates: each result has `depth` of them.
inline double macWork(const BindContext &context, int64_t depth) {
  return double(elementCount(context.output(0).shape)) * double(depth) / 8;
}

/// The place of a word in the list that the operation's definition gives.
template <typename Enum, size_t N>
Enum enumOf(StringRef word, const StringRef (&words)[N]) {
  return Enum(llvm::find(words, word) - words);
}

inline Rounding roundingOf(StringRef word) {
  static constexpr StringRef roundings[] = {"half_up", "half_away",
                                            "half_even"};
  return enumOf<Rounding>(word, roundings);
}

template <typename OpTy> OutputCodes outputOf(OpTy op) {
  return {int64_t(op.getZeroPoint()), int64_t(op.getLow()),
          int64_t(op.getHigh()), roundingOf(op.getRounding())};
}

template <typename OpTy> std::vector<Multiplier> multipliersOf(OpTy op) {
  std::vector<Multiplier> result;
  for (auto [mantissa, shift] : llvm::zip(op.getMultipliers(), op.getShifts()))
    result.push_back({mantissa, shift});
  return result;
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_BINDING_H
