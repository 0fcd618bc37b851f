//===- FloatFunctions.h - Functions with one rounding ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The C library's functions differ in their last bits between versions and
// processors. A result that is the real value, rounded once (C95 of
// docs/numerics.md), is the same everywhere, and anybody can compute it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_FLOATFUNCTIONS_H
#define PARALLAX_BACKEND_NPU_KERNELS_FLOATFUNCTIONS_H

#include "parallax/Backend/Kernels/Elementwise.h"

namespace parallax::npu {

/// An element-wise operator of one number (C90, C95); neither Not nor IsNaN.
float floatFunction(kernels::UnaryKind kind, float x, float alpha = 0,
                    float beta = 0);

inline float floatExp(float x) {
  return floatFunction(kernels::UnaryKind::Exp, x);
}
inline float floatLog(float x) {
  return floatFunction(kernels::UnaryKind::Log, x);
}

/// base^exponent.
float floatPower(float base, double exponent);

/// The same for all elements. y may be x.
void floatUnary(kernels::UnaryKind kind, const Tensor &x, Tensor &y,
                float alpha = 0, float beta = 0);

/// Operands broadcast; the exponent has any type.
void floatPower(const Tensor &base, const Tensor &exponent, Tensor &y);

/// Writes every NaN of a float tensor as 0x7FC00000: which NaN an instruction
/// makes depends on the processor and on the order of its operands.
void unifyNaNs(Tensor &y);

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_FLOATFUNCTIONS_H
