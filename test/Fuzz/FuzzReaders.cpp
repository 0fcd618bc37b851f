//===- FuzzReaders.cpp - Hostile models, read but not executed ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes must end as a network or as an Error, for the reader of ONNX and
// for that of compiled models. FuzzImport and FuzzCompiled also optimize,
// quantize and execute what was read, for which all of Parallax has to be
// compiled with sanitizers.
//===----------------------------------------------------------------------===//
#include "FuzzModel.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Frontend/ONNX/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace parallax;

namespace {

void process(std::span<const std::byte> bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string file = withDigest(bytes);
  // The folder does not exist, so external data is never found.
  try {
    readCompiledModel(std::as_bytes(std::span(file)), "fuzz/compiled.axmodel",
                      context);
  } catch (const Error &) {
    onnx_import::importModel(bytes, "fuzz/model.onnx", &context, {});
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzzModel(data, size, process);
}
