//===- Normalization.h - Normalizations and their parameters ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layer, instance and group normalization are one function with differently
// shaped parameters. Which of them a formula is shows only in the constants
// that follow, so a normalization may change its kind while they are collected.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_OPTIMIZE_NORMALIZATION_H
#define PARALLAX_LIB_PASSES_OPTIMIZE_NORMALIZATION_H

#include "Match.h"
#include "parallax/Passes/Optimize/Rewrite.h"

namespace parallax {

/// Scale or bias, and the constant whose name it takes.
struct Parameter {
  std::vector<double> numbers;
  Value source;
  bool isChanged = true;

  bool isAll(double number) const;
  bool isUniform() const { return isAll(numbers.front()); }
};

struct Normalization {
  enum Kind { Layer, RMS, Instance, Group };

  Kind kind;
  Value x;
  /// The first of the normalized dimensions; of groups, that of channels.
  int64_t axis;
  int64_t groups; ///< Of channels; only for Group.
  double epsilon;
  Parameter scale, bias;

  /// What an operation does, if its parameters are known and its statistics
  /// are unused.
  static std::optional<Normalization> read(Operation *op);

  /// Without parameters yet, over the dimensions from `axis` on.
  static Normalization make(Kind kind, Value x, int64_t axis, double epsilon);

  /// The entries of a constant that is multiplied with or added to the result,
  /// one per parameter. Changes the kind if the constant asks for it.
  std::optional<std::vector<double>> takeNumbers(Value constant);

  void multiply(ArrayRef<double> numbers, Value source);
  void multiply(double number);
  void add(ArrayRef<double> numbers, Value source);

  Value build(Proposal &proposal) const;

private:
  /// True if parameters belong to the normalized dimensions, not to channels.
  bool isTrailing() const { return kind == Layer || kind == RMS; }
  /// The dimensions that parameters run over, up to but not including the last.
  int64_t firstDim() const { return isTrailing() ? axis : 1; }
  int64_t lastDim() const { return isTrailing() ? rankOf(x) : 2; }
  SmallVector<int64_t> parameterShape() const;
  void resize();
  std::optional<Normalization> otherKind() const;
};

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_OPTIMIZE_NORMALIZATION_H
