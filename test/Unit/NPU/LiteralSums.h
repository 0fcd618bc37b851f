//===- LiteralSums.h - A second version of roots and logarithms -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C36a, C37a, C38a, C67 and C68 of docs/numerics.md, beside LiteralNumerics.h
// and under the same rule: no line of the kernels.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_LITERALSUMS_H
#define PARALLAX_TEST_UNIT_NPU_LITERALSUMS_H

#include "LiteralNumerics.h"

namespace parallax::literal {

/// C36a for p = 1 and 2.
void lpPool(const Codes &x, const Pool &pool, int p, Codes &y, Tie tie);

/// C37a.
void cumSum(const Codes &x, int64_t axis, bool exclusive, bool reverse,
            Codes &y, Tie tie);

/// C38a along axes.
void euclideanNorm(const Codes &x, const Dims &axes, Codes &y, Tie tie);

/// C67, or with exponentials C68.
void logSum(const Codes &x, const Dims &axes, bool isExp, Codes &y, Tie tie);

//===----------------------------------------------------------------------===//
// The same, given the integers that a compiled model holds
//===----------------------------------------------------------------------===//

void lpPool(const Codes &x, const Pool &pool, int p, const Factor &factor,
            Codes &y, Tie tie);
void cumSum(const Codes &x, int64_t axis, bool exclusive, bool reverse,
            const Factor &factor, Codes &y, Tie tie);
void euclideanNorm(const Codes &x, const Dims &axes, const Factor &factor,
                   Codes &y, Tie tie);
struct LogSum {
  Exponents exponents;
  std::vector<Wide> lambda;
  LogSoftmax factors;
  Wide offset = 0;
};
void logSum(const Codes &x, const Dims &axes, bool isExp,
            const LogSum &integers, Codes &y, Tie tie);

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_NPU_LITERALSUMS_H
