//===- Writer.cpp - The npu view becomes a file ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One node per operation. Nothing here knows an operator: operands, attributes
// and result types are all there is to it.
//===----------------------------------------------------------------------===//
#include "parallax/Compiled/CompiledModel.h"

#include "../Frontend/ONNX/Export/Layer.h"
#include "../Frontend/ONNX/Export/ModelWriter.h"
#include "../Frontend/ONNX/Export/PortNames.h"
#include "AttributeKinds.h"
#include "CodeTypes.h"
#include "Format.h"
#include "Proof.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/UniqueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace parallax {
namespace compiled {
namespace {

using mlir::BlockArgument;
using mlir::OpResult;
using onnx_export::inputName;
using onnx_export::outputName;
using onnx_export::resultsOf;

/// Protobuf ends at 2 GB; larger models get a second file.
constexpr size_t embedLimit = 1'900'000'000;

class Writer {
public:
  explicit Writer(mlir::func::FuncOp function)
      : function(function), graph(*model.mutable_graph()) {}

  onnx::ModelProto run(const CompiledInfo &info);
  const std::vector<onnx_export::Initializer> &initializers() const {
    return tensors;
  }

private:
  void nameInputs();
  void nameOutputs();
  void nameResults();
  void writeNode(Operation &op);
  void writeAttributes(Operation &op, onnx::NodeProto &node);
  void writeLayerName(const LayerName &layer, onnx::NodeProto &node);
  void writeConstant(nn::ConstantOp op);
  void writeCodes(OpResult result);
  void writeCopies();
  void writeInfo(const CompiledInfo &info);
  void addTensor(const std::string &name, Tensor value);

