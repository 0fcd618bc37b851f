//===- GraphExporter.h - A function becomes a graph ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Holds what all layers of one export share: the names of the file, its
// initializers, and the operator set that it needs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_EXPORT_GRAPHEXPORTER_H
#define PARALLAX_LIB_FRONTEND_ONNX_EXPORT_GRAPHEXPORTER_H

#include "ExportLine.h"
#include "ModelWriter.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Support/UniqueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <onnx/onnx_pb.h>
#include <set>

namespace parallax::onnx_export {

class GraphExporter {
public:
  explicit GraphExporter(mlir::func::FuncOp function);

  /// The whole file, without the initializers.
  onnx::ModelProto run(const std::string &graphName);
  const std::vector<Initializer> &initializers() const { return tensors; }
  /// Nodes by operator.
  const std::map<std::string, int64_t> &operators() const { return counts; }

  // For Layer.
  int64_t opset() const { return currentOpset; }
  void raiseOpset(int64_t opset) { neededOpset = std::max(neededOpset, opset); }
  /// The name of a tensor that a node reads.
  const std::string &useTensor(Value value);
  /// Adds an initializer that belongs to a layer and returns its name.
  std::string addParameter(Operation *op, StringRef role, Tensor value);

private:
  struct Output {
    std::string name;
    Value value;
    /// The value has another name, so a node must give it this one.
    bool isCopy;
  };

  void nameArguments();
  void nameOutputs();
  void nameLayers();
  void nameConstants();

  void writeLayers(onnx::ModelProto &model);
  void writeLayer(Operation *op, onnx::ModelProto &model);
  void writePorts(onnx::GraphProto &graph);

  mlir::func::FuncOp function;
  DenseMap<Value, std::string> names;
  DenseMap<Operation *, std::string> nodeNames;
  UniqueNames nodeNameSet, tensorNameSet;
  std::vector<Output> outputs;

  // What one attempt to write the file has found out.
  int64_t currentOpset = 0, neededOpset = 0;
  UniqueNames parameterNameSet;
  std::vector<Initializer> tensors;
  llvm::DenseSet<Value> stored;
  std::set<std::string> functions;
  std::map<std::string, int64_t> counts;
};

} // namespace parallax::onnx_export

#endif // PARALLAX_LIB_FRONTEND_ONNX_EXPORT_GRAPHEXPORTER_H
