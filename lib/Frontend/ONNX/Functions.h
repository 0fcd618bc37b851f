//===- Functions.h - Operators that ONNX lacks -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the chosen version of ONNX has no operator for is exported as a call of
// a function that the model file defines itself. A runtime executes its body;
// the importer takes the call as the operation that it stands for.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_FUNCTIONS_H
#define PARALLAX_LIB_FRONTEND_ONNX_FUNCTIONS_H

#include "Node.h"

#include "llvm/ADT/StringMap.h"

namespace onnx {
class FunctionProto;
class ModelProto;
} // namespace onnx

namespace parallax::onnx_import {

/// Where our functions live, and the version of their operator set.
inline constexpr const char *functionDomain = "parallax";
inline constexpr int64_t functionDomainVersion = 1;

/// The functions that a model means as ours: those of our domain, in the
/// version that we know, which it does not define in another way.
class OwnFunctions {
public:
  explicit OwnFunctions(const onnx::ModelProto &model) : model(model) {}

  /// What a call of the function becomes, or null if it is not one of ours.
  const ImportFunction *find(StringRef domain, StringRef name);

private:
  const onnx::ModelProto &model;
  /// What has been asked for already.
  llvm::StringMap<const ImportFunction *> known;
};

/// The definition of a function for models of this operator set.
onnx::FunctionProto defineFunction(StringRef name, int64_t opset);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_FUNCTIONS_H