  mlir::func::FuncOp function;
  onnx::ModelProto model;
  onnx::GraphProto &graph;
  UniqueNames tensorNames, nodeNames;
  DenseMap<Value, std::string> names;
  llvm::DenseSet<Value> stored;
  /// Outputs by number; those that are not tensors of their own are copies.
  std::vector<std::string> outputs;
  std::vector<size_t> copies;
  std::vector<onnx_export::Initializer> tensors;
};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Writer::nameInputs() {
  for (BlockArgument argument : function.getArguments())
    names[argument] = tensorNames.add(inputName(argument));
}

void Writer::nameOutputs() {
  for (auto [number, value] : llvm::enumerate(resultsOf(function))) {
    std::string name = outputName(function, unsigned(number));
    // An input may be an output under its own name, once.
    if (isa<BlockArgument>(value) && names[value] == name &&
        !llvm::is_contained(outputs, name)) {
      outputs.push_back(name);
      continue;
    }
    outputs.push_back(tensorNames.add(name));
    if (!names.try_emplace(value, outputs.back()).second)
      copies.push_back(number);
  }
}

/// Layers first, and constants in the order of their use: where they stand in
/// the function has no meaning.
void Writer::nameResults() {
  size_t number = 0;
  auto give = [&](Value value) {
    if (names.contains(value))
      return;
    std::string name = getTensorName(value);
    if (name.empty())
      name = fmt::format("tensor_{}", number++);
    names[value] = tensorNames.add(name);
  };
  for (Operation &op : function.front())
    if (!isa<nn::ConstantOp>(op))
      llvm::for_each(op.getResults(), give);
  for (Operation &op : function.front())
    llvm::for_each(op.getOperands(), give);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

const char *domainOf(Operation &op) {
  StringRef dialect = op.getName().getDialectNamespace();
  for (const Domain &domain : domains)
    if (dialect == domain.dialect)
      return domain.domain;
  throw Error(fmt::format("{} is not an operation of a compiled model",
                          onnx_export::describe(&op)));
}

void Writer::writeNode(Operation &op) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_domain(domainOf(op));
  node.set_op_type(op.getName().stripDialect().str());
  LayerName layer = getLayerName(&op);
  node.set_name(
      nodeNames.add(layer.node.empty() ? node.op_type() : layer.node));
  for (Value operand : op.getOperands())
    node.add_input(names[operand]);
  for (OpResult result : op.getResults()) {
    node.add_output(names[result]);
    if (!llvm::is_contained(outputs, names[result]))
      onnx_export::describeTensor(*graph.add_value_info(), result,
                                  names[result]);
    writeCodes(result);
  }
  writeAttributes(op, node);
  layer.tensors.resize(op.getNumResults());
  writeLayerName(layer, node);
}

/// All of them, also those that have their default value.
void Writer::writeAttributes(Operation &op, onnx::NodeProto &node) {
  Operation *copy = op.cloneWithoutRegions();
  copy->getName().populateDefaultProperties(copy->getPropertiesStorage());
  mlir::NamedAttrList list(
      copy->getPropertiesAsAttribute()
          ? cast<DictionaryAttr>(copy->getPropertiesAsAttribute())
          : DictionaryAttr::get(op.getContext()));
  copy->destroy();
  for (NamedAttribute attribute : list) {
    onnx::AttributeProto &proto = *node.add_attribute();
    proto.set_name(attribute.getName().str());
    if (!writeAttribute(attribute.getValue(), proto))
      throw Error(fmt::format("attribute '{}' of {} is of a kind that a "
                              "compiled model does not have",
                              proto.name(), onnx_export::describe(&op)));
  }
}

void Writer::writeLayerName(const LayerName &layer, onnx::NodeProto &node) {
  auto add = [&](const char *name, Attribute value) {
    onnx::AttributeProto &proto = *node.add_attribute();
    proto.set_name(name);
    writeAttribute(value, proto);
  };
  mlir::Builder builder(function.getContext());
  if (layer.node != node.name())
    add(layerNodeKey, builder.getStringAttr(layer.node));
  if (!std::equal(layer.tensors.begin(), layer.tensors.end(),
                  node.output().begin(), node.output().end())) {
    SmallVector<StringRef> texts(layer.tensors.begin(), layer.tensors.end());
    add(layerTensorsKey, builder.getStrArrayAttr(texts));
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Writer::addTensor(const std::string &name, Tensor value) {
  DType dtype = value.dtype();
  Shape shape = value.shape();
  tensors.push_back({name, dtype, shape, [value] { return value; }});
}

void Writer::writeConstant(nn::ConstantOp op) {
  ElementsAttr attribute = op.getValue();
  auto type = cast<RankedTensorType>(op.getType());
  tensors.push_back({names[op.getResult()],
                     onnx_export::elementsOf(type, onnx_export::describe(op)),
                     type.getShape().vec(),
                     [attribute] { return toTensor(attribute); }});
  writeCodes(op->getResult(0));
}

/// The annotation that a viewer shows beside the tensor.
void Writer::writeCodes(OpResult result) {
  Type type = codeTypeOf(result);
  if (!type)
    return;
  const std::string name = names[result];
  CodeTensors parts = splitCodeType(type);
  if (joinCodeType(cast<RankedTensorType>(result.getType()), parts) != type)
    throw Error(fmt::format("tensor '{}' has codes whose type a compiled model "
                            "can't hold",
                            name));
  onnx::TensorAnnotation &annotation = *graph.add_quantization_annotation();
  annotation.set_tensor_name(name);
  for (auto &[key, tensor] : parts) {
    onnx::StringStringEntryProto &entry =
        *annotation.add_quant_parameter_tensor_names();
    entry.set_key(key);
    entry.set_value(tensorNames.add(name + "/" + key));
    addTensor(entry.value(), tensor);
  }
}

void Writer::writeCopies() {
  for (size_t number : copies) {
    onnx::NodeProto &node = *graph.add_node();
    node.set_domain(domains[1].domain);
    node.set_op_type(copyType);
    node.set_name(nodeNames.add(outputs[number] + "/output"));
    node.add_input(names[resultsOf(function)[unsigned(number)]]);
    node.add_output(outputs[number]);
  }
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

void Writer::writeInfo(const CompiledInfo &info) {
  auto add = [&](const char *key, const std::string &value) {
    onnx::StringStringEntryProto &entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  };
  add(formatKey, formatName);
  add(versionKey, std::to_string(compiledFormatVersion));
  for (const InfoKey &line : infoKeys)
    add(line.key, info.*line.text);
  npu::TargetAttr target = npu::targetOf(function);
  add(accumulator8Key, std::to_string(target.getAccumulatorBits_8()));
  add(accumulator16Key, std::to_string(target.getAccumulatorBits_16()));
  add(multiplierKey, std::to_string(target.getMultiplierBits()));
  add(roundingKey, target.getRounding().str());
  add(knotsKey, std::to_string(target.getTableKnots()));
  model.set_ir_version(irVersion);
  model.set_producer_name("parallax");
  model.set_producer_version(info.toolVersion);
  for (const Domain &domain : domains) {
    onnx::OperatorSetIdProto &id = *model.add_opset_import();
    id.set_domain(domain.domain);
    id.set_version(compiledFormatVersion);
  }
}

onnx::ModelProto Writer::run(const CompiledInfo &info) {
  nameInputs();
  nameOutputs();
  nameResults();
  graph.set_name(function.getName().str());
  for (Operation &op : function.front()) {
    for (Value operand : op.getOperands())
      if (auto constant = operand.getDefiningOp<nn::ConstantOp>();
          constant && stored.insert(operand).second)
        writeConstant(constant);
    if (!isa<nn::ConstantOp, mlir::func::ReturnOp>(op))
      writeNode(op);
  }
  writeCopies();
  for (BlockArgument argument : function.getArguments())
    onnx_export::describeTensor(*graph.add_input(), argument, names[argument]);
  for (auto [value, name] : llvm::zip(resultsOf(function), outputs))
    onnx_export::describeTensor(*graph.add_output(), value, name);
  writeInfo(info);
  return std::move(model);
}

} // namespace
} // namespace compiled

void writeCompiledModel(mlir::func::FuncOp function,
                        const std::filesystem::path &path,
                        const CompiledInfo &info) {
  CompiledInfo complete = info;
  if (complete.toolVersion.empty())
    complete.toolVersion = PARALLAX_VERSION;
  npu::TargetAttr target = npu::targetOf(function);
  if (!target)
    throw Error("only a network that was lowered for a target can be "
                "compiled");
  complete.targetName = target.getName().str();
  compiled::proveAccumulators(function);
  compiled::Writer writer(function);
  onnx::ModelProto model = writer.run(complete);
  onnx_export::writeModel(path, std::move(model), writer.initializers(),
                          compiled::embedLimit, compiled::digestKey);
}

} // namespace parallax
