//===- LayerValues.cpp - A network at two points --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Recomputed layers are made when somebody asks for them, beside the layer that
// they belong to, so that the memory plan can let go of tensors early.
//===----------------------------------------------------------------------===//
#include "LayerValues.h"
#include "ComputeAgain.h"
#include "MoveToReaders.h"
#include "SecantKernels.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Home of operations that are nothing but a kernel.
class AttributionDialect : public Dialect {
public:
  explicit AttributionDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<AttributionDialect>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "attribution"; }
};

constexpr StringLiteral computeName = "attribution.compute";
constexpr StringLiteral kernelAttr = "kernel";

} // namespace

bool isReal(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getElementType().isF32();
}

Bind plainly(Run run) {
  return [run = std::move(run)](BindContext &) { return Kernel{run}; };
}

Bind inAnyLayout(Run run) {
  return [run = std::move(run)](BindContext &context) {
    Layout layout;
    for (const KernelBuilder::Input &input : context.inputs)
      if (!input.info.layout.isPlain())
        layout = input.info.layout;
    for (size_t i = 0; i < context.inputCount(); ++i)
      context.wantLayout(i, layout);
    for (size_t i = 0; i < context.outputCount(); ++i)
      if (context.output(i).shape == context.input(0).shape)
        context.setOutputLayout(i, layout);
    return Kernel{run};
  };
}

LayerValues::LayerValues(const AnalyzedNetwork &views, AnalysisMode mode)
    : views(views),
      combination(combine(
          {views.network, views.quantized,
           mode == AnalysisMode::NPUBackend ? views.machine : func::FuncOp()},
          {{AnalysisMethod::EndToEnd, mode}})),
      end(combination.function.getContext()) {
  combination.function.getContext()->getOrLoadDialect<AttributionDialect>();
  Operation *terminator = combination.function.front().getTerminator();
  end.setInsertionPoint(terminator);
  Operation *next = terminator;
  for (Operation &op :
       llvm::reverse(this->views.network.front().without_terminator())) {
    successors[&op] = next;
    next = floats(op.getResult(0)).getDefiningOp();
  }
  for (Operation &op : this->views.quantized.front().without_terminator())
    if (!isa<nn::RequantizeOp>(op))
      partners.try_emplace(getTensorName(op.getResult(0)), &op);
  findQuantized();
  findInputs();
}

void LayerValues::findQuantized() {
  llvm::StringMap<Value> values;
  for (Operation &op : views.network.front().without_terminator())
    for (Value value : op.getResults())
      values[getTensorName(value)] = value;
  for (auto [i, observation] : llvm::enumerate(combination.observations)) {
    const FloatTensor &tensor = combination.tensors[observation.tensor];
    Value value = values.lookup(tensor.name);
    channelAxes[value] = tensor.channelAxis;
    if (observation.comparison)
      quantizedValues[value] = {
          combination.values[i], {}, combination.codeTypes[i]};
  }
}

/// What the network reads becomes codes in front of its first reader. All
/// readers get those here; one that reads others has that as its own error.
void LayerValues::findInputs() {
  OpBuilder builder = OpBuilder::atBlockBegin(&combination.function.front());
  for (auto [input, copy] : llvm::zip(views.network.getArguments(),
                                      combination.function.getArguments())) {
    Operation *first = nullptr;
    for (Operation *reader : copy.getUsers())
      if (isa<nn::RequantizeOp, npu::QuantizeOp>(reader) &&
          (!first || reader->isBeforeInBlock(first)))
        first = reader;
    if (!isReal(input) || !first)
      continue;
    Value made = builder.clone(*first)->getResult(0);
    Quantized &entry = quantizedValues[input];
    entry = {made, made, {}};
    if (auto quantize = made.getDefiningOp<npu::QuantizeOp>()) {
      AffineParams params;
      params.scale = quantize.getScale().convertToFloat();
      params.zeroPoint = int64_t(quantize.getZeroPoint());
      entry.values = decoded(builder, made, params);
    }
  }
}

