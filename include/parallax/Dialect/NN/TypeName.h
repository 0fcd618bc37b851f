//===- TypeName.h - What ONNX calls an operation ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Configurations and tables have the names of ONNX, not those of the dialect.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_TYPENAME_H
#define PARALLAX_DIALECT_NN_TYPENAME_H

#include "parallax/Support/LLVM.h"

#include <string>

namespace parallax {

/// The ONNX-style type name of an operation: "Silu", "MatMul".
std::string typeNameOf(Operation *op);

} // namespace parallax

#endif // PARALLAX_DIALECT_NN_TYPENAME_H
