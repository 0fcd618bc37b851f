//===- Lower.cpp - The view npu of a network ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks the layers in order. What has a rule becomes integers, what moves codes
// stays as it is, and what has neither is computed in float between
// npu.dequantize and npu.quantize.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Config/DataTypes.h"
#include "parallax/Dialect/NN/PortAttrs.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace parallax::lower {
namespace {

bool isSigned(DType storage) {
  return storage != DType::U8 && storage != DType::U16;
}

npu::TargetAttr attributeOf(const Target &target, MLIRContext *context) {
  const TargetArithmetic &arithmetic = target.arithmetic;
  return npu::TargetAttr::get(
      context, target.name, arithmetic.accumulatorBits8,
      arithmetic.accumulatorBits16, arithmetic.multiplierBits,
      configName(arithmetic.rounding), arithmetic.tableKnots);
}

} // namespace

Lowering::Lowering(func::FuncOp quantized, func::FuncOp view,
                   const Target &target, LowerReport &report)
    : report(report), quantized(quantized), view(view), target(target),
      builder(view.getContext()) {}

LogicalResult Lowering::run() {
  Block *body = view.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [from, to] :
       llvm::zip(quantized.getArguments(), body->getArguments())) {
    if (isQuantized(from.getType()))
      return emitError(
          view.getLoc(),
          fmt::format("input '{}' has codes; the inputs of a network are "
                      "floats or plain integers",
                      getTensorName(from)));
    mapping.map(from, to);
  }
  for (Operation &op : quantized.front().without_terminator())
    try {
      visit(&op);
    } catch (const OverflowError &error) {
      return emitError(
          op.getLoc(),
          fmt::format("layer '{}': {}", getLayerName(&op).node, error.what()));
    } catch (const Error &error) {
      return emitError(
          op.getLoc(),
          fmt::format("layer '{}': {}; this is a fault of Parallax, please "
                      "report the model",
                      getLayerName(&op).node, error.what()));
    }
  Operation *terminator = quantized.front().getTerminator();
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    if (!view.getResultAttr(unsigned(i), outputTypeAttr)) {
      results.push_back(isQuantized(value.getType()) ? floatOf(value)
                                                     : lowered(value));
      continue;
    }
    FailureOr<Value> leaving = leavingAs8Bits(
        value, view.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name"));
    if (failed(leaving))
      return failure();
    results.push_back(*leaving);
  }
  func::ReturnOp::create(builder, terminator->getLoc(), results);
  view.setType(builder.getFunctionType(view.getArgumentTypes(),
                                       TypeRange(ValueRange(results))));
  noteCodeTypes();
  // What is only read by layers that have a form of their own.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

/// Integers don't tell what they stand for: dumps and reports need it.
void Lowering::noteCodeTypes() {
  for (Operation &op : quantized.front())
    for (Value value : op.getResults())
      if (Value codes = mapping.lookupOrNull(value);
          codes && isQuantized(value.getType()))
        codeTypes.try_emplace(codes, value.getType());
  for (Operation &op : view.front()) {
    SmallVector<Type> types;
    for (Value value : op.getResults())
      types.push_back(codeTypes.lookup(value));
    if (llvm::any_of(types, [](Type type) { return bool(type); }))
      setCodeTypes(&op, types);
  }
}

/// Integers and what moves floats do not count.
static bool computesInFloat(Operation *op) {
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  return op->getNumOperands() > 0 && !isa<nn::RequantizeOp>(op) &&
         !nn::sharesScale(op) && llvm::any_of(op->getResultTypes(), isFloat);
}

void Lowering::visit(Operation *op) {
  if (auto constant = dyn_cast<nn::QuantizedConstantOp>(op))
    return addConstant(constant);
  auto isCodes = [](Type type) { return isQuantized(type); };
  bool readsCodes = llvm::any_of(op->getOperandTypes(), isCodes);
  if (!readsCodes && llvm::none_of(op->getResultTypes(), isCodes)) {
    report.floatLayers += computesInFloat(op);
    return copyLayer(op);
  }
  Refusal refusal;
  try {
    refusal = readsCodes || isa<nn::RequantizeOp>(op)
                  ? lowerLayer(op)
                  : Refusal("its operands are floats");
  } catch (const DerivationError &error) {
    refusal = error.what();
  }
  if (refusal)
    addIsland(op, *refusal);
}

