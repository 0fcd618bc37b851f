//===- ImportLine.h - The vocabulary of import lines -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Most ONNX operators differ from their nn operation in names only. The words
// here let such an operator be one line of a table, and give the others checks
// that hold against damaged files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_IMPORTLINE_H
#define PARALLAX_LIB_FRONTEND_ONNX_IMPORTLINE_H

#include "Node.h"

namespace parallax::onnx_import {

//===----------------------------------------------------------------------===//
// Attributes that an operation takes over
//===----------------------------------------------------------------------===//

using Attributes = SmallVector<NamedAttribute>;

/// Adds one attribute to an operation. What a node leaves out is left out of
/// the operation too, because both have the same default.
using Parameter = std::function<void(const Node &, Attributes &)>;

/// `target` is the attribute's name in nn, if it is another one.
Parameter integer(StringRef name, StringRef target = "");
Parameter requiredInteger(StringRef name);
/// Refuses a value that is not in the list.
Parameter choice(StringRef name, std::vector<int64_t> allowed);
Parameter real(StringRef name);
/// Lists, which must be there.
Parameter integers(StringRef name);
Parameter reals(StringRef name);
Parameter flag(StringRef name, StringRef target = "");
/// Like choice().
Parameter word(StringRef name, std::vector<StringRef> allowed,
               StringRef target = "");
/// The attribute `axis` as a dimension of the first operand.
Parameter axis(int64_t otherwise);

Attributes readParameters(const Node &node,
                          const std::vector<Parameter> &parameters);

/// The value of a string attribute out of a list, of which the first is the
/// default.
std::string oneOf(const Node &node, StringRef name,
                  ArrayRef<StringRef> allowed);

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The first operands, of which the last `optional` ones may be absent. Refuses
/// a node that has more.
SmallVector<Value> operandsOf(const Node &node, size_t required,
                              size_t optional = 0);

/// The shape of an operand, which must not depend on data.
Shape staticShape(const Node &node, size_t index);

/// The value of an operand that is a single number known at import.
Tensor scalarInput(const Node &node, size_t index);
int64_t integerInput(const Node &node, size_t index);

/// The element, rounded to double.
double numberOf(const Tensor &tensor, int64_t index = 0);
/// The element, unless double cannot hold it.
std::optional<double> exactNumberOf(const Tensor &tensor, int64_t index = 0);

/// 0, 1, 2, ...
std::vector<int64_t> firstAxes(size_t count);

/// Normalised axes in the given order, which other lists of the node follow;
/// refuses an axis that occurs twice.
std::vector<int64_t> orderedAxes(const Node &node, std::vector<int64_t> axes,
                                 int64_t rank);

//===----------------------------------------------------------------------===//
// Constants that the importer makes up
//===----------------------------------------------------------------------===//

/// More elements than any made-up constant of a real network has.
inline constexpr int64_t maxGeneratedElements = int64_t(1) << 28;
/// More elements than any tensor of a network may have.
inline constexpr int64_t maxElements = int64_t(1) << 40;

/// The number of elements; refuses negative extents and more than `limit`.
int64_t countElements(const Node &node, ArrayRef<int64_t> shape,
                      int64_t limit = maxGeneratedElements);

/// How elements of this type are stored.
DType storageType(const Node &node, Type elementType);

/// A constant whose elements are all the same.
Value splat(const Node &node, DType dtype, Shape shape, double value);

/// A step that gives `value` another shape.
Value reshapeStep(Node &node, StringRef step, Value value,
                  ArrayRef<int64_t> shape);

//===----------------------------------------------------------------------===//
// Whole lines
//===----------------------------------------------------------------------===//

/// An operator that is an nn operation with the same operands.
template <typename OpTy>
ImportFunction direct(size_t operandCount,
                      std::vector<Parameter> parameters = {}) {
  return [operandCount, parameters = std::move(parameters)](Node &node) {
    node.emit<OpTy>(operandsOf(node, operandCount),
                    readParameters(node, parameters));
  };
}

template <typename OpTy>
ImportFunction unary(std::vector<Parameter> parameters = {}) {
  return direct<OpTy>(1, std::move(parameters));
}

template <typename OpTy>
ImportFunction binary(std::vector<Parameter> parameters = {}) {
  return direct<OpTy>(2, std::move(parameters));
}

template <typename OpTy>
ImportFunction ternary(std::vector<Parameter> parameters = {}) {
  return direct<OpTy>(3, std::move(parameters));
}

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_IMPORTLINE_H
