//===- ModelFile.h - Parsing of ONNX files ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From bytes to protobuf, with one message for whatever is wrong with them, and
// what can be read off the result without an import.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_MODELFILE_H
#define PARALLAX_LIB_FRONTEND_ONNX_MODELFILE_H

#include "parallax/Frontend/ONNX/Summary.h"
#include "parallax/Support/Digest.h"

#include <onnx/onnx_pb.h>
#include <span>
#include <string>

namespace parallax::onnx_import {

/// What a file says about its own content: it may end with a digest.
struct ModelSeal {
  /// The last bytes of the file, as many as a digest has digits.
  std::string stated;
  /// Of all bytes before them.
  Sha256 digest;
};

/// Throws Error if there is no such file or it is not a model. The bytes that
/// were parsed are those that `seal` speaks of.
onnx::ModelProto readModelFile(const std::string &path,
                               ModelSeal *seal = nullptr);
onnx::ModelProto readModelBytes(std::span<const std::byte> bytes,
                                const std::string &name,
                                ModelSeal *seal = nullptr);

/// The version of the standard operators that the model uses.
int64_t opsetOf(const onnx::ModelProto &model);

/// Whether the node's operator is one of ONNX's own.
bool isStandard(const onnx::NodeProto &node);

/// The name under which a user knows a node: its own or, if it has none, the
/// number of the node and its type.
std::string layerNameOf(const onnx::NodeProto &node, size_t number);

/// The facts about a model whose file has this many bytes.
ModelSummary summarize(const onnx::ModelProto &model, int64_t fileBytes);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_MODELFILE_H
