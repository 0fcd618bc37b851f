//===- Export.cpp - Networks of the nn dialect into ONNX files ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Hands the graph that GraphExporter makes to the writer.
//===----------------------------------------------------------------------===//
#include "parallax/Frontend/ONNX/Export.h"
#include "GraphExporter.h"

namespace parallax::onnx_export {

ExportSummary exportModel(mlir::func::FuncOp function,
                          const std::filesystem::path &path,
                          const ExportOptions &options) {
  GraphExporter exporter(function);
  onnx::ModelProto model = exporter.run(
      options.graphName.empty() ? function.getName().str() : options.graphName);
  ExportSummary summary;
  summary.operators = exporter.operators();
  summary.nodes = model.graph().node_size();
  summary.opset = exporter.opset();
  summary.irVersion = model.ir_version();
  summary.bytes = int64_t(writeModel(
      path, std::move(model), exporter.initializers(), options.embedLimit));
  return summary;
}

std::string onnxTypeOf(Operation *op) {
  if (isa<nn::ConstantOp>(op))
    return "Constant";
  const ExportLine *line = exportTable().find(op->getName());
  return (line ? line->choose(op).type : op->getName().getStringRef()).str();
}

} // namespace parallax::onnx_export
