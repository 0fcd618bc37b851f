//===- TypePlan.h - The type of every tensor -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Two questions, in this order. Which quantized type does a tensor have? That
// follows backwards from those who read it. Which scale? That follows forwards
// from the ranges, with tensors that must or may share one put into a class.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_TYPEPLAN_H
#define PARALLAX_LIB_PASSES_QUANTIZE_TYPEPLAN_H

#include "parallax/Analysis/QuantParams.h"
#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Passes/Quantize/Quantize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace parallax::quantize {

/// Precisions by operation of the function that is being quantized.
class Precisions {
public:
  LayerPrecision lookup(Operation *op) const { return layers.lookup(op); }
  /// Whether a rule says in which type an operation computes.
  bool asksForData(Operation *op) const { return asked.contains(op); }
  void set(Operation *op, LayerPrecision precision, bool asksForData) {
    layers[op] = precision;
    if (asksForData)
      asked.insert(op);
  }

private:
  llvm::DenseMap<Operation *, LayerPrecision> layers;
  llvm::DenseSet<Operation *> asked;
};

/// Takes the attributes nn.precision off the operations.
Precisions takePrecisions(mlir::func::FuncOp function);

/// The ranges that calibration has found, by tensor.
class Ranges {
public:
  /// Takes the ranges off a calibrated function, whose tensors are plain floats
  /// then.
  explicit Ranges(mlir::func::FuncOp function);
  /// The range of a value for codes of a kind. Requantization keeps the range
  /// of its operand. A missing one is remembered.
  Interval of(Value value, DataType kind);
  /// The same, also of constants, with nothing left out or remembered.
  Interval known(Value value, DataType kind) const;
  /// All that is known of a value, or null.
  const TensorRange *find(Value value) const;
  /// All that a value may be from now on.
  void set(Value value, Interval range);
  /// Fails with an error if a range was missing.
  LogicalResult finish() const;

private:
  mlir::func::FuncOp function;
  Calibration calibration;
  llvm::StringMap<TensorRange *> ranges;
  std::vector<std::string> missing;
};

/// Whether an output of the network, which reads a tensor, is given as codes.
bool leavesAsCodes(mlir::OpOperand &use);

/// Arithmetic on single numbers, which takes next to no time in float.
bool isArithmetic(Operation *op);

/// The quantized type of values: U8, S8, U16, S16, or FP32. Values that are not
/// float have none.
class KindPlan {
public:
  /// With `shareParameters`, clamps have the codes of what they clamp.
  KindPlan(mlir::func::FuncOp function, const Precisions &precisions,
           const Ranges &ranges, bool shareParameters);

  DataType kind(Value value) const { return kinds.lookup(value); }
  void set(Value value, DataType kind) { kinds[value] = kind; }
  /// The kind in which an operation reads its float operands; Default if it
  /// takes what it gets.
  DataType readBy(Operation *op) const { return reads.lookup(op); }
  /// Tensors that meet as floats because no scale serves all of them.
  ArrayRef<AlignmentChoice> meetingAsFloats() const { return floats; }

private:
  bool followsReaders(Operation *op) const;
  bool computesInFloat(Operation *op) const;
  DataType wantedOf(Value value) const;
  DataType readKind(Operation *op) const;
  DataType resultKind(Operation *op, Value result) const;
  DataType leavingKind(Operation *op);
  float scaleOf(Value value, DataType kind) const;

  const Precisions &precisions;
  const Ranges &ranges;
  bool shareParameters;
  llvm::DenseMap<Value, DataType> kinds;
  llvm::DenseMap<Operation *, DataType> reads;
  std::vector<AlignmentChoice> floats;
};

/// Gives layers 16 bits that read tensors which meet others, if 8 would leave a
/// tensor next to no steps, no rule says otherwise, and that takes little more
/// time. Returns what was decided, by the layer in which tensors meet.
std::map<std::string, std::string> widenMeetings(mlir::func::FuncOp view,
                                                 Precisions &precisions,
                                                 const Ranges &ranges,
                                                 bool shareParameters);

/// What is left of a range if a mask of great negative numbers, or of minus
/// infinity, has been put on a value that is on its way to a softmax. The least
/// code then is one that the softmax takes for nothing.
Interval withoutMask(Value value, DataType kind, Interval range,
                     const Ranges &ranges);

/// Replaces the numbers of masks such as mask * C - C by smaller ones that hide
/// as well, so that what they show has codes.
void narrowCancelledMasks(mlir::func::FuncOp view, Ranges &ranges);

/// Gives every tensor of codes its quantized type. Inserts a requantization in
/// front of operators that need one scale for all operands, where an operand
/// keeps its own.
LogicalResult assignTypes(mlir::func::FuncOp function, KindPlan &kinds,
                          Ranges &ranges, const QuantizeOptions &options,
                          QuantizeReport &report);

/// Makes an operation that changes the type of `value`. Its name tells `kind`,
/// and the reader that it is for if others get another one.
Value createRequantize(mlir::OpBuilder &builder, Value value, Type type,
                       DataType kind, StringRef reader = "");

/// Requantizes `value` in front of `before`; the type is set later.
Value requantize(Value value, DataType kind, Operation *before, KindPlan &kinds,
                 StringRef reader = "");

/// The type of codes of a kind.
Type codeType(MLIRContext *context, const AffineParams &params, DataType kind);

/// The least and the greatest finite number.
Interval finiteRangeOf(const Tensor &values);

/// Replaces the float constants of operators that compute on codes.
LogicalResult quantizeConstants(mlir::func::FuncOp function,
                                const KindPlan &kinds,
                                const Precisions &precisions,
                                const QuantizeOptions &options,
                                QuantizeReport &report);

inline bool isFloat(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType().isF32();
}

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_TYPEPLAN_H
