//===- RunModel.cpp - Models and the engines that run them ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The file of a model and the mode say which engine it is.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/RunModel.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Pipeline/LowerLog.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>

namespace parallax {
namespace {

Executable prepareEngine(Network &network, const EngineChoice &choice,
                         const PrepareOptions &options) {
  if (choice.mode.empty())
    return network.prepare(options);
  QdqReport report;
  mlir::func::FuncOp floats = network.function();
  mlir::MLIRContext *context = floats.getContext();
  mlir::func::FuncOp quantized =
      orThrow(context, [&] { return addQuantizedViewOfQdq(floats, &report); });
  if (report.tensors == 0)
    throw Error("--mode is for quantized models, but this one has no tensor "
                "that goes through QuantizeLinear and DequantizeLinear");
  if (choice.mode == "Reference")
    return network.prepareView(views::quantized, options);
  LowerReport lowering;
  mlir::func::FuncOp machine = orThrow(context, [&] {
    return lowerNetwork(quantized, findTarget(choice.target), &lowering);
  });
  logLowering(lowering);
  // Integer kernels read weights where they are, and views share them.
  PrepareOptions shared = options;
  shared.takeWeights = false;
  return prepare(machine, npuKernels(), shared);
}

/// A compiled model is what the NPU executes; nothing is left to choose.
Executable prepareCompiled(const EngineChoice &choice,
                           const PrepareOptions &options) {
  const NetworkOptions &network = choice.network;
  if (choice.mode == "Reference")
    throw Error(fmt::format("{} is a compiled model, which only --mode "
                            "NPUBackend executes; run the quantized model in "
                            "mode Reference",
                            network.model));
  if (!network.inputShapes.empty() || !network.bake.empty())
    throw Error(fmt::format("{} is a compiled model, whose inputs are fixed; "
                            "give --input_shapes or --bake when it is built",
                            network.model));
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = readCompiledModel(network.model, context);
  return prepare(module->lookupSymbol<mlir::func::FuncOp>(views::npu),
                 npuKernels(), options);
}

} // namespace

PreparedModel prepareModel(const EngineChoice &choice,
                           const PrepareOptions &options) {
  checkResult(choice.network.model);
  PreparedModel model;
  model.executable = isCompiledModel(choice.network.model)
                         ? prepareCompiled(choice, options)
                         : prepareEngine(model.network.emplace(choice.network),
                                         choice, options);
  return model;
}

} // namespace parallax
