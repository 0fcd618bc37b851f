//===- Adjoint.h - What operands are worth ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// On the way back through the network each layer hands on to its operands what
// its results are worth, by the transpose of a secant: a linear function S with
// S (q - f) = F(q) - F(f) for its operands q and f and itself, F. It is built
// from both points instead of a derivative, so that nothing is lost.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_ADJOINT_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_ADJOINT_H

#include "LayerValues.h"
#include "SecantKernels.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "llvm/ADT/MapVector.h"

#include <any>

namespace parallax::analyze {

/// The worth of tensors of the float network, as far as it is known.
using Gradients = DenseMap<Value, Value>;

/// The axis that a negative number counts from the end.
inline size_t axisOf(int64_t axis, size_t rank) {
  return size_t(axis < 0 ? axis + int64_t(rank) : axis);
}

/// A layer on the way back, which may be gone more than once. Indices are those
/// of operands and results.
class Layer {
public:
  /// With `isNearby`, the layer is looked at near the float network alone.
  Layer(Operation *op, LayerValues &values,
        const llvm::DenseSet<Value> &matters, bool isNearby = false)
      : op(op), values(values), beside(values.beside(op)), back(values.atEnd()),
        matters(matters), isNearby(isNearby) {}

  /// Goes another way back.
  void start(Gradients &way) {
    gradients = &way;
    given.clear();
    next = 0;
    isSecant = false;
  }
  /// Adds what was given to what operands are worth.
  void handOn();

  Value floats(unsigned i) { return values.floats(op->getOperand(i)); }
  Value quantized(unsigned i) {
    isSecant = true;
    Value operand = op->getOperand(i);
    return isNearby ? values.nearby(operand) : values.quantized(operand);
  }
  /// Half way between the two; a constant is what it is.
  Value middle(unsigned i);
  /// What the layer made of the two.
  Value result(unsigned i = 0) { return values.floats(op->getResult(i)); }
  Value recomputed(unsigned i = 0) {
    Value result = op->getResult(i);
    return isNearby ? values.recomputedNearby(result)
                    : values.recomputed(result);
  }

  Shape shapeOf(unsigned operand) const;
  Shape resultShape(unsigned i = 0) const;
  bool isConstant(unsigned operand) const {
    return isKnown(op->getOperand(operand));
  }

  /// Null if nobody wants to know.
  Value gradient(unsigned i = 0) const {
    return gradients->lookup(op->getResult(i));
  }
  /// Whether an operand has errors in front of it.
  bool wants(unsigned operand) const {
    return matters.contains(op->getOperand(operand));
  }
  /// Adds to what an operand gets; sums over dimensions along which it was
  /// broadcast.
  void give(unsigned operand, Value gradient);

  /// An operation of the dialect on floats, in its own place or on the way
  /// back.
  template <typename OpTy, typename... Args>
  Value make(OpBuilder &builder, const Shape &shape, Args &&...args) {
    return OpTy::create(builder, builder.getUnknownLoc(), typeOf(shape),
                        std::forward<Args>(args)...)
        ->getResult(0);
  }
  template <typename OpTy, typename... Args>
  Value makeBack(const Shape &shape, Args &&...args) {
    return make<OpTy>(back, shape, std::forward<Args>(args)...);
  }
  /// The same for a kernel of plain tensors.
  Value compute(OpBuilder &builder, Run run, ValueRange operands,
                const Shape &shape) {
    return values.compute(builder, plainly(std::move(run)), operands,
                          typeOf(shape))[0];
  }
  /// The same for one that works on single elements.
  Value computeEach(OpBuilder &builder, Run run, ValueRange operands,
                    const Shape &shape) {
    return values.compute(builder, inAnyLayout(std::move(run)), operands,
                          typeOf(shape))[0];
  }

  Value reshaped(OpBuilder &builder, Value value, const Shape &shape);
  Value product(Value a, Value b, const Shape &shape) {
    return makeBack<nn::MulOp>(shape, a, b);
  }
  /// The secant of a function of single elements, beside the layer.
  Value slope(Value x2, Value x1, Value y2, Value y1, const Shape &shape);

  RankedTensorType typeOf(const Shape &shape) const;

  /// What does not depend on the way is made on the first one.
  template <typename Fn> auto once(Fn make) {
    using Made = decltype(make());
    if (next == memory.size())
      memory.emplace_back(make());
    return std::any_cast<Made>(memory[next++]);
  }

  Operation *op;
  LayerValues &values;
  OpBuilder beside;
  OpBuilder &back;
  /// What operands get of what the results are worth; each of them once.
  llvm::MapVector<Value, Value> given;
  /// Whether that depends on both points: others are linear.
  bool isSecant = false;

private:
  const llvm::DenseSet<Value> &matters;
  bool isNearby;
  Gradients *gradients = nullptr;
  std::vector<std::any> memory;
  size_t next = 0;
};

/// Gives to all operands that want it; false if the operator is used in a way
/// that is not known here.
using Adjoint = std::function<bool(Layer &)>;

/// By the name of the operation.
class AdjointTable {
public:
  AdjointTable();

  template <typename... OpTy, typename Fn> void add(Fn adjoint) {
    ((table[OpTy::getOperationName()] =
          [adjoint](Layer &layer) {
            return adjoint(layer, cast<OpTy>(layer.op));
          }),
     ...);
  }
  void add(StringRef operation, Adjoint adjoint) {
    table[operation] = std::move(adjoint);
  }
  const Adjoint *find(Operation *op) const {
    auto it = table.find(op->getName().getStringRef());
    return it == table.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Adjoint> table;
};

// One function per operator family, each in a file of its own.
void addElementwiseAdjoints(AdjointTable &table);
void addMacAdjoints(AdjointTable &table);
void addMovementAdjoints(AdjointTable &table);
void addNormalizeAdjoints(AdjointTable &table);
void addReduceAdjoints(AdjointTable &table);

/// Any layer at all: S = (F(q) - F(f)) (q - f)^T / |q - f|^2. It is exact for
/// this very error, and knows nothing of any other.
void giveAlongError(Layer &layer);
/// After an adjoint: what it has given has to explain the change of the
/// results. What it leaves is given along the error. The size of that, or null
/// for a layer that is linear.
Value closeSecant(Layer &layer);
/// The same as giveAlongError for a probe, which stands for errors of any
/// direction: all of them are taken to grow as much as this one.
void giveEvenly(Layer &layer);

/// What one input and one result of a kernel hold.
inline Values in(const KernelArgs &args, size_t i) {
  return args.inputs[i].values<float>();
}
inline Results out(const KernelArgs &args, size_t i = 0) {
  Tensor &tensor = args.outputs[i];
  return {tensor.data<float>(), size_t(tensor.size())};
}

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_ADJOINT_H
