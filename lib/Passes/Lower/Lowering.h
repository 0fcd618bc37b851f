//===- Lowering.h - What the rules of lowering share -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The new function is built layer by layer while the quantized one stays as it
// is: a rule asks for the parameters of a value in its quantized type, and for
// its codes in the new function.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_LOWER_LOWERING_H
#define PARALLAX_LIB_PASSES_LOWER_LOWERING_H

#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Support/AffineParams.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace parallax::lower {

/// Nothing if a rule has lowered a layer, else why it can't.
using Refusal = std::optional<std::string>;

/// What a family of rules says of a layer: that it has lowered it, that it
/// can't, or that it has no rule for such a layer.
class Outcome {
public:
  Outcome(Refusal refusal) : hasRule(true), refusal(std::move(refusal)) {}
  static Outcome noRule() { return Outcome(); }

  explicit operator bool() const { return hasRule; }
  /// Of a layer for which there is a rule.
  const Refusal &operator*() const { return refusal; }

private:
  Outcome() = default;
  bool hasRule = false;
  Refusal refusal;
};

/// A sum that may not fit its accumulator: nothing but another configuration
/// helps. DerivationError means that the layer computes in float, and any other
/// Error is a fault of ours.
class OverflowError : public Error {
public:
  using Error::Error;
};

inline ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

inline Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The greatest number of steps that a code is from 0.
inline int64_t reachOf(const AffineParams &params) {
  return std::max(params.high - params.zeroPoint,
                  params.zeroPoint - params.low);
}

/// True for codes with one scale.
bool hasCodes(Value value);

/// The value of a float constant, in codes or not; null if it is not constant.
Tensor floatConstantOf(Value value);

/// The attributes of a new operation.
class Attributes {
public:
  explicit Attributes(MLIRContext *context) : builder(context) {}

  Attributes &set(StringRef name, Attribute value) {
    list.set(name, value);
    return *this;
  }
  Attributes &set(StringRef name, int64_t value) {
    return set(name, builder.getI64IntegerAttr(value));
  }
  Attributes &set32(StringRef name, int32_t value) {
    return set(name, builder.getI32IntegerAttr(value));
  }
  Attributes &setWord(StringRef name, StringRef value) {
    return set(name, builder.getStringAttr(value));
  }
  Attributes &setList(StringRef name, ArrayRef<int64_t> values) {
    return set(name, builder.getDenseI64ArrayAttr(values));
  }
  Attributes &setList(StringRef name, ArrayRef<int32_t> values) {
    return set(name, builder.getDenseI32ArrayAttr(values));
  }
  /// `multipliers` and `shifts`.
  Attributes &setMultipliers(ArrayRef<Multiplier> multipliers);

  mlir::NamedAttrList list;
  mlir::Builder builder;
};

class Lowering {
public:
  Lowering(mlir::func::FuncOp quantized, mlir::func::FuncOp view,
           const Target &target, LowerReport &report);

  LogicalResult run();

  //===--------------------------------------------------------------------===//
  // For rules
  //===--------------------------------------------------------------------===//

  /// The value in the new function.
  Value lowered(Value value) const { return mapping.lookup(value); }
  Attributes attributes() const { return Attributes(builder.getContext()); }
  /// Integers in place of quantized types.
  static RankedTensorType loweredType(Type type);

  /// The arithmetic of the target.
  const TargetArithmetic &arithmetic() const { return target.arithmetic; }
  int multiplierBits() const { return int(arithmetic().multiplierBits); }
  int accumulatorBits(DType a, DType b) const {
    return arithmetic().accumulatorBits(sizeOf(a) == 1 && sizeOf(b) == 1);
  }

  /// Zero point, limits and rounding of a result (C2 to C4, C10).
  void setOutput(Attributes &attributes, const AffineParams &params) const;

