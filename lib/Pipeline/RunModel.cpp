//===- RunModel.cpp - Models on samples in files --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples run in parallel, and their results are written in order.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/RunModel.h"
#include "parallax/Backend/Core/LayerWriter.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Pipeline/LowerLog.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>
#include <fstream>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// One case per line of the list; without a list, the folder itself.
std::vector<std::string> readCases(const std::string &list) {
  if (list.empty())
    return {""};
  std::ifstream file(list);
  if (!file || fs::is_directory(list))
    throw Error(fmt::format("{}: there is no such list", list));
  std::vector<std::string> cases;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && isspace(static_cast<unsigned char>(line.back())))
      line.pop_back();
    if (!line.empty())
      cases.push_back(line);
  }
  if (cases.empty())
    throw Error(fmt::format("{} names no case; write one per line", list));
  return cases;
}

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

void runFolders(const Executable &executable, const FolderRun &request) {
  std::vector<std::string> cases = readCases(request.list);
  SampleCallbacks callbacks;
  callbacks.load = [&](size_t i) {
    if (request.randomInput)
      writeFolder(request.inputDir / cases[i], executable.inputs,
                  randomInputs(executable.inputs, i + 1), request.npy);
    return readFolder(request.inputDir / cases[i], executable.inputs);
  };
  if (request.perLayer)
    callbacks.observe = [&](size_t i) -> std::unique_ptr<Observer> {
      return std::make_unique<LayerWriter>(
          request.outputDir / cases[i] / "layers", executable);
    };
  callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
    std::string name = cases[i].empty() ? "0" : cases[i];
    log(LogLevel::Info, ">>> [{}] start", name);
    std::vector<fs::path> paths = writeFolder(
        request.outputDir / cases[i], executable.outputs, outputs, request.npy);
    for (size_t j = 0; j < paths.size(); ++j)
      log(LogLevel::Info, "write [{}] to [{}] successfully",
          executable.outputs[j].name, paths[j].string());
    log(LogLevel::Info, ">>> [{}] finish", name);
  };
  runSamples(executable, cases.size(), request.threads, callbacks);
}

} // namespace parallax
