//===- InstructionSet.h - Which instructions kernels use -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels give the same bits with every instruction set. That can be checked:
// the environment variable PARALLAX_PORTABLE=1, or a test, turns the fast ones
// off.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_INSTRUCTIONSET_H
#define PARALLAX_BACKEND_NPU_KERNELS_INSTRUCTIONSET_H

namespace parallax::npu {

/// Each one has what those before it have; AVX512 is that with VNNI.
enum class InstructionSet { Portable, AVX2, AVX512 };
inline constexpr InstructionSet instructionSets[] = {
    InstructionSet::Portable, InstructionSet::AVX2, InstructionSet::AVX512};

/// The best one of this processor, unless the environment or
/// setInstructionSet() asked for another.
InstructionSet instructionSet();

/// Ignored if the processor doesn't have it. Not while kernels run.
void setInstructionSet(InstructionSet set);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_INSTRUCTIONSET_H
