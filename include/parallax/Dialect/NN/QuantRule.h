//===- QuantRule.h - How an operator is quantized --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The rule is a property of the operator, stated in its definition. It decides
// how the operator is lowered and which integer kernel executes it. The
// questions that passes and engines ask about it stand here too, so that all of
// them get the same answer.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_QUANTRULE_H
#define PARALLAX_DIALECT_NN_QUANTRULE_H

#include "parallax/Support/LLVM.h"

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

/// What follows from a rule.
struct QuantRuleTraits {
  std::string_view name;
  bool hasWeights = false;
  /// Operands and results have one scale, so they have the type of those that
  /// compute with the result.
  bool sharesScale = false;
  /// The result is a sum, which can leave as a float number; what comes from a
  /// table is a code.
  bool hasAccumulator = false;
};

const QuantRuleTraits &traitsOf(QuantRule rule);

/// Numbers of operands, or -1.
struct WeightPlace {
  int input = 0;
  /// A constant, as floats or as codes.
  int weight = -1;
  /// What is added to the products as they are.
  int bias = -1;
  /// The dimension of the weight's output channels; -1 for one scale.
  int64_t axis = -1;
};

//===----------------------------------------------------------------------===//
// Questions about any operation, which may be one of another dialect
//===----------------------------------------------------------------------===//

/// Cpu for operations of other dialects.
QuantRule ruleOf(Operation *op);

/// Whether its rule lets operands and results share one scale. Most of these
/// only move elements; all of them compute in the type of their readers.
bool sharesScale(Operation *op);

/// Whether every code of the result is one of its operands', given that all of
/// them have one scale.
bool keepsCodes(Operation *op);

/// Whether it holds numbers within limits, as Relu does.
bool isClamp(Operation *op);

/// Whether it is a clamp that alone reads what a layer makes.
bool isSingleClamp(Operation *op);

WeightPlace weightPlaceOf(Operation *op);

/// The constant that weight_data_type is about; null for a layer without one.
Value weightOf(Operation *op);

} // namespace parallax::nn

#endif // PARALLAX_DIALECT_NN_QUANTRULE_H
