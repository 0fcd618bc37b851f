//===- Processors.cpp - Layers at inputs and outputs ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All requests are planned first, so that an error leaves the network as it
// was.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Processors/Processors.h"
#include "Plan.h"
#include "parallax/Dialect/NN/CreateOp.h"
#include "parallax/Dialect/NN/PortAttrs.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/UniqueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace parallax {
namespace {

using namespace processors;

FailureOr<PortInfo> portOf(StringRef name, Value value, StringRef what) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  std::optional<DType> dtype =
      tensor ? toDType(tensor.getElementType()) : std::nullopt;
  if (!dtype || !tensor.hasStaticShape())
    return emitError(value.getLoc())
           << what << " '" << name
           << "' has no known shape and plain type, so nothing can be added "
              "there";
  return PortInfo{name.str(), *dtype, tensor.getShape().vec()};
}

RankedTensorType tensorType(MLIRContext *context, DType dtype,
                            const Shape &shape) {
  return RankedTensorType::get(shape, toElementType(context, dtype));
}

/// A name that nothing else in the function has.
class Names {
public:
  explicit Names(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      tensors.reserve(getTensorName(argument));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, "nn.name"))
        tensors.reserve(name.str());
    for (Operation &op : function.front()) {
      LayerName name = getLayerName(&op);
      nodes.reserve(name.node);
      for (const std::string &tensor : name.tensors)
        tensors.reserve(tensor);
    }
  }

  UniqueNames nodes, tensors;
};

/// Inserts layers one after the other.
class Chain {
public:
  Chain(OpBuilder &builder, Names &names, StringRef port, Value start)
      : builder(builder), names(names), port(port.str()), value(start) {}

  /// Appends a layer; `others` are its operands beside the last result. Nothing
  /// is added behind one that has failed.
  template <typename OpTy>
  void add(StringRef step, ArrayRef<NamedAttribute> attributes,
           ArrayRef<Value> others = {}, std::string tensor = "") {
    if (failed(outcome))
      return;
    std::string node = names.nodes.add(port + "/" + step.str());
    if (tensor.empty())
      tensor = names.tensors.add(port + "/" + step.str());
    SmallVector<Value> operands{value};
    operands.append(others.begin(), others.end());
    OperationState state(
        makeLayerLocation(builder.getContext(), node, {tensor}),
        OpTy::getOperationName());
    if (failed(nn::completeState<OpTy>(state, operands, attributes))) {
      outcome = emitError(state.location, "cannot add layer '" + node + "'");
      return;
    }
    Operation *op = builder.create(state);
    first = first ? first : op;
    value = op->getResult(0);
    steps.push_back(OpTy::getOperationName().str());
  }

  Value constant(StringRef role, const Tensor &tensor) {
    std::string name = names.tensors.add(port + "/" + role.str());
    MLIRContext *context = builder.getContext();
    return nn::ConstantOp::create(builder,
                                  makeLayerLocation(context, name, {name}),
                                  toAttribute(context, tensor, name));
  }

  NamedAttribute ints(StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }
  NamedAttribute integer(StringRef name, int64_t number) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(number));
  }
  NamedAttribute floats(StringRef name, ArrayRef<float> values) {
    return builder.getNamedAttr(name, builder.getDenseF32ArrayAttr(values));
  }

  OpBuilder &builder;
  Names &names;
  std::string port;
  Value value;
  LogicalResult outcome = success();
  Operation *first = nullptr;
  std::vector<std::string> steps;
};

/// A tensor of one number.
Tensor scalarOf(DType dtype, double number) {
  Tensor tensor(dtype, {});
  dispatch(dtype, [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_arithmetic_v<T>)
      *tensor.data<T>() = T(number);
  });
  return tensor;
}

