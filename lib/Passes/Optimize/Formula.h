//===- Formula.h - What a chain of arithmetic computes ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// There are dozens of ways to write 0.5 x (1 + erf(x / sqrt(2))). Rewrites that
// look for a formula don't list them: they read the arithmetic around its one
// characteristic operation as a product, a straight line or a polynomial, and
// compare numbers.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_OPTIMIZE_FORMULA_H
#define PARALLAX_LIB_PASSES_OPTIMIZE_FORMULA_H

#include "Match.h"

#include <array>

namespace parallax {

/// Equal up to the digits that exporters print of a number.
bool isNear(double a, double b);

/// A value to a power.
struct Factor {
  Value base;
  double exponent;
};

/// coefficient * base0^exponent0 * base1^exponent1 ...
struct Product {
  double coefficient = 1;
  SmallVector<Factor, 4> factors;
};

/// Multiplies out products, quotients, powers and roots, as long as the
/// intermediate values have no other consumers.
Product productOf(Value value);

/// scale * x + shift.
struct Line {
  Value x;
  double scale = 1, shift = 0;
};

/// Takes off one factor and one summand, as long as the intermediate
/// values have no other consumers.
Line lineOf(Value value);

/// The coefficients of x^0 to x^3.
using Polynomial = std::array<double, 4>;

/// `value` as a polynomial of `x`.
std::optional<Polynomial> polynomialOf(Value value, Value x);

/// A reduction that broadcasts to its operand, whether it has kept the reduced
/// dimensions or they were put back.
struct Reduction {
  Operation *op;
  Value x;
  SmallVector<int64_t, 4> axes;
  int64_t count; ///< Elements per result.

  /// The only axis, not counting those of extent 1.
  std::optional<int64_t> soleAxis() const;
  /// The first axis, if all dimensions from there on are reduced.
  std::optional<int64_t> trailingAxis() const;
};
std::optional<Reduction> reductionOf(Value value);

/// True if both are computed by equal operations from equal values.
bool isSameValue(Value a, Value b);

/// True if the root depends on nothing but `x` and constants, and nothing
/// else uses the values between them. A rewrite that replaced the root
/// otherwise would not save anything.
bool isClosed(Operation *root, Value x);

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_OPTIMIZE_FORMULA_H
