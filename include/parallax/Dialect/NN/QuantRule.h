//===- QuantRule.h - How an operator is quantized --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The rule is a property of the operator, stated in its definition. It alone
// decides how the operator is lowered and which integer kernel executes it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_QUANTRULE_H
#define PARALLAX_DIALECT_NN_QUANTRULE_H

#include <string_view>

namespace parallax::nn {

enum class QuantRule {
  Mac,       ///< Exact integer multiply-accumulate and one requantization.
  Table,     ///< A look-up table filled from the operator's float kernel.
  Linear,    ///< Integer linear combination and one requantization.
  SameScale, ///< Codes are moved or compared; operands and results share one
             ///< scale.
  Composite, ///< An integer algorithm of its own.
  Boolean,   ///< Truth values, which are never quantized.
  Constant,  ///< Known before execution.
  Cpu,       ///< Stays in float, or in the integers that the network itself
             ///< uses.
};

std::string_view nameOf(QuantRule rule);

} // namespace parallax::nn

#endif // PARALLAX_DIALECT_NN_QUANTRULE_H
