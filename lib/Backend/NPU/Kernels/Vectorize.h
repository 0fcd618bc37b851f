//===- Vectorize.h - One loop, compiled for every processor ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A loop over integers is written once, as a PARALLAX_INLINE function, and
// compiled in a plain, a PARALLAX_AVX2 and a PARALLAX_AVX512 function that call
// it. All compute the same integers; InstructionSet.h says which one runs.
// vectorized() does all at once for the run() of a struct.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H

#include "parallax/Backend/NPU/Kernels/InstructionSet.h"

#if defined(__x86_64__)
#define PARALLAX_AVX2 __attribute__((target("avx2")))
#define PARALLAX_AVX512                                                        \
  __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,"             \
                        "avx512vnni")))
#else
#define PARALLAX_AVX2
#define PARALLAX_AVX512
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
  PARALLAX_AVX512 static void avx512(Args... args) { Loop::run(args...); }
};

/// That of three functions which has the instruction set in use.
template <typename Function>
Function *choose(Function *portable, Function *avx2, Function *avx512) {
  switch (instructionSet()) {
  case InstructionSet::AVX512:
    return avx512;
  case InstructionSet::AVX2:
    return avx2;
  case InstructionSet::Portable:
    break;
  }
  return portable;
}

/// Loop::run, a PARALLAX_INLINE function, compiled for the instruction set in
/// use.
template <typename Loop> auto vectorized() {
  using All = Compiled<Loop, decltype(&Loop::run)>;
  return choose(All::portable, All::avx2, All::avx512);
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H
