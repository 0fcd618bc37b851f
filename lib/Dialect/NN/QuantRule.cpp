//===- QuantRule.cpp - How operators are quantized ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What follows from each rule, and the answers of operators that differ from
// it: `answers` in their definitions.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Dialect/NN/ShapeInference.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace parallax::nn {

const QuantRuleTraits &traitsOf(QuantRule rule) {
  // In the order of the enum.
  static constexpr QuantRuleTraits table[] = {
      {.name = "Mac", .hasWeights = true, .hasAccumulator = true},
      {.name = "Table"},
      {.name = "Linear", .hasAccumulator = true},
      {.name = "SameScale", .sharesScale = true},
      {.name = "Composite"},
      {.name = "Boolean"},
      {.name = "Constant"},
      {.name = "Cpu"}};
  return table[size_t(rule)];
}

QuantRule ruleOf(Operation *op) {
  auto quantizable = dyn_cast<QuantizableOpInterface>(op);
  return quantizable ? quantizable.getQuantRule() : QuantRule::Cpu;
}

bool sharesScale(Operation *op) { return traitsOf(ruleOf(op)).sharesScale; }

bool keepsCodes(Operation *op) {
  auto quantizable = dyn_cast<QuantizableOpInterface>(op);
  return quantizable && quantizable.movesCodes() && !quantizable.addsNumber();
}

bool isClamp(Operation *op) {
  auto quantizable = dyn_cast<QuantizableOpInterface>(op);
  return quantizable && quantizable.isClamp();
}

bool isSingleClamp(Operation *op) {
  return isClamp(op) && op->getOperand(0).getDefiningOp() &&
         op->getOperand(0).hasOneUse();
}

WeightPlace weightPlaceOf(Operation *op) {
  auto quantizable = dyn_cast<QuantizableOpInterface>(op);
  return quantizable ? quantizable.getWeightPlace() : WeightPlace();
}

Value weightOf(Operation *op) {
  int weight = weightPlaceOf(op).weight;
  return weight < 0 ? Value() : op->getOperand(unsigned(weight));
}

//===----------------------------------------------------------------------===//
// Clamps
//===----------------------------------------------------------------------===//

bool ReluOp::isClamp() { return true; }
bool ClipOp::isClamp() { return true; }

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Sums and products of codes are not codes.
static bool isArithmetic(StringRef reduction) {
  return reduction == "add" || reduction == "mul";
}

bool ScatterElementsOp::movesCodes() { return !isArithmetic(getReduction()); }
bool ScatterNDOp::movesCodes() { return !isArithmetic(getReduction()); }

/// Cropping may take the value for what lies outside from an attribute.
bool ResizeOp::movesCodes() {
  return getMode() == "nearest" && getCoordinateMode() != "tf_crop_and_resize";
}

bool PadOp::addsNumber() {
  return getMode() == "constant" && !getValue().isZero();
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

int64_t ConvOp::getChannelAxis(int64_t) { return 1; }
int64_t ConvTransposeOp::getChannelAxis(int64_t) { return 1; }
int64_t MaxPoolOp::getChannelAxis(int64_t) { return 1; }
int64_t AveragePoolOp::getChannelAxis(int64_t) { return 1; }
int64_t BatchNormalizationOp::getChannelAxis(int64_t) { return 1; }

/// What is merged differs along the dimension in which it is.
int64_t ConcatOp::getChannelAxis(int64_t rank) {
  auto axis = int64_t(getAxis());
  return axis < 0 ? axis + rank : axis;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

bool RNNOp::hasWeights() { return true; }
bool GRUOp::hasWeights() { return true; }
bool LSTMOp::hasWeights() { return true; }

static bool isWeight(Value value) {
  return isa_and_nonnull<ConstantOp, QuantizedConstantOp>(
             value.getDefiningOp()) &&
         !isa<IntegerType>(getElementTypeOrSelf(value.getType()));
}

/// The same without a weight, if the operand is computed.
static WeightPlace ifConstant(Operation *op, WeightPlace place) {
  if (!isWeight(op->getOperand(unsigned(place.weight))))
    place.weight = -1;
  return place;
}

static WeightPlace secondOperand(Operation *op, Value bias, int64_t axis) {
  return ifConstant(op, {0, 1, bias ? 2 : -1, axis});
}

WeightPlace ConvOp::getWeightPlace() {
  return secondOperand(*this, getBias(), 0);
}

WeightPlace ConvTransposeOp::getWeightPlace() {
  return secondOperand(*this, getBias(), 1);
}

WeightPlace FullyConnectedOp::getWeightPlace() {
  return secondOperand(*this, getBias(), 0);
}

WeightPlace GemmOp::getWeightPlace() {
  bool isPlain =
      getAlpha().convertToFloat() == 1 && getBeta().convertToFloat() == 1;
  return secondOperand(*this, isPlain ? getC() : Value(), getTransB() ? 0 : 1);
}

WeightPlace MatMulOp::getWeightPlace() {
  int64_t rankA = getTensorType(getA()).getRank();
  int64_t rankB = getTensorType(getB()).getRank();
  if (isWeight(getB()))
    return {0, 1, -1, rankB > 1 ? rankB - 1 : -1};
  return ifConstant(*this, {1, 0, -1, rankA > 1 ? rankA - 2 : -1});
}

WeightPlace EinsumOp::getWeightPlace() {
  bool isSecond = getNumOperands() > 1 && isWeight(getOperand(1));
  return ifConstant(*this, {isSecond ? 0 : 1, isSecond ? 1 : 0, -1, -1});
}

// The rows of the gates are dimension 1.
WeightPlace RNNOp::getWeightPlace() { return secondOperand(*this, {}, 1); }
WeightPlace GRUOp::getWeightPlace() { return secondOperand(*this, {}, 1); }
WeightPlace LSTMOp::getWeightPlace() { return secondOperand(*this, {}, 1); }

} // namespace parallax::nn
