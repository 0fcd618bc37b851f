//===- GraphImporter.h - A graph becomes a function ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Holds what all nodes of one import share: the names in scope, the constants
// that are known, and the list of everything that went wrong.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H
#define PARALLAX_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H

#include "Functions.h"
#include "Initializers.h"
#include "Node.h"
#include "parallax/Frontend/ONNX/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <onnx/onnx_pb.h>
#include <set>

namespace parallax::onnx_import {

class GraphImporter {
  /// Names of one graph; a sub-graph also sees those around it.
  struct Scope {
    std::map<std::string, Value> values;
    std::map<std::string, onnx::TensorProto *> initializers;
    /// Outputs of nodes that could not be imported. What depends on them is
    /// not reported again.
    std::set<std::string> poisoned;
    /// The body of a function does not see the names around its call.
    bool isFunction = false;
  };

public:
  GraphImporter(onnx::ModelProto &model, const std::string &fileName,
                MLIRContext *context, const ImportOptions &options);

  OwningOpRef<ModuleOp> run();

  // For Node.
  Value lookup(const std::string &name);
  const Tensor *constantOf(Value value) const;
  Value makeConstant(Tensor tensor, const std::string &name);
  void define(const std::string &name, Value value);
  /// Imports a sub-graph where its node stands and returns its first `count`
  /// outputs; nothing if one of them could not be imported.
  std::optional<SmallVector<Value>> inlineGraph(const onnx::GraphProto &body,
                                                size_t count) {
    return inlineGraph(body, count, {});
  }
  std::string nameOf(const onnx::NodeProto &node) const;
  /// Marks the outputs of a node that could not be imported.
  void poison(const onnx::NodeProto &node);

  OpBuilder builder;
  const ImportOptions &options;
  TensorReader reader;

private:
  /// The same with the names of `scope` visible.
  std::optional<SmallVector<Value>> inlineGraph(const onnx::GraphProto &body,
                                                size_t count, Scope scope);
  void addInitializers(const onnx::GraphProto &graph);
  void checkBaked(const onnx::ValueInfoProto &input, const Tensor &value);
  void addInputs(const onnx::GraphProto &graph, mlir::func::FuncOp function);
  void addOutputs(const onnx::GraphProto &graph, mlir::func::FuncOp function);
  std::optional<Shape> inputShape(const onnx::ValueInfoProto &input);
  using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  void importNodes(const NodeList &nodes);
  void importNode(const onnx::NodeProto &node);
  void importWith(const ImportFunction &import, const onnx::NodeProto &node);
  void importFunctionCall(const onnx::NodeProto &node,
                          const onnx::FunctionProto &callee);
  void readOpsets();
  void checkOptionNames(const onnx::GraphProto &graph);
  bool isPoisoned(const std::string &name) const;
  void report(const onnx::NodeProto &node, const std::string &problem);
  void finish();

  onnx::ModelProto &model;
  std::string fileName;
  MLIRContext *context;
  ImportTable table;
  OwnFunctions functions;
  std::vector<Scope> scopes;
  DenseMap<Value, Tensor> constants;
  /// Numbers of the nodes in work, which name those without a name.
  std::map<const onnx::NodeProto *, size_t> nodeNumbers;
  size_t nodeCount = 0;
  std::vector<std::string> problems;
  int64_t opset = 0;
  /// Names of the function calls around the nodes that are being imported.
  std::string callPath;
  int callDepth = 0;
};

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H