void addInputLayers(Chain &chain, const InputPlan &plan, DType target) {
  OpBuilder &builder = chain.builder;
  if (plan.color)
    chain.add<nn::ColorConvertOp>(
        "color", {builder.getNamedAttr(
                      "format", builder.getStringAttr(plan.color->format)),
                  chain.ints("matrix", plan.color->matrix),
                  chain.integer("min_luma", plan.color->minLuma)});
  if (!plan.sliceSizes.empty())
    chain.add<nn::SliceOp>("slice",
                           {chain.ints("starts", plan.sliceStarts),
                            chain.ints("sizes", plan.sliceSizes),
                            chain.ints("steps", Shape(plan.shape.size(), 1))});
  if (!plan.pads.empty())
    chain.add<nn::PadOp>(
        "pad", {chain.ints("pads", plan.pads),
                builder.getNamedAttr(
                    "value", builder.getF64FloatAttr(double(plan.padValue)))});
  if (plan.dequantizes) {
    Value scale = chain.constant("scale", scalarOf(DType::F32, plan.scale));
    Value zero = chain.constant("zeropoint",
                                scalarOf(plan.dtype, double(plan.zeropoint)));
    chain.add<nn::DequantizeLinearOp>("dequantize", {}, {scale, zero});
  }
  if (plan.casts)
    chain.add<nn::CastOp>(
        "cast",
        {builder.getNamedAttr(
            "to", TypeAttr::get(toElementType(builder.getContext(), target)))});
  if (!plan.std.empty())
    chain.add<nn::NormalizeOp>("normalize",
                               {chain.floats("mean", plan.mean),
                                chain.floats("std", plan.std),
                                chain.integer("axis", plan.channelAxis)});
  if (!plan.perm.empty())
    chain.add<nn::TransposeOp>("transpose", {chain.ints("perm", plan.perm)});
}

class ProcessorInserter {
public:
  ProcessorInserter(func::FuncOp function)
      : function(function), names(function), builder(function.getContext()) {}

  LogicalResult addInput(unsigned index, const PortInfo &port,
                         const InputPlan &plan) {
    BlockArgument argument = function.getArgument(index);
    builder.setInsertionPointToStart(&function.front());
    Value old = argument;
    argument.setType(tensorType(builder.getContext(), plan.dtype, plan.shape));
    Chain chain(builder, names, port.name, argument);
    addInputLayers(chain, plan, port.dtype);
    if (failed(chain.outcome) || !chain.first)
      return chain.outcome;
    old.replaceAllUsesExcept(chain.value, chain.first);
    function.setArgAttr(index, networkTensorAttr,
                        builder.getStringAttr(getTensorName(chain.value)));
    report.notes.push_back(fmt::format(
        "input '{}' takes {} {} at run time; before the network: {}", port.name,
        nameOf(plan.dtype), toString(plan.shape),
        fmt::join(chain.steps, ", ")));
    if (!plan.std.empty())
      report.notes.push_back(fmt::format(
          "input '{}' is normalized in the model with mean [{}] and std [{}]",
          port.name, fmt::join(plan.mean, ", "), fmt::join(plan.std, ", ")));
    return success();
  }

  LogicalResult addOutput(unsigned index, const PortInfo &port,
                          const OutputPlan &plan) {
    if (plan.leavesAsU8) {
      function.setResultAttr(index, outputTypeAttr,
                             builder.getStringAttr("U8"));
      report.notes.push_back(
          fmt::format("output '{}' leaves as U8", port.name));
    }
    if (plan.perm.empty())
      return success();
    Operation *terminator = function.front().getTerminator();
    Value value = terminator->getOperand(index);
    std::string tensor = makeWay(value, port.name);
    builder.setInsertionPoint(terminator);
    Chain chain(builder, names, port.name, value);
    chain.add<nn::TransposeOp>("transpose", {chain.ints("perm", plan.perm)}, {},
                               port.name);
    if (failed(chain.outcome))
      return failure();
    terminator->setOperand(index, chain.value);
    function.setResultAttr(index, networkTensorAttr,
                           builder.getStringAttr(tensor));
    report.notes.push_back(fmt::format(
        "output '{}' leaves as {}; behind the network: {}", port.name,
        toString(
            cast<RankedTensorType>(chain.value.getType()).getShape().vec()),
        fmt::join(chain.steps, ", ")));
    return success();
  }

  ProcessorReport finish() {
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.front().getArgumentTypes(),
        function.front().getTerminator()->getOperandTypes()));
    return std::move(report);
  }

  ProcessorReport report;