Value LayerValues::decoded(OpBuilder &builder, Value codes,
                           const AffineParams &params) {
  auto shaped = cast<RankedTensorType>(codes.getType());
  Operation *made = npu::DequantizeOp::create(
      builder, builder.getUnknownLoc(), shaped.clone(builder.getF32Type()),
      codes, llvm::APFloat(params.scale), params.zeroPoint);
  made->setAttr(machineAttr, builder.getUnitAttr());
  return made->getResult(0);
}

Value LayerValues::quantized(Value value) {
  auto it = quantizedValues.find(value);
  if (it == quantizedValues.end())
    return isReal(value) ? recomputed(value) : floats(value);
  Quantized &entry = it->second;
  if (!entry.values) {
    auto type = cast<RankedTensorType>(entry.made.getType());
    bool isCodes =
        entry.type && !isQuantized(type) && !type.getElementType().isF32();
    OpBuilder builder = beside(value.getDefiningOp());
    entry.values =
        isCodes ? decoded(builder, entry.made, affineParamsOf(entry.type))
                : entry.made;
  }
  return entry.values;
}

Value LayerValues::roundedFloats(Value value) {
  Type type = quantizedValues.lookup(value).type;
  if (!type || !value.getDefiningOp() || isPerAxis(type))
    return {};
  OpBuilder builder = beside(value.getDefiningOp());
  return compute(
      builder,
      inAnyLayout([params = affineParamsOf(type)](const KernelArgs &args) {
        Tensor &result = args.outputs[0];
        analyze::rounded(args.inputs[0].values<float>(), params,
                         {result.data<float>(), size_t(result.size())});
      }),
      {floats(value)}, value.getType())[0];
}

bool LayerValues::movesCodes(Operation *op) {
  // An operator with a scale of its own may read other codes than its operand
  // has: a nearest resize in 16 bits of a tensor that it gets in 8.
  if (!nn::sharesScale(op) || !nn::keepsCodes(op))
    return false;
  auto typeOf = [&](Value value) { return quantizedValues.lookup(value).type; };
  Type type = typeOf(op->getResult(0));
  return type && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isReal(operand) || typeOf(operand) == type;
         });
}

bool LayerValues::hasOwnError(Value value) {
  if (!quantizedValues.contains(value) || !isReal(value))
    return false;
  return isa<BlockArgument>(value) || !movesCodes(value.getDefiningOp());
}

Value LayerValues::recomputed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isKnown(value) || !isReal(value))
    return floats(value);
  if (movesCodes(op))
    return quantized(value);
  if (Value made = recomputedValues.lookup(value))
    return made;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, quantized(operand));
  Operation *made = beside(op).clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
    recomputedValues[from] = to;
  return recomputedValues.lookup(value);
}

Value LayerValues::nearby(Value value) {
  if (isKnown(value) || !isReal(value))
    return floats(value);
  if (Value made = nearbyValues.lookup(value))
    return made;
  Value found = quantized(value);
  OpBuilder builder(found.getContext());
  if (Operation *op = value.getDefiningOp())
    builder = beside(op);
  else
    builder.setInsertionPointAfterValue(found);
  return nearbyValues[value] = compute(
             builder, inAnyLayout([](const KernelArgs &args) {
               Tensor &result = args.outputs[0];
               analyze::nearby(args.inputs[0].values<float>(),
                               args.inputs[1].values<float>(),
                               {result.data<float>(), size_t(result.size())});
             }),
             {found, floats(value)}, value.getType())[0];
}

Value LayerValues::recomputedNearby(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isKnown(value) || !isReal(value))
    return floats(value);
  if (Value made = recomputedFromNearby.lookup(value))
    return made;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, nearby(operand));
  Operation *made = beside(op).clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
    recomputedFromNearby[from] = to;
  return recomputedFromNearby.lookup(value);
}

