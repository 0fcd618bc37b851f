//===- Passes.cpp - The pass that adds processors -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Takes the requests from a configuration file.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Processors/Passes.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Processors/Processors.h"
#include "parallax/Support/Error.h"

namespace parallax {

#define GEN_PASS_DEF_ADDPROCESSORS
#include "parallax/Passes/Processors/Passes.h.inc"

namespace {

struct AddProcessors : impl::AddProcessorsBase<AddProcessors> {
  using AddProcessorsBase::AddProcessorsBase;

  void runOnOperation() override {
    mlir::func::FuncOp network = getOperation();
    BuildConfig request;
    try {
      request = readBuildConfig(config);
    } catch (const Error &error) {
      mlir::emitError(network.getLoc(), error.what());
      return signalPassFailure();
    }
    FailureOr<ProcessorReport> report =
        addProcessors(network, request.inputProcessors,
                      request.outputProcessors, request.quant.inputConfigs);
    if (failed(report))
      return signalPassFailure();
    for (const std::string &note : report->notes)
      mlir::emitRemark(network.getLoc(), note);
    for (const std::string &warning : report->warnings)
      mlir::emitWarning(network.getLoc(), warning);
  }
};

} // namespace
} // namespace parallax
