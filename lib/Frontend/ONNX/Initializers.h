//===- Initializers.h - Tensors stored in an ONNX model --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Turns TensorProto into Tensor without copying weights: raw data is moved out
// of the parsed model, external data is mapped.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_INITIALIZERS_H
#define PARALLAX_LIB_FRONTEND_ONNX_INITIALIZERS_H

#include "parallax/Support/DType.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Tensor.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace onnx {
class TensorProto;
} // namespace onnx

namespace parallax::onnx_import {

/// The element type of a TensorProto data type, or nothing for strings, complex
/// numbers and types below eight bits.
std::optional<DType> fromOnnxType(int onnxType);

/// True for the integers of 4 bits, which stored tensors may have; they are
/// imported as integers of 8 bits.
bool hasFourBits(int onnxType);

/// False for negative extents and for more elements than any network has: a
/// damaged file may ask for them.
bool isPlausible(const Shape &shape);

/// 16-bit floats are computed in float, so they are imported as float.
DType widened(DType dtype);
Tensor widen(const Tensor &tensor);

/// A name for messages: "FLOAT16", or the number of an unknown type.
std::string nameOfOnnxType(int onnxType);

class TensorReader {
public:
  explicit TensorReader(std::filesystem::path modelFolder)
      : folder(std::move(modelFolder)) {}

  /// Reads a tensor and takes its bytes out of `proto`; 16-bit floats become
  /// float. Throws ImportError.
  Tensor take(onnx::TensorProto &proto);

  /// The files outside of the model that tensors were taken from, by name.
  const std::map<std::string, std::shared_ptr<MappedFile>> &usedFiles() const {
    return files;
  }

private:
  Tensor mapExternal(const onnx::TensorProto &proto, DType dtype, Shape shape);

  std::filesystem::path folder;
  std::map<std::string, std::shared_ptr<MappedFile>> files;
};

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_INITIALIZERS_H
