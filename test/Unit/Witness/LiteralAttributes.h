//===- LiteralAttributes.h - Integers of npu operations --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From the attributes of operations to the types of the literal
// implementation.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_WITNESS_LITERALATTRIBUTES_H
#define PARALLAX_TEST_UNIT_WITNESS_LITERALATTRIBUTES_H

#include "../NPU/LiteralFloat.h"
#include "LiteralNetwork.h"

namespace parallax::literal {

inline Array floatsOf(const Item &item) {
  return {item.codes.dims, item.floats};
}

template <typename OpTy> Tie tieOf(OpTy op) {
  Tie tie = op.getRounding() == "half_up"     ? Tie::Up
            : op.getRounding() == "half_away" ? Tie::Away
                                              : Tie::Even;
  StringRef name = op->getName().stripDialect();
  if (misread("C10.even." + name.str()))
    return tie == Tie::Even ? Tie::Up : Tie::Even;
  if (misread("C10.sign." + name.str()))
    return tie == Tie::Away ? Tie::Up : Tie::Away;
  return tie;
}

template <typename OpTy> Codes resultOf(OpTy op) {
  Codes y = emptyItem(op.getY().getType()).codes;
  y.zero = int64_t(op.getZeroPoint());
  y.low = int64_t(op.getLow());
  y.high = int64_t(op.getHigh());
  return y;
}

template <typename OpTy> std::vector<Factor> factorsOf(OpTy op) {
  std::vector<Factor> factors;
  for (auto [m, s] : llvm::zip_equal(op.getMultipliers(), op.getShifts()))
    factors.push_back({m, s});
  return factors;
}

template <typename List> std::vector<Wide> wide(List list) {
  return std::vector<Wide>(list.begin(), list.end());
}

inline Codes withZero(const Item &item, uint64_t zero) {
  Codes codes = item.codes;
  codes.zero = int64_t(zero);
  return codes;
}

inline Item codesItem(Codes codes) { return {std::move(codes), {}, false}; }

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_WITNESS_LITERALATTRIBUTES_H
