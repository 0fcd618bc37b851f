//===- FuzzImport.cpp - Hostile models into import and prepare ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes must end as a network or as an Error. All else is a finding: a
// signal, a sanitizer's report, another exception, too much time or memory.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <new>
#include <onnx/onnx_pb.h>

using namespace parallax;

namespace {

/// Above this, most of the time would go into clearing memory.
constexpr int64_t maxElements = 1'000'000;

const KernelSet &kernels() {
  static const KernelSet set = [] {
    setThreadCount(1);
    KernelSet reference;
    populateReferenceKernels(reference);
    return reference;
  }();
  return set;
}

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

void importAndPrepare(std::span<const std::byte> bytes) {
  onnx_import::ImportOptions options;
  options.evaluate = [](mlir::Operation *op, std::span<const Tensor> operands) {
    return evaluate(op, operands, kernels());
  };
  // The folder does not exist, so external data is never found.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module =
      onnx_import::importModel(bytes, "fuzz/model.onnx", &context, options);
  mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
  if (isSmall(function))
    prepare(function, kernels());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    importAndPrepare(std::as_bytes(std::span(data, size)));
  } catch (const Error &) {
  } catch (const std::bad_alloc &) {
  }
  // Unreadable files are tried, but don't go into the corpus: what comes of
  // them is unreadable too.
  onnx::ModelProto model;
  return model.ParseFromArray(data, int(size)) && model.has_graph() ? 0 : -1;
}
