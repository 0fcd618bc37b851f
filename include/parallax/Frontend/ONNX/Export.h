//===- Export.h - Networks of the nn dialect into ONNX files ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The whole interface of the exporter. The file that it writes is a plain ONNX
// model for any runtime, and the importer reads the same network from it: to
// export that again gives the same bytes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_FRONTEND_ONNX_EXPORT_H
#define PARALLAX_FRONTEND_ONNX_EXPORT_H

#include "parallax/Support/LLVM.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace parallax::onnx_export {

struct ExportOptions {
  /// The name of the graph; by default the name of the function.
  std::string graphName;
  /// Protobuf ends at 2 GB. A model beyond this many bytes keeps its weights in
  /// a second file beside it, `<stem>.data`.
  size_t embedLimit = 1'900'000'000;
};

struct ExportSummary {
  std::map<std::string, int64_t> operators; ///< Nodes by operator.
  int64_t nodes = 0;
  int64_t opset = 0, irVersion = 0;
  int64_t bytes = 0; ///< Of all files that were written.
};

/// Writes the network to `path`. Weights go from their memory into the file
/// without a copy. Throws Error, which names the layer that ONNX can't express.
ExportSummary exportModel(mlir::func::FuncOp function,
                          const std::filesystem::path &path,
                          const ExportOptions &options = {});

/// The operator that a layer is in an exported file: "Conv", "Silu", ...
std::string onnxTypeOf(Operation *op);

} // namespace parallax::onnx_export

#endif // PARALLAX_FRONTEND_ONNX_EXPORT_H