/// Whether the target's operator takes the types of all codes; weights and
/// biases have types of their own.
Refusal Lowering::checkTypes(Operation *op) const {
  StringRef opType = op->getName().stripDialect();
  bool hasWeights = cast<nn::QuantizableOpInterface>(op).hasWeights();
  const std::vector<DataType> &activations =
      target.activationTypesOf(opType.str());
  const std::vector<DataType> &weights = target.weightTypesOf(opType.str());
  auto check = [&](Type type, bool isWeight) -> Refusal {
    if (!isQuantized(type) || sizeOf(storageOf(type)) > 2)
      return {};
    if (activations.empty())
      return fmt::format("{} does not have the operator", target.name);
    DataType dataType = dataTypeOf(storageOf(type));
    if (llvm::is_contained(isWeight ? weights : activations, dataType))
      return {};
    return fmt::format("{} does not take {} of {} here", target.name,
                       isWeight ? "weights" : "activations",
                       configName(dataType));
  };
  // A constant without a sign is the second activation of a product (C2).
  auto isWeight = [&](Value value) {
    return hasWeights && value.getDefiningOp<nn::QuantizedConstantOp>() &&
           isSigned(storageOf(value.getType()));
  };
  for (Value operand : op->getOperands())
    if (Refusal refusal = check(operand.getType(), isWeight(operand)))
      return refusal;
  for (Type type : op->getResultTypes())
    if (Refusal refusal = check(type, false))
      return refusal;
  return {};
}

Refusal Lowering::lowerLayer(Operation *op) {
  if (auto requantize = dyn_cast<nn::RequantizeOp>(op))
    return lowerRequantize(requantize);
  if (Refusal refusal = checkTypes(op))
    return refusal;
  if (nn::isClamp(op))
    return lowerClamp(op);
  if (cast<nn::QuantizableOpInterface>(op).movesCodes())
    return lowerMovement(op);
  for (auto rule :
       {lowerMac, lowerElementwise, lowerSums, lowerNormalize, lowerRecurrent})
    if (Outcome outcome = rule(op, *this))
      return *outcome;
  return reasonForFloat(op);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

RankedTensorType Lowering::loweredType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return isQuantized(type)
             ? tensor.clone(toElementType(type.getContext(), storageOf(type)))
             : tensor;
}

Attributes &Attributes::setMultipliers(ArrayRef<Multiplier> multipliers) {
  SmallVector<int32_t> mantissas, shifts;
  for (Multiplier multiplier : multipliers) {
    mantissas.push_back(multiplier.mantissa);
    shifts.push_back(multiplier.shift);
  }
  return setList("multipliers", mantissas).setList("shifts", shifts);
}

void Lowering::setOutput(Attributes &attributes,
                         const AffineParams &params) const {
  attributes.set("zero_point", params.zeroPoint)
      .set("low", params.low)
      .set("high", params.high)
      .setWord("rounding", configName(arithmetic().rounding));
}

Operation *Lowering::create(Location location, StringRef name,
                            ValueRange operands, const Attributes &attributes,
                            Type type) {
  OperationState state(location, name, operands, type, attributes.list);
  return builder.create(state);
}

Operation *Lowering::finish(Operation *layer, Operation *made) {
  mapping.map(layer->getResult(0), made->getResult(0));
  ++report.integerLayers;
  return made;
}

void Lowering::finishAll(Operation *layer, StringRef name, ValueRange operands,
                         const Attributes &attributes) {
  SmallVector<Type> types;
  for (Type type : layer->getResultTypes())
    types.push_back(loweredType(type));
  OperationState state(layer->getLoc(), name, operands, types, attributes.list);
  mapping.map(layer->getResults(), builder.create(state)->getResults());
  ++report.integerLayers;
}

Location Lowering::helperLocation(Operation *layer, StringRef suffix) const {
  LayerName name = getLayerName(layer);
  std::string tensor = name.tensors.empty() ? name.node : name.tensors[0];
  return makeLayerLocation(builder.getContext(), name.node + suffix.str(),
                           {tensor + suffix.str()});
}

