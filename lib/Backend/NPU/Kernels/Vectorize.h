//===- Vectorize.h - One loop, compiled for two processors -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A loop over integers is written once, as a PARALLAX_INLINE function, and
// compiled in a plain and a PARALLAX_AVX2 function that call it. Both compute
// the same integers; InstructionSet.h says which one runs. vectorized() does
// both at once for the run() of a struct.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H

#include "parallax/Backend/NPU/Kernels/InstructionSet.h"

#if defined(__x86_64__)
#define PARALLAX_AVX2 __attribute__((target("avx2")))
#else
#define PARALLAX_AVX2
#endif

// The reference kernels have the same macro.
#ifndef PARALLAX_INLINE
#define PARALLAX_INLINE inline __attribute__((always_inline))
#endif

namespace parallax::npu {

template <typename Loop, typename Function> struct Compiled;
template <typename Loop, typename... Args>
struct Compiled<Loop, void (*)(Args...)> {
  static void portable(Args... args) { Loop::run(args...); }
  PARALLAX_AVX2 static void avx2(Args... args) { Loop::run(args...); }
};

/// Loop::run, a PARALLAX_INLINE function, compiled for the instruction set in
/// use.
template <typename Loop> auto vectorized() {
  using Both = Compiled<Loop, decltype(&Loop::run)>;
  return instructionSet() >= InstructionSet::AVX2 ? Both::avx2 : Both::portable;
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H
