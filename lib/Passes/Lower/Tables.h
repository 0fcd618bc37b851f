//===- Tables.h - Functions of one number as tables ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The rule for all functions without a more exact one, and for sums and
// products with a number that no multiplier can express.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_LOWER_TABLES_H
#define PARALLAX_LIB_PASSES_LOWER_TABLES_H

#include "Lowering.h"

namespace parallax::lower {

/// True for codes of 16 bits.
bool isWide(Value value);

/// The number that a constant of one element holds.
std::optional<double> numberOf(Value value);

/// False where a number of more dimensions than the operand adds some.
bool hasShapeOfResult(Value operand, Operation *op);

/// Whether all operands but one are numbers, and that one is codes of the
/// result's shape.
bool isFunctionOfCodes(Operation *op);

/// For such operators (C50 to C53).
Refusal lowerTable(Operation *op, Lowering &lowering);

} // namespace parallax::lower

#endif // PARALLAX_LIB_PASSES_LOWER_TABLES_H
