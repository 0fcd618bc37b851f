//===- LayerValues.h - A network at two points ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Of each tensor three values are looked at: that of the float network, that of
// the quantized one, and the recomputed one: what the float layer makes of
// quantized operands. The quantized value differs from the recomputed one by
// what this very layer adds, and the recomputed one from the float value by
// what the layers before it did.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_LAYERVALUES_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_LAYERVALUES_H

#include "../Sweep/Combine.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace parallax::analyze {

/// True for tensors that can be a little wrong: floats of a known shape.
bool isReal(Value value);

/// A kernel on plain tensors.
using Run = std::function<void(const KernelArgs &)>;
/// Makes a kernel, as the binder of an operation does.
using Bind = std::function<Kernel(BindContext &)>;
/// One that takes tensors as they are written down.
Bind plainly(Run run);
/// One to which all elements are alike: operands of one shape, and results of
/// the same, may lie in memory in any order.
Bind inAnyLayout(Run run);

/// Writes operations next to a layer of the float network, and at the end of
/// the function. Values that are asked for are those of the network; values
/// that are given are those of the combined function.
class LayerValues {
public:
  LayerValues(const AnalyzedNetwork &views, AnalysisMode mode);

  Value floats(Value value) const { return combination.floats.lookup(value); }
  /// The recomputed one if the quantized network has no such tensor.
  Value quantized(Value value);
  Value recomputed(Value value);
  /// A value so near to that of the float network that layers are as steep
  /// there as if only one small error had come in, and what the float layer
  /// makes of such operands.
  Value nearby(Value value);
  Value recomputedNearby(Value value);
  /// The recomputed one with the weights of the quantized network.
  Value recomputedOfCodes(Value value);
  /// Whether the two can differ.
  bool readsCodes(Operation *op);
  /// The value of the float network in the codes of the quantized one; null if
  /// it has none there.
  Value roundedFloats(Value value);
  /// Whether the layer that makes this tensor can add an error of its own.
  bool hasOwnError(Value value);

  /// The dimension of a tensor along which its channels lie.
  int64_t channelAxisOf(Value value) const {
    return channelAxes.lookup_or(value, 1);
  }

  /// Makes operations beside a layer.
  OpBuilder beside(Operation *layer);
  /// Makes operations after all layers, in order.
  OpBuilder &atEnd() { return end; }

  /// An operation that the function computes.
  SmallVector<Value> compute(OpBuilder &builder, Bind bind, ValueRange operands,
                             TypeRange results);
  /// a - b, where that is a number.
  Value difference(OpBuilder &builder, Value a, Value b, Type type);
  /// A constant.
  Value constant(const Tensor &tensor);
  /// The tensor of a known value.
  static Tensor tensorOf(Value known);

  /// Lets the function return these, and prepares it.
  Executable finish(ValueRange results);
  const Combination &combined() const { return combination; }

  LayerValues(const LayerValues &) = delete;
  LayerValues &operator=(const LayerValues &) = delete;
  ~LayerValues() { combination.function.erase(); }

private:
  void findQuantized();
  void findInputs();
  Value decoded(OpBuilder &builder, Value codes, const AffineParams &params);
  /// Whether codes are moved or compared, but not computed.
  bool movesCodes(Operation *op);
  Value codesOf(Operation *layer, unsigned operand);

  /// A quantized tensor, and its values once somebody asked for them.
  struct Quantized {
    Value made, values;
    Type type;
  };

  AnalyzedNetwork views;
  Combination combination;
  OpBuilder end;
  /// By value of the float network.
  DenseMap<Value, Quantized> quantizedValues;
  DenseMap<Value, int64_t> channelAxes;
  DenseMap<Value, Value> recomputedValues, recomputedFromCodes;
  DenseMap<Value, Value> nearbyValues, recomputedFromNearby;
  DenseMap<Operation *, bool> codeReaders;
  /// The operation of the combined function that follows those of a layer.
  DenseMap<Operation *, Operation *> successors;
  /// Layers of the quantized network, by their first tensor.
  llvm::StringMap<Operation *> partners;
  DenseMap<Operation *, Value> copiedCodes;
  std::vector<Bind> binders;
  /// The first operation of the way back.
  Operation *firstBack = nullptr;
};

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_LAYERVALUES_H
