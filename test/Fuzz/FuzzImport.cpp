//===- FuzzImport.cpp - Hostile models through the float stage ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes must end as a network or as an Error: imported, prepared for
// execution, quantized if it says so, optimized with every rewrite checked, and
// exported. All else is a
// finding: a signal, a sanitizer's report, another exception, a rewrite that
// had to be undone, too much time or memory.
//===----------------------------------------------------------------------===//
#include "FuzzModel.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Passes/Optimize/Optimize.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <unistd.h>

using namespace parallax;

namespace {

/// Above this, most of the time would go into clearing memory.
constexpr int64_t maxElements = 1'000'000;

bool isSmall(mlir::func::FuncOp function) {
  int64_t elements = 0;
  auto add = [&](mlir::Type type) {
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
      elements += std::min(tensor.getNumElements(), maxElements);
    return elements < maxElements;
  };
  for (mlir::Type type : function.getArgumentTypes())
    if (!add(type))
      return false;
  for (mlir::Operation &op : function.front())
    for (mlir::Type type : op.getResultTypes())
      if (!add(type))
        return false;
  return true;
}

/// Written again for every model.
std::filesystem::path exportPath() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("parallax-fuzz-" + std::to_string(getpid()) + ".onnx");
  return path;
}

void process(std::span<const std::byte> bytes) {
  onnx_import::ImportOptions options;
  options.evaluate = [](mlir::Operation *op, std::span<const Tensor> operands) {
    return evaluate(op, operands, referenceKernels());
  };
  // The folder does not exist, so external data is never found.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module =
      onnx_import::importModel(bytes, "fuzz/model.onnx", &context, options);
  mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
  if (!isSmall(function))
    return;
  prepare(function, referenceKernels());
  // Whatever quantization a file claims to have.
  mlir::func::FuncOp quantized =
      orThrow(&context, [&] { return addQuantizedViewOfQdq(function); });
  prepare(quantized, referenceKernels());
  mlir::func::FuncOp qdq =
      orThrow(&context, [&] { return addQdqView(quantized); });
  prepare(qdq, referenceKernels());
  qdq.erase();
  quantized.erase();
  OptimizeReport report = optimize(function);
  for (const UndoneRewrite &undone : report.undone) {
    // Weights of NaN prove nothing: to undo a rewrite is right then.
    if (undone.reason.starts_with("it can't be checked"))
      continue;
    std::fprintf(stderr, "%s on '%s': %s\n", undone.rewrite.c_str(),
                 undone.layer.c_str(), undone.reason.c_str());
    std::abort();
  }
  onnx_export::exportModel(function, exportPath());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzzModel(data, size, process);
}
