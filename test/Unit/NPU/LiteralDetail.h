//===- LiteralDetail.h - Plain helpers of the second version ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Indices, broadcasting and the two statements (C4, C13) that every operator of
// LiteralNumerics ends with.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_LITERALDETAIL_H
#define PARALLAX_TEST_UNIT_NPU_LITERALDETAIL_H

#include "LiteralNumerics.h"

namespace parallax::literal {

inline Wide power(int n) { return Wide(1) << n; }

inline Wide floorDivide(Wide a, Wide b) {
  Wide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

inline Wide magnitude(Wide v) { return v < 0 ? -v : v; }

inline int64_t count(const Dims &dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= d;
  return n;
}

inline Dims coordinates(int64_t flat, const Dims &dims) {
  Dims at(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    at[i] = flat % dims[i];
    flat /= dims[i];
  }
  return at;
}

inline int64_t flatten(const Dims &at, const Dims &dims) {
  int64_t flat = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    flat = flat * dims[i] + at[i];
  return flat;
}

/// x - z_x at an element.
inline Wide centered(const Codes &x, int64_t flat) {
  return misread("C2.zero") ? x.values[flat] : x.values[flat] - x.zero;
}

/// The element of an operand that broadcasts to the coordinates `at`.
inline Wide broadcast(const Codes &x, const Dims &at) {
  Dims own;
  for (size_t i = 0; i < x.dims.size(); ++i)
    own.push_back(x.dims[i] == 1 ? 0 : at[at.size() - x.dims.size() + i]);
  return centered(x, flatten(own, x.dims));
}

// C4
inline void store(Codes &y, Wide steps) {
  Wide code = y.zero + steps, low = y.low, high = y.high;
  if (misread("C3.type")) {
    low = y.leastOfType();
    high = low + power(y.bits) - 1;
  }
  if (misread("C4.wrap")) {
    Wide least = y.leastOfType(), span = power(y.bits);
    code = least + ((code - least) % span + span) % span;
  }
  code = code < low ? low : code;
  code = code > high ? high : code;
  y.values.push_back(int64_t(code));
}

// C13
inline Wide requantized(Wide a, const Factor &f, Tie tie) {
  Wide p = a * f.m;
  if (misread("C13.64"))
    p = int64_t(uint64_t(p));
  if (misread("C13.63") && f.s >= 63)
    return 0;
  if (misread("C13.twice") && f.s > 8)
    return roundedShift(roundedShift(p, f.s - 4, tie), 4, tie);
  return roundedShift(p, f.s, tie);
}

/// The part of the dimensions from the second on.
inline Dims spatial(const Dims &dims) {
  return Dims(dims.begin() + 2, dims.end());
}

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_LITERALDETAIL_H