Value Lowering::constant(Operation *layer, StringRef suffix,
                         const Tensor &tensor) {
  Location location = helperLocation(layer, suffix);
  return nn::ConstantOp::create(
      builder, location, toTensorType(builder.getContext(), tensor),
      toAttribute(builder.getContext(), tensor,
                  getLayerName(layer).node + suffix.str()));
}

Attributes Lowering::linear(ArrayRef<AffineParams> from, ArrayRef<int> signs,
                            const AffineParams &to) const {
  SmallVector<float> scales;
  SmallVector<int64_t> zeros;
  for (const AffineParams &params : from) {
    scales.push_back(params.scale);
    zeros.push_back(params.zeroPoint);
  }
  Coefficients coefficients = npu::linearCoefficients(
      {scales.data(), scales.size()}, {signs.data(), signs.size()}, to.scale,
      multiplierBits());
  Attributes result = attributes();
  result.setList("input_zero_points", zeros)
      .setList("coefficients", ArrayRef<int64_t>(coefficients.values))
      .set32("shift", coefficients.shift);
  setOutput(result, to);
  return result;
}

void Lowering::prove(Operation *layer, const npu::AccumulatorBound &bound,
                     int bits) {
  if (bound.marginBits < 0)
    throw OverflowError(fmt::format(
        "its sums need {} bits, more than the {} of its accumulator on {} "
        "(C27){}",
        bits - bound.marginBits, bits, target.name,
        bits < arithmetic().accumulatorBits16
            ? fmt::format("; 16-bit codes have an accumulator of {}",
                          arithmetic().accumulatorBits16)
            : ""));
  report.margins.push_back({getLayerName(layer).node, bits, bound.marginBits});
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

void Lowering::addConstant(nn::QuantizedConstantOp op) {
  mapping.map(
      op.getResult(),
      nn::ConstantOp::create(builder, op.getLoc(),
                             cast<RankedTensorType>(op.getCodes().getType()),
                             op.getCodes())
          .getResult());
}

void Lowering::copyLayer(Operation *op) { builder.clone(*op, mapping); }

Value Lowering::quantize(Value value, Type type, Location location) {
  AffineParams params = affineParamsOf(type);
  Attributes parameters = attributes();
  parameters.set("scale", builder.getF32FloatAttr(params.scale))
      .set("zero_point", params.zeroPoint)
      .set("low", params.low)
      .set("high", params.high);
  return create(location, npu::QuantizeOp::getOperationName(), value,
                parameters, loweredType(type))
      ->getResult(0);
}

/// The values of codes; of a constant as another constant.
Value Lowering::floatOf(Value value) {
  if (!isQuantized(value.getType()))
    return lowered(value);
  Value &result = floats[value];
  if (result)
    return result;
  std::string name = getTensorName(value) + "_float";
  Location location = makeLayerLocation(builder.getContext(), name, {name});
  if (Tensor tensor = floatConstantOf(value); !tensor.isNull()) {
    result = nn::ConstantOp::create(
        builder, location, toTensorType(builder.getContext(), tensor),
        toAttribute(builder.getContext(), tensor, name));
    return result;
  }
  AffineParams params = affineParamsOf(value.getType());
  Attributes parameters = attributes();
  parameters.set("scale", builder.getF32FloatAttr(params.scale))
      .set("x_zero_point", params.zeroPoint);
  auto type =
      cast<RankedTensorType>(value.getType()).clone(builder.getF32Type());
  result = create(location, npu::DequantizeOp::getOperationName(),
                  lowered(value), parameters, type)
               ->getResult(0);
  return result;
}

/// Codes that stand for the same values in another type.
Value Lowering::codesAs(Value value, Type type, Operation *reader) {
  if (elementOf(value) == getElementTypeOrSelf(type))
    return lowered(value);
  auto shaped =
      cast<RankedTensorType>(value.getType()).clone(getElementTypeOrSelf(type));
  return emitHelper<npu::LinearOp>(
      reader, "_" + getTensorName(value), lowered(value),
      linear(affineParamsOf(value.getType()), 1, affineParamsOf(type)), shaped);
}

Refusal Lowering::lowerRequantize(nn::RequantizeOp op) {
  Value x = op.getX();
  Type type = op.getType();
  if (!isQuantized(x.getType())) {
    if (lowerArriving(op))
      return {};
    mapping.map(op.getResult(), quantize(lowered(x), type, op.getLoc()));
  } else if (isQuantized(type)) {
    if (!hasCodes(x))
      return "its operand has a scale per channel";
    emit<npu::LinearOp>(
        op, lowered(x),
        linear(affineParamsOf(x.getType()), 1, affineParamsOf(type)));
    return {};
  } else {
    Value values = floatOf(x);
    if (Operation *made = values.getDefiningOp<npu::DequantizeOp>())
      made->setLoc(op.getLoc());
    mapping.map(op.getResult(), values);
  }
  ++report.integerLayers;
  return {};
}

void Lowering::addIsland(Operation *op, const std::string &why) {
  ++report.floatLayers;
  report.islands.push_back(
      {getLayerName(op).node, op->getName().getStringRef().str(), why});
  IRMapping local;
  for (Value operand : op->getOperands())
    local.map(operand, floatOf(operand));
  Operation *made = builder.clone(*op, local);
  bool hasFloats = false;
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults())) {
    mapping.map(from, to);
    if (!isQuantized(from.getType()))
      continue;
    to.setType(
        cast<RankedTensorType>(from.getType()).clone(builder.getF32Type()));
    std::string name = getTensorName(from);
    mapping.map(from,
                quantize(to, from.getType(),
                         makeLayerLocation(builder.getContext(),
                                           getLayerName(op).node, {name})));
    hasFloats = true;
  }
  if (!hasFloats)
    return;
  LayerName name = getLayerName(op);
  for (auto [tensor, result] : llvm::zip(name.tensors, op->getResults()))
    if (isQuantized(result.getType()))
      tensor += "_float";
  made->setLoc(makeLayerLocation(builder.getContext(), name.node + "_float",
                                 name.tensors));
}

} // namespace parallax::lower

