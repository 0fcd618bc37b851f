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

namespace onnx {
class FunctionProto;
} // namespace onnx

namespace parallax::onnx_import {

/// Where our functions live, and the version of their operator set.
inline constexpr const char *functionDomain = "parallax";
inline constexpr int64_t functionDomainVersion = 1;

/// The import lines of all functions. They are not operators of ONNX, so they
/// have a table of their own.
void addFunctionImports(ImportTable &table);

/// The definition of a function for models of this operator set.
onnx::FunctionProto defineFunction(StringRef name, int64_t opset);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_FUNCTIONS_H
