//===- Import.cpp - ONNX models into the nn dialect -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Hands the parsed model, changed as asked, to GraphImporter.
//===----------------------------------------------------------------------===//
#include "parallax/Frontend/ONNX/Import.h"
#include "GraphImporter.h"
#include "ModelFile.h"
#include "Processors.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

namespace parallax::onnx_import {
static OwningOpRef<ModuleOp> import(onnx::ModelProto model, int64_t fileBytes,
                                    const std::string &name,
                                    MLIRContext *context,
                                    const ImportOptions &options) {
  applyOpProcessors(model, name, options.opProcessors);
  applyConstProcessors(model, name, options.constProcessors);
  // The importer moves the initializers out of the model.
  if (options.summary)
    *options.summary = summarize(model, fileBytes);
  context->loadDialect<nn::NNDialect, mlir::func::FuncDialect>();
  return GraphImporter(model, name, context, options).run();
}

OwningOpRef<ModuleOp> importModel(const std::string &path, MLIRContext *context,
                                  const ImportOptions &options) {
  onnx::ModelProto model = readModelFile(path);
  auto fileBytes = int64_t(std::filesystem::file_size(path));
  return import(std::move(model), fileBytes, path, context, options);
}

OwningOpRef<ModuleOp> importModel(std::span<const std::byte> bytes,
                                  const std::string &name, MLIRContext *context,
                                  const ImportOptions &options) {
  return import(readModelBytes(bytes, name), int64_t(bytes.size()), name,
                context, options);
}

std::map<std::string, Shape> parseInputShapes(const std::string &text) {
  std::map<std::string, Shape> shapes;
  SmallVector<StringRef> entries;
  StringRef(text).split(entries, ';', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    // The name itself may contain colons; the shape does not.
    auto [name, dims] = entry.trim().rsplit(':');
    Shape shape;
    SmallVector<StringRef> parts;
    dims.split(parts, 'x');
    bool valid = !name.empty() && !dims.empty();
    for (StringRef part : parts) {
      int64_t dim = 0;
      valid &= !part.trim().getAsInteger(10, dim) && dim > 0;
      shape.push_back(dim);
    }
    if (!valid)
      throw Error(fmt::format("'{}' is not an input shape; write them as "
                              "name:1x3x224x224;other:1x10",
                              entry.str()));
    if (!shapes.try_emplace(name.str(), shape).second)
      throw Error(
          fmt::format("the shape of input '{}' is given twice", name.str()));
  }
  return shapes;
}

} // namespace parallax::onnx_import
