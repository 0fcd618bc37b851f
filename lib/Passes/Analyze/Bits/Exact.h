//===- Exact.h - What a layer should have given ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer of both engines, and the exact results of some of its elements. They
// need neither the kernels of the NPU nor its integers: codes and scales of
// the operands are all that they know.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_BITS_EXACT_H
#define PARALLAX_LIB_PASSES_ANALYZE_BITS_EXACT_H

#include "parallax/Analysis/BitEvidence.h"
#include "parallax/Support/LLVM.h"

#include "mlir/IR/Operation.h"

#include <functional>
#include <optional>

namespace parallax::analyze {

/// The place of a flat index in a shape.
Shape coordinatesOf(int64_t index, const Shape &shape);

/// The operations between what a layer reads and what it gives.
struct LayerSlice {
  Value result;
  /// In the order of execution.
  SmallVector<Operation *> operations;
  /// What they read from outside, without constants.
  SmallVector<Value> inputs;
};

LayerSlice sliceOf(Value result);

/// How the NPU computes a layer, and how far it may be off.
struct MachineRule {
  LayerArithmetic arithmetic = LayerArithmetic::Exact;
  double tolerance = 0.5;
};
MachineRule ruleOf(const LayerSlice &machine);

/// A layer on one sample.
struct LayerSample {
  const LayerSlice &reference, &machine;
  /// By input of either slice.
  std::vector<Tensor> referenceInputs, machineInputs;
  /// Of the result, with the limits that the NPU holds it within.
  AffineParams codes;
  int multiplierBits = 31;
  /// What the network calls an input.
  std::function<std::string(Value)> nameOf;
};

struct ExactElement {
  ExactResult result;
  /// In words.
  std::string operands;
};

/// Elements by their flat indices. Empty for layers of which nobody knows an
/// exact result.
std::vector<ExactElement> exactResults(const LayerSample &layer,
                                       std::span<const int64_t> indices);

/// Marks the elements for which the floats of the reference are not finite.
void markNotFinite(const LayerSample &layer,
                   std::vector<ExactElement> &elements);

/// What an operation without operands gives.
Tensor constantOf(Value value);

/// The integers of a tensor; values of codes become codes, and what is beyond
/// them becomes the nearest one.
std::vector<int64_t> integersOf(const Tensor &tensor,
                                const std::optional<AffineParams> &codes);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_BITS_EXACT_H