  /// Makes the operation that computes the only, or first, result of `layer`.
  template <typename OpTy>
  Operation *emit(Operation *layer, ValueRange operands,
                  const Attributes &attributes) {
    return finish(layer, create(layer->getLoc(), OpTy::getOperationName(),
                                operands, attributes,
                                loweredType(layer->getResult(0).getType())));
  }
  /// Makes the operation that computes all results of `layer`.
  template <typename OpTy>
  void emitAll(Operation *layer, ValueRange operands,
               const Attributes &attributes) {
    finishAll(layer, OpTy::getOperationName(), operands, attributes);
  }
  /// An operation on the way to it, whose tensor is called after that of the
  /// layer. `type` is a quantized one, or float.
  template <typename OpTy>
  Value emitHelper(Operation *layer, StringRef suffix, ValueRange operands,
                   const Attributes &attributes, Type type) {
    Value result =
        create(helperLocation(layer, suffix), OpTy::getOperationName(),
               operands, attributes, loweredType(type))
            ->getResult(0);
    if (isQuantized(type))
      codeTypes[result] = type;
    return result;
  }
  Value constant(Operation *layer, StringRef suffix, const Tensor &tensor);

  /// The sum of the operands times `signs` as codes of `to` (C30).
  Attributes linear(ArrayRef<AffineParams> from, ArrayRef<int> signs,
                    const AffineParams &to) const;

  /// Notes how far an accumulator is filled, or throws (C27).
  void prove(Operation *layer, const npu::AccumulatorBound &bound, int bits);

  LowerReport &report;

private:
  Operation *create(Location location, StringRef name, ValueRange operands,
                    const Attributes &attributes, Type type);
  Operation *finish(Operation *layer, Operation *made);
  void finishAll(Operation *layer, StringRef name, ValueRange operands,
                 const Attributes &attributes);
  Location helperLocation(Operation *layer, StringRef suffix) const;

  void visit(Operation *op);
  Refusal lowerLayer(Operation *op);
  Refusal checkTypes(Operation *op) const;
  Refusal lowerMovement(Operation *op);
  Refusal lowerClamp(Operation *op);
  Refusal lowerRequantize(nn::RequantizeOp op);
  /// For integers that were turned into floats just to be quantized.
  bool lowerArriving(nn::RequantizeOp op);
  /// The codes of an output of the network.
  FailureOr<Value> leavingAs8Bits(Value value, StringRef output);
  void addConstant(nn::QuantizedConstantOp op);
  void addIsland(Operation *op, const std::string &why);
  void copyLayer(Operation *op);
  void noteCodeTypes();
  Value floatOf(Value value);
  Value codesAs(Value value, Type type, Operation *reader);
  Value quantize(Value value, Type type, Location location);

  mlir::func::FuncOp quantized, view;
  const Target &target;
  OpBuilder builder;
  mlir::IRMapping mapping;
  /// The quantized types of values of the new function.
  DenseMap<Value, Type> codeTypes;
  /// Float versions of codes, for layers in float.
  DenseMap<Value, Value> floats;
  /// Values of the new function that stand for several of the quantized one
  /// with readers of their own, so that their limits can't be narrowed.
  llvm::DenseSet<Value> shared;
};

// The rules, one function per family in the file of its name. They are asked
// about layers with codes among their operands.
Outcome lowerMac(Operation *op, Lowering &lowering);
Outcome lowerElementwise(Operation *op, Lowering &lowering);
Outcome lowerSums(Operation *op, Lowering &lowering);
Outcome lowerNormalize(Operation *op, Lowering &lowering);
Outcome lowerRecurrent(Operation *op, Lowering &lowering);
Refusal lowerEinsum(nn::EinsumOp op, Lowering &lowering);

/// For rules of operators that may as well compute in float: an accumulator
/// that is too small is a reason, not an error.
Refusal orFloat(llvm::function_ref<Refusal()> rule);

/// Why an operator that no rule knows computes in float.
std::string reasonForFloat(Operation *op);

/// Attributes of a product with operands of these scales: multipliers (C25), or
/// for a float result of `layer` scales (C26).
Attributes productFactors(Operation *layer, float xScale,
                          ArrayRef<float> scales, Lowering &lowering);

} // namespace parallax::lower

#endif // PARALLAX_LIB_PASSES_LOWER_LOWERING_H