namespace parallax {

/// What sums of products are multiplied with, for people who look at a layer.
static void addMultipliers(func::FuncOp view, LowerReport &report) {
  llvm::StringMap<LowerReport::Margin *> margins;
  for (LowerReport::Margin &margin : report.margins)
    margins[margin.layer] = &margin;
  view.walk([&](Operation *op) {
    auto multipliers = op->getAttrOfType<DenseI32ArrayAttr>("multipliers");
    auto shifts = op->getAttrOfType<DenseI32ArrayAttr>("shifts");
    auto it = margins.find(getLayerName(op).node);
    if (!multipliers || !shifts || multipliers.empty() || shifts.empty() ||
        it == margins.end())
      return;
    auto extremes = [](ArrayRef<int32_t> values) {
      auto [least, most] = std::ranges::minmax(values);
      return std::pair<int64_t, int64_t>(least, most);
    };
    it->second->multiplier = extremes(multipliers.asArrayRef());
    it->second->shift = extremes(shifts.asArrayRef());
  });
}

FailureOr<func::FuncOp> lowerNetwork(func::FuncOp quantized,
                                     const Target &target,
                                     LowerReport *report) {
  MLIRContext *context = quantized.getContext();
  context->loadDialect<nn::NNDialect, npu::NPUDialect>();
  OpBuilder builder(quantized);
  builder.setInsertionPointAfter(quantized);
  auto view = func::FuncOp::create(builder, quantized.getLoc(), views::npu,
                                   quantized.getFunctionType());
  if (ArrayAttr names = quantized.getAllArgAttrs())
    view.setAllArgAttrs(names);
  if (ArrayAttr names = quantized.getAllResultAttrs())
    view.setAllResultAttrs(names);
  view->setAttr(npu::targetAttrName, lower::attributeOf(target, context));
  LowerReport ignored;
  lower::Lowering lowering(quantized, view, target, report ? *report : ignored);
  if (failed(lowering.run())) {
    view.erase();
    return failure();
  }
  if (failed(verify(view)))
    return emitError(view.getLoc(),
                     "the lowered network is not valid; this is a fault of "
                     "Parallax, please report the model");
  if (report)
    addMultipliers(view, *report);
  return view;
}

} // namespace parallax
