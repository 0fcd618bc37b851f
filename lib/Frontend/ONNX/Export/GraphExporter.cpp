//===- GraphExporter.cpp - A function becomes a graph ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// First everything gets its name, then the file is written for the oldest
// operator set that we target. If a layer needs a newer one it says so, and the
// file is written again in the forms of that: this costs little, since weights
// are not part of it.
//===----------------------------------------------------------------------===//
#include "GraphExporter.h"
#include "../Functions.h"
#include "PortNames.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace parallax::onnx_export {

/// Runtimes of any age know it, and it has LayerNormalization.
constexpr int64_t oldestOpset = 17;

/// The version of the file format that came with an operator set.
static int64_t irVersionOf(int64_t opset) {
  return opset <= 18 ? 8 : opset <= 20 ? 9 : opset <= 22 ? 10 : 11;
}

GraphExporter::GraphExporter(func::FuncOp function) : function(function) {
  // In the order of their claims: the interface of the network first.
  nameArguments();
  nameOutputs();
  nameLayers();
  nameConstants();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  return value.getDefiningOp<nn::ConstantOp>() != nullptr;
}

static auto layersOf(func::FuncOp function) {
  return llvm::make_filter_range(
      function.getBody().front().without_terminator(),
      [](Operation &op) { return !isa<nn::ConstantOp>(op); });
}

static const ExportLine &lineOf(Operation *op) {
  const ExportLine *line = exportTable().find(op->getName());
  if (!line)
    throw Error(fmt::format("{} can't be exported: ONNX has no such operator",
                            describe(op)));
  return *line;
}

/// True if the node has this output.
static bool isWritten(OpResult result) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (number < lineOf(op).requiredResults || !result.use_empty())
    return true;
  // A node must have one.
  return number == 0 && op->use_empty();
}

void GraphExporter::nameArguments() {
  for (BlockArgument argument : function.getArguments())
    names[argument] = tensorNameSet.add(inputName(argument));
}

void GraphExporter::nameOutputs() {
  std::set<std::string> seen;
  for (auto [number, value] : llvm::enumerate(resultsOf(function))) {
    std::string name = outputName(function, unsigned(number));
    // An input may be an output under its own name, once.
    if (isa<BlockArgument>(value) && names[value] == name &&
        seen.insert(name).second) {
      outputs.push_back({name, value, false});
      continue;
    }
    bool isCopy = isConstant(value) || names.contains(value);
    name = tensorNameSet.add(name);
    seen.insert(name);
    if (!isCopy)
      names[value] = name;
    outputs.push_back({name, value, isCopy});
  }
}

void GraphExporter::nameLayers() {
  for (auto [number, op] : llvm::enumerate(layersOf(function))) {
    LayerName layer = getLayerName(&op);
    if (layer.node.empty())
      layer.node =
          fmt::format("{}_{}", lineOf(&op).choose(&op).type.str(), number);
    std::string &node = nodeNames[&op];
    node = nodeNameSet.add(layer.node);
    layer.tensors.resize(op.getNumResults());
    for (auto [result, tensor] : llvm::zip(op.getResults(), layer.tensors)) {
      if (names.contains(result) || !isWritten(result))
        continue;
      if (tensor.empty())
        tensor = fmt::format("{}:{}", node, result.getResultNumber());
      names[result] = tensorNameSet.add(tensor);
    }
  }
}