private:
  /// Gives the network's tensor another name if it has that of the output.
  /// Returns its name.
  std::string makeWay(Value value, const std::string &output) {
    std::string tensor = getTensorName(value);
    auto result = dyn_cast<OpResult>(value);
    if (tensor != output || !result)
      return tensor;
    LayerName name = getLayerName(result.getOwner());
    std::string &own = name.tensors[result.getResultNumber()];
    own = names.tensors.add(output + "/network");
    result.getOwner()->setLoc(
        makeLayerLocation(function.getContext(), name.node, name.tensors));
    return own;
  }

  func::FuncOp function;
  Names names;
  OpBuilder builder;
};

FailureOr<std::vector<PortInfo>> inputsOf(func::FuncOp function) {
  std::vector<PortInfo> ports;
  for (BlockArgument argument : function.getArguments()) {
    if (function.getArgAttr(argument.getArgNumber(), networkTensorAttr))
      return emitError(argument.getLoc())
             << "input '" << getTensorName(argument)
             << "' has its layers already";
    FailureOr<PortInfo> port =
        portOf(getTensorName(argument), argument, "input");
    if (failed(port))
      return failure();
    ports.push_back(std::move(*port));
  }
  return ports;
}

FailureOr<std::vector<PortInfo>> outputsOf(func::FuncOp function) {
  std::vector<PortInfo> ports;
  Operation *terminator = function.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name");
    FailureOr<PortInfo> port =
        portOf(name ? name.str() : getTensorName(value), value, "output");
    if (failed(port))
      return failure();
    ports.push_back(std::move(*port));
  }
  return ports;
}

/// What is to be added, by the index of the input or output.
struct Plans {
  std::vector<PortInfo> inputPorts, outputPorts;
  std::vector<std::pair<unsigned, InputPlan>> inputs;
  std::vector<std::pair<unsigned, OutputPlan>> outputs;
};

LogicalResult planInputs(func::FuncOp network,
                         std::span<const InputProcessor> processors,
                         std::span<const InputQuantConfig> calibration,
                         Plans &plans, std::vector<std::string> &warnings) {
  FailureOr<std::vector<PortInfo>> ports = inputsOf(network);
  if (failed(ports))
    return failure();
  auto assigned =
      assign<InputProcessor>(network.getLoc(), "input", processors, *ports);
  if (failed(assigned))
    return failure();
  for (auto [argument, port, processor] :
       llvm::zip(network.getArguments(), *ports, *assigned)) {
    if (!processor)
      continue;
    FailureOr<InputPlan> plan =
        planInput(argument.getLoc(), port,
                  {*processor, processor->tensorName != port.name,
                   entryFor(port.name, calibration)},
                  warnings);
    if (failed(plan))
      return failure();
    plans.inputs.emplace_back(argument.getArgNumber(), std::move(*plan));
  }
  plans.inputPorts = std::move(*ports);
  return success();
}

LogicalResult planOutputs(func::FuncOp network,
                          std::span<const OutputProcessor> processors,
                          Plans &plans) {
  FailureOr<std::vector<PortInfo>> ports = outputsOf(network);
  if (failed(ports))
    return failure();
  auto assigned =
      assign<OutputProcessor>(network.getLoc(), "output", processors, *ports);
  if (failed(assigned))
    return failure();
  for (auto [i, processor] : llvm::enumerate(*assigned)) {
    if (!processor)
      continue;
    FailureOr<OutputPlan> plan =
        planOutput(network.getLoc(), (*ports)[i], *processor);
    if (failed(plan))
      return failure();
    plans.outputs.emplace_back(unsigned(i), std::move(*plan));
  }
  plans.outputPorts = std::move(*ports);
  return success();
}

} // namespace

FailureOr<ProcessorReport>
addProcessors(func::FuncOp network, std::span<const InputProcessor> inputs,
              std::span<const OutputProcessor> outputs,
              std::span<const InputQuantConfig> calibration) {
  ProcessorInserter inserter(network);
  Plans plans;
  if (!inputs.empty() && failed(planInputs(network, inputs, calibration, plans,
                                           inserter.report.warnings)))
    return failure();
  if (!outputs.empty() && failed(planOutputs(network, outputs, plans)))
    return failure();
  for (const auto &[i, plan] : plans.inputs)
    if (failed(inserter.addInput(i, plans.inputPorts[i], plan)))
      return failure();
  for (const auto &[i, plan] : plans.outputs)
    if (failed(inserter.addOutput(i, plans.outputPorts[i], plan)))
      return failure();
  return inserter.finish();
}

} // namespace parallax
