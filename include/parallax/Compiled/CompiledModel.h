//===- CompiledModel.h - The npu view as a file ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a network has become when it is compiled: every operation of the NPU
// with its integers, in an ONNX container that any viewer opens. The format is
// specified in docs/compiled-model.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_COMPILED_COMPILEDMODEL_H
#define PARALLAX_COMPILED_COMPILEDMODEL_H

#include "parallax/Compiled/CompiledInfo.h"
#include "parallax/Support/LLVM.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace parallax {

/// Writes the npu view of a network. The same function and info give the same
/// bytes. Throws Error if an accumulator could overflow, or if the function has
/// something that the format can't hold.
void writeCompiledModel(mlir::func::FuncOp function,
                        const std::filesystem::path &path,
                        const CompiledInfo &info);

/// Reads a module with the function `npu`, and into `info`, if given, where it
/// comes from. Nothing in the file is trusted: what is accepted was verified
/// like a network that was just lowered. Throws Error.
OwningOpRef<ModuleOp> readCompiledModel(const std::filesystem::path &path,
                                        MLIRContext &context,
                                        CompiledInfo *info = nullptr);

/// The same for a file in memory; `name` stands for it in messages and its
/// folder is where external data is looked up.
OwningOpRef<ModuleOp> readCompiledModel(std::span<const std::byte> bytes,
                                        const std::string &name,
                                        MLIRContext &context,
                                        CompiledInfo *info = nullptr);

/// Whether a file claims to be a compiled model. Looks at its content, but not
/// at the network in it; false for what can't be read.
bool isCompiledModel(const std::filesystem::path &path);

} // namespace parallax

#endif // PARALLAX_COMPILED_COMPILEDMODEL_H
