//===- CompiledCheck.cpp - Is the file what was compiled? -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The tensors of one run of each, by name.
//===----------------------------------------------------------------------===//
#include "CompiledCheck.h"

#include "parallax/Analysis/Finding.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/NamePattern.h"

#include <fmt/format.h>
#include <map>

namespace parallax {
namespace {

/// The tensors of one run by name.
using Results = std::map<std::string, Tensor>;

class Collector : public Observer {
public:
  void onResult(const LayerResult &layer, const Tensor &value) override {
    results.insert_or_assign(layer.tensor, value.clone());
  }
  Results results;
};

Results execute(const Executable &executable, std::span<const Tensor> inputs) {
  ExecutionState state(executable);
  Collector collector;
  std::span<const Tensor> outputs = state.run(inputs, &collector);
  for (size_t i = 0; i < outputs.size(); ++i)
    collector.results.insert_or_assign(executable.outputs[i].name,
                                       outputs[i].clone());
  return std::move(collector.results);
}

/// 1 within tolerances, 2 bit by bit, 3 by cosine.
Criterion criterionOf(const CompilerConfig &config) {
  Criterion criterion;
  if (config.check == 1) {
    criterion.atol = config.checkAtol;
    criterion.rtol = config.checkRtol;
  } else if (config.check == 3) {
    criterion.cosine = config.checkCosineSimularity;
  }
  return criterion;
}

bool isListed(const std::string &tensor, const CompilerConfig &config) {
  for (const std::string &pattern : config.checkTensorBlackList)
    if (NamePattern(pattern).matches(tensor))
      return true;
  return false;
}

} // namespace

void checkCompiledModel(mlir::func::FuncOp machine,
                        const std::filesystem::path &file,
                        const CompilerConfig &config) {
  if (config.check == 0)
    return;
  PrepareOptions options;
  options.observe = config.checkMode == CheckMode::PerLayer;
  MLIRContext context;
  OwningOpRef<ModuleOp> module = readCompiledModel(file, context);
  Executable written = prepare(*module->getOps<mlir::func::FuncOp>().begin(),
                               npuKernels(), options);
  Executable built = prepare(machine, npuKernels(), options);

  std::vector<Tensor> inputs =
      config.inputSampleDir.empty()
          ? randomInputs(built.inputs, 1)
          : readFolder(config.inputSampleDir, built.inputs);
  Results expected = execute(built, inputs), found = execute(written, inputs);
  Criterion criterion = criterionOf(config);
  for (const auto &[name, tensor] : expected) {
    if (isListed(name, config))
      continue;
    auto it = found.find(name);
    if (it == found.end())
      throw Error(fmt::format("{} has no tensor '{}', which the program it was "
                              "written from has; please report the model",
                              file.string(), name));
    Metrics metrics = measure(it->second, tensor, criterion.tolerance());
    if (!criterion.accepts(metrics))
      throw Error(fmt::format(
          "tensor '{}' of {} differs from the program it was written from in "
          "{} of {} elements, by {} at most ({}); please report the model",
          name, file.string(), metrics.differing, metrics.count, metrics.maxAbs,
          criterion.describe()));
    log(LogLevel::Info, "check npu graph [{}], {}, {} successfully!", name,
        toString(tensor.shape()), nameOf(tensor.dtype()));
  }
}

} // namespace parallax
