//===- Simd.h - Loops compiled for the processor at hand -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A function marked PARALLAX_SIMD is compiled twice, for AVX2 with FMA and for
// the baseline, and the loader picks one. The compiler vectorises its loops.
// Only for float kernels: a fused multiply-add may change the last bit.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_SIMD_H
#define PARALLAX_SUPPORT_SIMD_H

// Sanitizers intercept functions before the resolvers of the clones can run.
#if defined(__x86_64__) && !defined(PARALLAX_SANITIZED)
#define PARALLAX_SIMD                                                          \
  __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PARALLAX_SIMD
#endif

#endif // PARALLAX_SUPPORT_SIMD_H