void GraphExporter::nameConstants() {
  int number = 0;
  auto nameOperands = [&](ValueRange operands) {
    for (Value operand : operands) {
      if (!isConstant(operand) || names.contains(operand))
        continue;
      std::string name = getTensorName(operand);
      if (name.empty())
        name = fmt::format("constant_{}", number++);
      names[operand] = tensorNameSet.add(name);
    }
  };
  for (Operation &op : layersOf(function))
    nameOperands(op.getOperands());
  nameOperands(resultsOf(function));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

const std::string &GraphExporter::useTensor(Value value) {
  const std::string &name = names[value];
  if (isConstant(value) && stored.insert(value).second) {
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    auto type = cast<RankedTensorType>(value.getType());
    ElementsAttr attribute = constant.getValue();
    tensors.push_back({name, elementsOf(type, describe(constant)),
                       type.getShape().vec(),
                       [attribute] { return toTensor(attribute); }});
  }
  return name;
}

std::string GraphExporter::addParameter(Operation *op, StringRef role,
                                        Tensor value) {
  auto first = llvm::find_if(op->getResults(), isWritten);
  std::string name =
      parameterNameSet.add(fmt::format("{}/{}", names[*first], role.str()));
  DType dtype = value.dtype();
  Shape shape = value.shape();
  tensors.push_back({name, dtype, shape, [value] { return value; }});
  return name;
}

void describeTensor(onnx::ValueInfoProto &info, Value value,
                    const std::string &name) {
  info.set_name(name);
  auto *tensor = info.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(toOnnxType(
      elementsOf(value.getType(), fmt::format("tensor '{}'", name))));
  onnx::TensorShapeProto *shape = tensor->mutable_shape();
  for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape()) {
    auto *dim = shape->add_dim();
    if (!ShapedType::isDynamic(extent))
      dim->set_dim_value(extent);
  }
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void addOpset(onnx::ModelProto &model, const std::string &domain,
                     int64_t version) {
  onnx::OperatorSetIdProto &id = *model.add_opset_import();
  id.set_domain(domain);
  id.set_version(version);
}

onnx::ModelProto GraphExporter::run(const std::string &graphName) {
  onnx::ModelProto model;
  neededOpset = oldestOpset;
  do {
    currentOpset = neededOpset;
    model.Clear();
    parameterNameSet = tensorNameSet;
    tensors.clear();
    stored.clear();
    functions.clear();
    counts.clear();
    writeLayers(model);
  } while (neededOpset > currentOpset);

  writePorts(*model.mutable_graph());
  model.mutable_graph()->set_name(graphName);
  model.set_ir_version(irVersionOf(currentOpset));
  model.set_producer_name("parallax");
  model.set_producer_version(PARALLAX_VERSION);
  addOpset(model, "", currentOpset);
  if (!functions.empty())
    addOpset(model, onnx_import::functionDomain,
             onnx_import::functionDomainVersion);
  for (const std::string &name : functions)
    *model.add_functions() = onnx_import::defineFunction(name, currentOpset);
  return model;
}

void GraphExporter::writeLayers(onnx::ModelProto &model) {
  for (Operation &op : layersOf(function))
    writeLayer(&op, model);
  UniqueNames identityNames = nodeNameSet;
  for (const Output &output : outputs) {
    if (!output.isCopy)
      continue;
    onnx::NodeProto &node = *model.mutable_graph()->add_node();
    node.set_op_type("Identity");
    node.set_name(identityNames.add(output.name + "/Identity"));
    node.add_input(useTensor(output.value));
    node.add_output(output.name);
    ++counts[node.op_type()];
  }
}

template <typename List> static void dropEmptyEnd(List &list) {
  while (!list.empty() && list[list.size() - 1].empty())
    list.RemoveLast();
}

void GraphExporter::writeLayer(Operation *op, onnx::ModelProto &model) {
  const ExportLine &line = lineOf(op);
  Operator chosen = line.choose(op);
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::NodeProto &node = *graph.add_node();
  node.set_name(nodeNames[op]);
  node.set_op_type(chosen.type.str());
  if (chosen.isFunction) {
    node.set_domain(onnx_import::functionDomain);
    functions.insert(node.op_type());
  }
  ++counts[node.op_type()];
  Layer layer(*this, op, node);
  line.write(layer);
  dropEmptyEnd(*node.mutable_input());

  for (OpResult result : op->getResults()) {
    bool written = isWritten(result);
    node.add_output(written ? names[result] : "");
    bool isOutput = llvm::any_of(outputs, [&](const Output &output) {
      return output.value == result && !output.isCopy;
    });
    if (written && !isOutput)
      describeTensor(*graph.add_value_info(), result, names[result]);
  }
  dropEmptyEnd(*node.mutable_output());
}

void GraphExporter::writePorts(onnx::GraphProto &graph) {
  for (BlockArgument argument : function.getArguments())
    describeTensor(*graph.add_input(), argument, names[argument]);
  for (const Output &output : outputs)
    describeTensor(*graph.add_output(), output.value, output.name);
}

} // namespace parallax::onnx_export
