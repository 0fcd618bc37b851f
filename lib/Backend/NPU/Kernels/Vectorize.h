//===- Vectorize.h - One loop, compiled for two processors -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A loop over integers is written once, as a PARALLAX_INLINE function, and
// compiled in a plain and a PARALLAX_AVX2 function that call it. Both compute
// the same integers; InstructionSet.h says which one runs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H

#if defined(__x86_64__)
#define PARALLAX_AVX2 __attribute__((target("avx2")))
#else
#define PARALLAX_AVX2
#endif

// The reference kernels have the same macro.
#ifndef PARALLAX_INLINE
#define PARALLAX_INLINE inline __attribute__((always_inline))
#endif

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_VECTORIZE_H
