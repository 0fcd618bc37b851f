//===- Vectors.h - The tables of conformance vectors -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A vector is one layer with its operands. It is written as a quantized layer:
// lowering derives its integers for any target. Scales are powers of two where
// exact halves are wanted, because halves tell roundings apart.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFORMANCE_VECTORS_H
#define PARALLAX_LIB_CONFORMANCE_VECTORS_H

#include "parallax/Support/Tensor.h"

#include <string>
#include <vector>

namespace parallax::conformance {

/// The elements of an operand.
struct Fill {
  /// Cycle repeats `values`; Ramp goes from values[0] to values[1] in steps of
  /// values[2], again and again; Random lies between both. Without values they
  /// are the limits of the type and 1.
  enum Kind { Cycle, Ramp, Random } kind = Random;
  std::vector<double> values;
};

inline Fill between(double low, double high) {
  return {Fill::Random, {low, high}};
}
inline Fill cycle(std::vector<double> values) {
  return {Fill::Cycle, std::move(values)};
}
inline Fill ramp() { return {Fill::Ramp, {}}; }
inline Fill ramp(double low, double high, double step = 1) {
  return {Fill::Ramp, {low, high, step}};
}
inline Fill any() { return {}; }

struct Port {
  /// As in MLIR, "2x3", or nothing for a single number.
  std::string shape;
  /// "f32", "i64", ..., or the parameters of a quantized type:
  /// "u8:f32, 0.5:10", or with limits "u8<3:200>:f32, 0.5:10".
  std::string element;
  Fill fill;
  bool isConstant = false;
};

inline Port input(std::string shape, std::string element, Fill fill = {}) {
  return {std::move(shape), std::move(element), std::move(fill), false};
}
inline Port constant(std::string shape, std::string element, Fill fill = {}) {
  return {std::move(shape), std::move(element), std::move(fill), true};
}
inline Port result(std::string shape, std::string element) {
  return {std::move(shape), std::move(element), {}, false};
}

struct Vector {
  std::string name;
  /// The statements of docs/numerics.md that it depends on, between spaces.
  std::string clauses;
  /// "nn.add"; without one the operand is the result.
  std::string operation, attributes;
  std::vector<Port> operands, results;
};
using Vectors = std::vector<Vector>;

void addConversions(Vectors &to);
void addProducts(Vectors &to);
void addLinear(Vectors &to);
void addSums(Vectors &to);
void addMovement(Vectors &to);
void addIntegers(Vectors &to);
void addTables(Vectors &to);
void addNormalizations(Vectors &to);
void addRecurrent(Vectors &to);
void addFloatLayers(Vectors &to);
void addFloatSampling(Vectors &to);

/// All of them, with unique names.
Vectors allVectors();

/// The quantized function of a vector, as MLIR's text.
std::string textOf(const Vector &vector);

/// The inputs of that function: floats of the codes, or what the fill says.
std::vector<Tensor> inputsOf(const Vector &vector);

} // namespace parallax::conformance

#endif // PARALLAX_LIB_CONFORMANCE_VECTORS_H
