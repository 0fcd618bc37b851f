//===- ModelWriter.h - ONNX files, weight by weight ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Protobuf would want all weights inside of its messages, that is, a second
// copy of the network. Here the file is written piece by piece, in the order
// and form that protobuf itself would choose.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_EXPORT_MODELWRITER_H
#define PARALLAX_LIB_FRONTEND_ONNX_EXPORT_MODELWRITER_H

#include "parallax/Support/Tensor.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace parallax::onnx_export {

struct Initializer {
  std::string name;
  DType dtype;
  Shape shape;
  /// The value; it is needed only while it is written.
  std::function<Tensor()> load;

  size_t byteSize() const {
    return size_t(elementCount(shape)) * sizeOf(dtype);
  }
};

/// Writes a model whose graph has these initializers and no others. If the file
/// would exceed `embedLimit`, large ones go to `<stem>.data` beside it. Returns
/// how many bytes were written. With `digestKey`, the file ends with metadata
/// of this key, whose value is the SHA-256 of all bytes before it and of
/// `<stem>.data`.
size_t writeModel(const std::filesystem::path &path, onnx::ModelProto model,
                  const std::vector<Initializer> &initializers,
                  size_t embedLimit, const char *digestKey = nullptr);

} // namespace parallax::onnx_export

#endif // PARALLAX_LIB_FRONTEND_ONNX_EXPORT_MODELWRITER_H