/// The constant of the quantized network in the place of one of the float one.
Value LayerValues::codesOf(Operation *layer, unsigned operand) {
  Operation *partner = partners.lookup(getTensorName(layer->getResult(0)));
  if (!partner || partner->getName() != layer->getName() ||
      partner->getNumOperands() != layer->getNumOperands())
    return {};
  auto codes =
      partner->getOperand(operand).getDefiningOp<nn::QuantizedConstantOp>();
  return codes && isKnown(layer->getOperand(operand)) ? codes.getResult()
                                                      : Value();
}

bool LayerValues::readsCodes(Operation *op) {
  auto it = codeReaders.find(op);
  if (it != codeReaders.end())
    return it->second;
  bool reads = false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isInside = isReal(operand) && !isKnown(operand) &&
                    operand.getDefiningOp() &&
                    !quantizedValues.contains(operand);
    reads |= codesOf(op, unsigned(i)) ||
             (isInside && readsCodes(operand.getDefiningOp()));
  }
  return codeReaders[op] = reads;
}

Value LayerValues::recomputedOfCodes(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isKnown(value) || !isReal(value) || !readsCodes(op))
    return recomputed(value);
  if (Value made = recomputedFromCodes.lookup(value))
    return made;
  IRMapping mapping;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (Value codes = codesOf(op, unsigned(i))) {
      Value &copy = copiedCodes[codes.getDefiningOp()];
      if (!copy)
        copy = OpBuilder::atBlockBegin(&combination.function.front())
                   .clone(*codes.getDefiningOp())
                   ->getResult(0);
      mapping.map(operand, copy);
    } else {
      mapping.map(operand, quantizedValues.contains(operand)
                               ? quantized(operand)
                               : recomputedOfCodes(operand));
    }
  Operation *made = beside(op).clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
    recomputedFromCodes[from] = to;
  return recomputedFromCodes.lookup(value);
}

OpBuilder LayerValues::beside(Operation *layer) {
  return OpBuilder(successors.lookup(layer));
}

SmallVector<Value> LayerValues::compute(OpBuilder &builder, Bind bind,
                                        ValueRange operands,
                                        TypeRange results) {
  OperationState state(builder.getUnknownLoc(), computeName);
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttribute(kernelAttr,
                     builder.getI64IntegerAttr(int64_t(binders.size())));
  binders.push_back(std::move(bind));
  Operation *made = builder.create(state);
  if (&builder == &end && !firstBack)
    firstBack = made;
  return SmallVector<Value>(made->getResults());
}

Value LayerValues::difference(OpBuilder &builder, Value a, Value b, Type type) {
  return compute(builder, inAnyLayout([](const KernelArgs &args) {
                   Tensor &result = args.outputs[0];
                   analyze::difference(
                       args.inputs[0].values<float>(),
                       args.inputs[1].values<float>(),
                       {result.data<float>(), size_t(result.size())});
                 }),
                 {a, b}, type)[0];
}

Value LayerValues::constant(const Tensor &tensor) {
  OpBuilder builder = OpBuilder::atBlockBegin(&combination.function.front());
  return nn::ConstantOp::create(
      builder, builder.getUnknownLoc(),
      toTensorType(builder.getContext(), tensor),
      toAttribute(builder.getContext(), tensor, "attribution"));
}

Tensor LayerValues::tensorOf(Value known) {
  ElementsAttr attribute;
  if (matchPattern(known, m_Constant(&attribute)))
    return toTensor(attribute);
  return evaluate(known.getDefiningOp(), {}, referenceKernels()).front();
}

Executable LayerValues::finish(ValueRange results) {
  func::FuncOp function = combination.function;
  Operation *terminator = function.front().getTerminator();
  terminator->setOperands(results);
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), results.getTypes()));
  eraseUnread(function);
  moveToReaders(function.front());
  computeAgain(function.front(), firstBack);
  KernelSet kernels = combinedKernels();
  kernels.add(computeName, [this](Operation *op, BindContext &context) {
    auto index = op->getAttrOfType<IntegerAttr>(kernelAttr).getInt();
    return binders[size_t(index)](context);
  });
  PrepareOptions options;
  options.observe = true;
  options.isObserved = [](Operation *) { return false; };
  return prepare(function, kernels, options);
}

} // namespace parallax::analyze
