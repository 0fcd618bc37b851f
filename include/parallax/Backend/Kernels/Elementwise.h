//===- Elementwise.h - Kernels that compute each element alone -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Unary, binary and ternary element-wise operators with the semantics of ONNX.
// The caller sets the output's type and shape. The output may be the buffer of
// an input of the same shape and element size.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_ELEMENTWISE_H
#define PARALLAX_BACKEND_KERNELS_ELEMENTWISE_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// The functions of the table.
enum class UnaryKind {
#define UNARY_KIND(name, ...) name,
#include "parallax/Support/UnaryFunctions.def"
};
inline constexpr int unaryKindCount = int(UnaryKind::IsNaN) + 1;

/// Integers wrap where the result has no place (the absolute value of the
/// smallest int8, for example).
void unary(UnaryKind kind, const Tensor &x, Tensor &y, float alpha = 0,
           float beta = 0);

/// The same function of one number, computed in double. Not and IsNaN give 0
/// or 1.
double scalarUnary(UnaryKind kind, double x, double alpha = 0, double beta = 0);

void isInf(const Tensor &x, Tensor &y, bool detectNegative,
           bool detectPositive);

enum class BinaryKind {
  Add,
  Sub,
  Mul,
  Div,  // integers: towards zero; by zero gives 0
  Pow,  // the exponent may have another type than the base and the result
  Mod,  // the sign of the divisor; integers by zero give 0
  Fmod, // the sign of the dividend; integers by zero give 0
  Min,
  Max, // both propagate NaN
  And,
  Or,
  Xor, // logical on bool, bitwise on integers
  Equal,
  Greater,
  GreaterOrEqual,
  Less,
  LessOrEqual,
  PRelu, // b is the slope
  BitShiftLeft,
  BitShiftRight, // shifts by the whole width or more give 0
};
inline constexpr int binaryKindCount = int(BinaryKind::BitShiftRight) + 1;

/// NumPy broadcasting of both operands. Integer arithmetic wraps. Comparisons
/// have a bool output.
void binary(BinaryKind kind, const Tensor &a, const Tensor &b, Tensor &y);

/// a where `cond` is true, else b; all three broadcast.
void where(const Tensor &cond, const Tensor &a, const Tensor &b, Tensor &y);

/// Bounds outside of an integer type are moved to its limits. If lo > hi, the
/// result is hi. NaN stays NaN.
void clip(const Tensor &x, Tensor &y, double lo, double hi);

/// Between all types. Floats are truncated towards zero when they become
/// integers. Those out of range become the nearest limit if `saturate`, else
/// the low bits of the truncated number; NaN becomes 0 in both cases. Integers
/// wrap; any non-zero number is true.
void cast(const Tensor &x, Tensor &y, bool saturate = true);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_ELEMENTWISE_H
