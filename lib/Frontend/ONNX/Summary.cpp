//===- Summary.cpp - What an ONNX file contains ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Counts operators, parameters and unsupported nodes in the protobuf, including
// subgraphs and local functions, without importing.
//===----------------------------------------------------------------------===//
#include "parallax/Frontend/ONNX/Summary.h"
#include "Functions.h"
#include "GraphImporter.h"
#include "ModelFile.h"

namespace parallax::onnx_import {
namespace {

ModelPort describePort(const onnx::ValueInfoProto &value) {
  ModelPort port;
  port.name = value.name();
  const onnx::TypeProto &type = value.type();
  if (!type.has_tensor_type()) {
    port.dtype = "not a tensor";
    return port;
  }
  int elementType = type.tensor_type().elem_type();
  std::optional<DType> dtype = fromOnnxType(elementType);
  port.dtype =
      dtype ? std::string(nameOf(*dtype)) : nameOfOnnxType(elementType);
  if (!type.tensor_type().has_shape())
    port.shape = "?";
  for (const auto &dim : type.tensor_type().shape().dim()) {
    port.extents.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    port.shape += (port.shape.empty() ? "" : "x") +
                  (dim.has_dim_value()       ? std::to_string(dim.dim_value())
                   : dim.dim_param().empty() ? std::string("?")
                                             : dim.dim_param());
  }
  return port;
}

/// With its domain, unless that is ONNX's or ours.
std::string operatorOf(const onnx::NodeProto &node) {
  return isStandard(node) || node.domain() == functionDomain
             ? node.op_type()
             : node.domain() + "." + node.op_type();
}

class Counter {
public:
  Counter(const onnx::ModelProto &model, ModelSummary &summary)
      : summary(summary), ownFunctions(model) {
    addAllImports(table);
    for (const onnx::FunctionProto &function : model.functions())
      functions.insert({function.domain(), function.name()});
  }

  /// True for what the importer takes as one operation, body or not.
  bool isOwn(const std::string &domain, const std::string &name) {
    return ownFunctions.find(domain, name) != nullptr;
  }

  template <typename NodeList> void countNodes(const NodeList &nodes) {
    for (const onnx::NodeProto &node : nodes) {
      bool isLocal = functions.contains({node.domain(), node.op_type()}) ||
                     isOwn(node.domain(), node.op_type());
      std::string name = operatorOf(node);
      ++summary.operators[name];
      if (!isLocal &&
          !(isStandard(node) && table.find(node.op_type(), summary.opset)))
        summary.unsupported[name].push_back(
            node.name().empty() && node.output_size() > 0 ? node.output(0)
                                                          : node.name());
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.has_g())
          countGraph(attribute.g());
    }
  }

  void countGraph(const onnx::GraphProto &graph) {
    for (const onnx::TensorProto &tensor : graph.initializer()) {
      Shape shape(tensor.dims().begin(), tensor.dims().end());
      if (!isPlausible(shape))
        continue;
      summary.parameters += elementCount(shape);
      std::optional<DType> dtype = fromOnnxType(tensor.data_type());
      if (dtype && tensor.data_location() == onnx::TensorProto::EXTERNAL) {
        summary.fileBytes += elementCount(shape) * int64_t(sizeOf(*dtype));
        for (const onnx::StringStringEntryProto &entry : tensor.external_data())
          if (entry.key() == "location")
            summary.externalFiles.insert(entry.value());
      }
    }
    countNodes(graph.node());
  }

private:
  ModelSummary &summary;
  ImportTable table;
  OwnFunctions ownFunctions;
  std::set<std::pair<std::string, std::string>> functions;
};

} // namespace

ModelSummary summarizeModel(const std::string &path) {
  onnx::ModelProto model = readModelFile(path);
  return summarize(model, int64_t(std::filesystem::file_size(path)));
}

ModelSummary summarize(const onnx::ModelProto &model, int64_t fileBytes) {
  ModelSummary summary;
  summary.fileBytes = fileBytes;
  summary.name = model.graph().name();
  summary.producer = model.producer_name();
  if (!model.producer_version().empty())
    summary.producer += " " + model.producer_version();
  summary.irVersion = model.ir_version();
  summary.opset = opsetOf(model);
  std::set<std::string> initializers;
  for (const onnx::TensorProto &tensor : model.graph().initializer())
    initializers.insert(tensor.name());
  for (const onnx::ValueInfoProto &input : model.graph().input())
    if (!initializers.contains(input.name()))
      summary.inputs.push_back(describePort(input));
  for (const onnx::ValueInfoProto &output : model.graph().output())
    summary.outputs.push_back(describePort(output));
  for (int i = 0; i < model.graph().node_size(); ++i) {
    const onnx::NodeProto &node = model.graph().node(i);
    summary.nodes.push_back({layerNameOf(node, size_t(i)), operatorOf(node)});
  }
  Counter counter(model, summary);
  counter.countGraph(model.graph());
  for (const onnx::FunctionProto &function : model.functions())
    if (!counter.isOwn(function.domain(), function.name()))
      counter.countNodes(function.node());
  return summary;
}

std::vector<std::pair<std::string, int64_t>> supportedOperators() {
  ImportTable table;
  addAllImports(table);
  return table.operators();
}

} // namespace parallax::onnx_import
