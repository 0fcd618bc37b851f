//===- Attempt.cpp - A network with another configuration -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Networks with other types are built in memory, beside the real ones.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Attempt.h"
#include "QuantizeStage.h"

#include "parallax/Backend/NPU/Cost.h"
#include "parallax/Config/Edit.h"
#include "parallax/Config/Target.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/QuantizedType.h"

#include "mlir/IR/TypeUtilities.h"

namespace parallax {
namespace {

/// Adds the codes of a tensor, or of what it is requantized to, if they are the
/// coarsest so far.
void addCodes(Value value, std::optional<AffineParams> &coarsest) {
  Type type = getElementTypeOrSelf(value.getType());
  if (isQuantized(type) && !isPerAxis(type)) {
    AffineParams codes = affineParamsOf(type);
    if (!coarsest || coarsest->scale < codes.scale)
      coarsest = codes;
  }
  for (Operation *user : value.getUsers())
    if (auto requantize = dyn_cast<nn::RequantizeOp>(user))
      addCodes(requantize.getY(), coarsest);
}

} // namespace

std::string editedText(std::string_view text,
                       std::span<const ConfigEdit> edits) {
  JsonDocument document = parseRelaxedJson(text);
  for (const ConfigEdit &edit : edits)
    editField(document.root, edit.field, edit.value, edit.appends);
  return printJson(document.root) + "\n";
}

BuildConfig withEdits(const BuildConfig &config,
                      std::span<const ConfigEdit> edits) {
  return parseBuildConfig(editedText(toJson(config), edits),
                          "the suggested configuration");
}

std::vector<LayerCost> costsOf(mlir::func::FuncOp machine,
                               const BuildConfig &config) {
  return estimateCost(machine, findTarget(config.targetHardware),
                      {config.npuMode, config.compiler.ddrBwLimit});
}

int64_t cyclesOf(mlir::func::FuncOp machine, const BuildConfig &config) {
  return totalOf(costsOf(machine, config), findTarget(config.targetHardware))
      .cycles;
}

std::optional<NetworkBeside> buildBeside(BuildState &state,
                                         const BuildConfig &config,
                                         const Calibration *ranges) {
  try {
    mlir::func::FuncOp original = state.network->function();
    mlir::func::FuncOp network = original.clone();
    NetworkBeside beside{ModuleOp::create(original.getLoc()), network, {}, {}};
    beside.module->push_back(network);
    if (ranges)
      setCalibration(network, *ranges);
    assignPrecision(state, network, config.quant);
    orThrow(network.getContext(), [&]() -> LogicalResult {
      auto quantized = addQuantizedView(network, quantizeOptions(config.quant));
      if (failed(quantized))
        return failure();
      beside.quantized = *quantized;
      auto machine =
          lowerNetwork(*quantized, findTarget(config.targetHardware));
      if (failed(machine))
        return failure();
      beside.machine = *machine;
      return success();
    });
    return beside;
  } catch (const Error &error) {
    log(LogLevel::Debug, "a change was not suggested: {}", error.what());
    return std::nullopt;
  }
}

Trial typesOf(mlir::func::FuncOp quantized) {
  Trial trial;
  auto add = [&](Value value) {
    std::optional<AffineParams> codes;
    addCodes(value, codes);
    if (codes)
      trial.codes.try_emplace(getTensorName(value), *codes);
  };
  for (Value argument : quantized.getArguments())
    add(argument);
  for (Operation &op : quantized.front().without_terminator()) {
    if (isa<nn::RequantizeOp>(op) || op.getNumOperands() == 0)
      continue;
    for (Value result : op.getResults())
      add(result);
    Value weight = nn::weightOf(&op);
    Type type = weight ? getElementTypeOrSelf(weight.getType()) : Type();
    if (type && (!isQuantized(type) || storageOf(type) != DType::I8))
      trial.wideWeights.insert(getLayerName(&op).node);
  }
  return trial;
}

std::optional<Trial> attempt(BuildState &state,
                             const std::vector<ConfigEdit> &edits) {
  stopIfCancelled();
  std::optional<BuildConfig> config;
  try {
    config = withEdits(state.config, edits);
  } catch (const Error &error) {
    log(LogLevel::Debug, "a change was not suggested: {}", error.what());
    return std::nullopt;
  }
  std::optional<NetworkBeside> beside = buildBeside(state, *config);
  if (!beside)
    return std::nullopt;
  Trial trial = typesOf(beside->quantized);
  trial.costs = costsOf(beside->machine, *config);
  trial.cycles =
      totalOf(trial.costs, findTarget(config->targetHardware)).cycles;
  return trial;
}

} // namespace parallax
