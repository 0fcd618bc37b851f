//===- EvaluateStage.cpp - The built network on its task ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The NPU gets what arrives at run time, so a preparation that differs from
// that of the training shows up in its metric.
//===----------------------------------------------------------------------===//
#include "EvaluateStage.h"
#include "CompileStage.h"
#include "QuantizeStage.h"

#include "parallax/Analysis/Metrics.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NN/PortAttrs.h"
#include "parallax/Pipeline/Attempt.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Views.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

/// What is expected of two ways to prepare the same picture.
constexpr double tolerableBefore = 1e-4, tolerableAfter = 1e-3;
/// A wrong mean or order of colors shows on any picture.
constexpr size_t comparedSamples = 4;

/// Keeps a copy of one tensor.
class Catcher final : public Observer {
public:
  explicit Catcher(std::string tensor) : tensor(std::move(tensor)) {}
  void onResult(const LayerResult &layer, const Tensor &value) override {
    if (layer.tensor == tensor)
      caught = value.clone();
  }

  std::string tensor;
  Tensor caught;
};

/// How far two tensors of the same numbers are apart at most.
double distanceOf(const Tensor &a, const Tensor &b) {
  return a.size() == b.size() && a.dtype() == b.dtype()
             ? measure(a.reshaped(b.shape()), b).maxAbs
             : INFINITY;
}

/// Compares the float network on prepared samples with the same network behind
/// its processors, on what arrives at run time.
void compareInputs(BuildState &state, const Evaluator &evaluator) {
  Network &network = *state.network;
  ProcessorReport ignored;
  mlir::func::FuncOp view =
      addDeployedView(network.function(), state.config, ignored);
  view.setName("aligned");
  auto name = view.getArgAttrOfType<mlir::StringAttr>(0, networkTensorAttr);
  std::string tensor = name ? name.str() : network.inputs()[0].name;
  PrepareOptions observed;
  observed.observe = true;
  Executable behind = network.prepareView("aligned", observed);
  Executable plain = network.prepare({});
  ExecutionState behindState(behind), plainState(plain);
  double before = 0, after = 0;
  for (size_t i = 0; i < std::min(comparedSamples, evaluator.runs()); ++i) {
    std::vector<Tensor> prepared =
        evaluator.load(i, plain.inputs, InputForm::Model);
    std::vector<Tensor> source =
        evaluator.load(i, behind.inputs, InputForm::Source);
    Catcher catcher(tensor);
    std::span<const Tensor> given = behindState.run(source, &catcher);
    const Tensor &read = name ? catcher.caught : source[0];
    before = std::max(before, distanceOf(read, prepared[0]));
    std::span<const Tensor> expected = plainState.run(prepared);
    for (size_t k = 0; k < given.size(); ++k)
      after = std::max(after, distanceOf(given[k], expected[k]));
  }
  view.erase();
  bool isAligned = before <= tolerableBefore && after <= tolerableAfter;
  log(isAligned ? LogLevel::Info : LogLevel::Warning,
      "what arrives at run time and what the model was trained with differ by "
      "{:.2g} at most before the network (expected: within {:.0e}) and {:.2g} "
      "after it (within {:.0e}): {}",
      before, tolerableBefore, after, tolerableAfter,
      isAligned ? "the preparation is aligned"
                : "the preparation is misaligned; compare mean, std, "
                  "tensor_format, src_format and layout of input_processors "
                  "with those of the training");
}

/// The network as it is deployed, fed with what arrives, if that can be made.
void runMachine(BuildState &state, Evaluator &evaluator) {
  bool isDeployed = bool(state.network->view(views::npuCore));
  if (isDeployed && !evaluator.canUseSource()) {
    log(LogLevel::Warning,
        "the NPU is evaluated without its processors, because the samples "
        "can't be made into what arrives at run time");
    isDeployed = false;
  }
  if (isDeployed)
    compareInputs(state, evaluator);
  mlir::func::FuncOp machine =
      isDeployed ? state.network->view(views::npu) : machineOf(state);
  evaluator.run("NPUBackend", prepare(machine, npuKernels(), {}),
                isDeployed ? InputForm::Source : InputForm::Model);
}

} // namespace

void checkEvaluation(BuildState &state) {
  if (!state.config.evaluation.isGiven())
    return;
  Evaluator(state.config, 1)
      .check(state.network->inputs(), state.network->outputs());
}

void runEvaluateStage(BuildState &state) {
  Evaluator evaluator(state.config, state.options.threads);
  Network &network = *state.network;
  evaluator.run("Float", network.prepare({}), InputForm::Model);
  if (network.view(views::quantized)) {
    evaluator.run("Reference", network.prepareView(views::quantized, {}),
                  InputForm::Model);
    runMachine(state, evaluator);
  }
  Accuracy accuracy = evaluator.judge();
  reportAccuracy(accuracy, evaluator.answers(), state.config.outputDir);
  state.result->accuracy = std::move(accuracy);
}

} // namespace parallax
