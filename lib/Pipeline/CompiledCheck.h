//===- CompiledCheck.h - Is the file what was compiled? --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `compiler.check` asks for: the compiled model, read back from its file,
// runs beside the program that it was written from.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_COMPILEDCHECK_H
#define PARALLAX_LIB_PIPELINE_COMPILEDCHECK_H

#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <filesystem>

namespace parallax {

/// Throws Error if a tensor differs by more than the configuration allows.
void checkCompiledModel(mlir::func::FuncOp machine,
                        const std::filesystem::path &file,
                        const CompilerConfig &config);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_COMPILEDCHECK_H
