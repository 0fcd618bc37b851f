//===- CodeTypes.h - What codes stand for, as tensors ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A quantized type comes apart into the small tensors that an ONNX annotation
// refers to, and is put together again from them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_COMPILED_CODETYPES_H
#define PARALLAX_LIB_COMPILED_CODETYPES_H

#include "parallax/Support/LLVM.h"
#include "parallax/Support/Tensor.h"

#include <map>

namespace parallax::compiled {

/// By the key of the annotation; limits only where they are not those of the
/// storage type, an axis only where there is one.
using CodeTensors = std::map<std::string, Tensor>;

/// Throws Error for a type that this form can't hold.
CodeTensors splitCodeType(Type type);

/// The type for codes of a tensor type. Throws Error if the tensors don't make
/// one.
Type joinCodeType(RankedTensorType type, const CodeTensors &tensors);

} // namespace parallax::compiled

#endif // PARALLAX_LIB_COMPILED_CODETYPES_H
