//===- QuantizeStage.cpp - From ranges to codes ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Improves the network as far as that is asked for, quantizes it with and
// without its processors, and tells what came of layer_configs.
//===----------------------------------------------------------------------===//
#include "QuantizeStage.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Report/Table.h"

#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Passes/Processors/Processors.h"
#include "parallax/Passes/Quantize/Improve.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Passes/Quantize/QuantFile.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Report/Alignments.h"
#include "parallax/Report/FloatChanges.h"
#include "parallax/Report/PrecisionAudit.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

void printProcessors(const ProcessorReport &report) {
  for (const std::string &warning : report.warnings)
    log(LogLevel::Warning, "{}", warning);
  for (const std::string &note : report.notes)
    log(LogLevel::Info, "{}", note);
}

bool hasProcessors(const BuildConfig &config) {
  return !config.inputProcessors.empty() || !config.outputProcessors.empty();
}

PrecisionOptions precisionOptions(BuildState &state,
                                  mlir::func::FuncOp network) {
  PrecisionOptions options;
  options.allowUnmatched = state.options.allowUnmatched;
  std::vector<std::string> names;
  for (const onnx_import::ModelNode &node : state.network->summary().nodes) {
    names.push_back(node.name);
    options.nodeTypes[node.name] = node.type;
  }
  options.nodes = mapNodes(network, names);
  return options;
}

/// Changes the float network such that it loses less, as far as that is asked
/// for, and tells what came of it. Returns what to quantize.
mlir::func::FuncOp improve(BuildState &state) {
  const QuantConfig &config = state.config.quant;
  mlir::func::FuncOp network = state.network->function();
  if (!asksForImprovement(config))
    return network;
  if (config.inputConfigs.empty()) {
    log(LogLevel::Warning,
        "equalization, SmoothQuant, EasyQuant and bias correction need samples "
        "beside calibration_cache, and are left out");
    return network;
  }
  Samples samples = calibrationSamples(*state.network, state.config);
  AssignPrecisions assign = [&](mlir::func::FuncOp view) -> LogicalResult {
    return assignPrecision(view, config, precisionOptions(state, view));
  };
  Improvement improvement = orThrow(network.getContext(), [&] {
    return improveNetwork(network, config, samples, state.options.threads,
                          assign);
  });
  const FloatChanges &changes = improvement.changes;
  auto show = [&](std::string_view title, bool isEmpty, const Table &table) {
    if (!isEmpty)
      showResult(fmt::format("{}\n{}", title,
                             table.render(currentListener().style())));
  };
  show("Equalization", changes.equalized.empty(),
       scaledPairTable(changes.equalized));
  show("SmoothQuant", changes.smoothed.empty(),
       scaledPairTable(changes.smoothed));
  if (config.enableSmoothQuant && changes.smoothed.empty())
    showResult("SmoothQuant: nothing was changed, because no tensor was found "
               "that has outliers and can be scaled.\n");
  show("EasyQuant", changes.tuned.empty(), tunedRangeTable(changes.tuned));
  show("Bias Correction", changes.corrected.empty(),
       correctedLayerTable(changes.corrected));
  show("The Whole Network", changes.verdicts.empty(),
       verdictTable(changes.verdicts));
  fs::path path = state.files().floatChanges();
  writeFileAtomically(path, toJson(changes));
  log(LogLevel::Info, "save changes of the float network to [{}]",
      path.string());
  return improvement.source;
}

mlir::func::FuncOp quantize(mlir::func::FuncOp network,
                            const QuantConfig &config,
                            QuantizeReport *report = nullptr) {
  return orThrow(network.getContext(), [&] {
    return addQuantizedView(network, quantizeOptions(config), report);
  });
}

/// Quantizes the network together with its processors.
void quantizeDeployed(BuildState &state, mlir::func::FuncOp source) {
  ProcessorReport report;
  Calibration calibration = getCalibration(source);
  mlir::func::FuncOp network = addDeployedView(source, state.config, report);
  printProcessors(report);
  addProcessorRanges(network, calibration);
  setCalibration(network, calibration);
  assignPrecision(state, network, state.config.quant);
  mlir::func::FuncOp deployed = quantize(network, state.config.quant);
  network.erase();
  deployed.setName(views::deployed);
}

void printSnapshot(const QuantizeReport &report) {
  std::string text = "--------- Network Snapshot ---------\n";
  auto line = [&](std::string_view title, int64_t count,
                  std::string_view meaning = "") {
    std::string number = fmt::format("[{}]", count);
    text += fmt::format("{:<30}", fmt::format("{}:", title));
    text += meaning.empty() ? number : fmt::format("{:<9}{}", number, meaning);
    text += "\n";
  };
  line("Num of Op", report.operators);
  line("Num of Quantized Op", report.quantizedOperators);
  line("Num of Variable", report.tensors);
  line("Num of Quantized Var", report.quantizedTensors);
  text += "------- Quantization Snapshot ------\n";
  line("Num of Quant Config", report.ownParameters + report.sharedParameters +
                                  report.weights + report.biases);
  line("BAKED", report.weights, "weights as codes");
  line("OVERLAPPED", report.sharedParameters,
       "tensors with the scale of another one");
  line("ACTIVATED", report.ownParameters, "tensors with a scale of their own");
  line("SOI", report.integerTensors, "integers of the model");
  line("PASSIVE_BAKED", report.biases, "biases as codes");
  line("FP32", report.floatTensors, "floats");
  line("REQUANTIZED", report.requantizations, "operations that convert codes");
  showResult(text);
}

/// What was decided where tensors meet.
void writeAlignments(BuildState &state,
                     const std::vector<AlignmentChoice> &alignments) {
  fs::path path = state.files().sharedScales();
  writeFileAtomically(path, toJson(alignments));
  if (std::string line = describeAlignments(alignments); !line.empty())
    log(LogLevel::Info, "{} (see [{}])", line, path.string());
}

/// The quantized network for other runtimes, and its parameters.
void writeFiles(BuildState &state, mlir::func::FuncOp quantized) {
  fs::path model = state.files().quantizedModel();
  mlir::func::FuncOp qdq = orThrow(quantized.getContext(), [&] {
    return addQdqView(quantized, state.config.quant.qdqFormat);
  });
  onnx_export::ExportOptions options;
  options.graphName = state.network->summary().name;
  onnx_export::exportModel(qdq, model, options);
  qdq.erase();
  fs::path parameters = state.files().quantizedParameters();
  writeFileAtomically(parameters, quantFileText(quantized));
  log(LogLevel::Info, "save quantized onnx to [{}], its parameters to [{}]",
      model.string(), parameters.string());
}

} // namespace

mlir::func::FuncOp addDeployedView(mlir::func::FuncOp view,
                                   const BuildConfig &config,
                                   ProcessorReport &report) {
  mlir::func::FuncOp deployed = addView(view, views::deployed);
  removeCalibration(deployed);
  report = orThrow(view.getContext(), [&] {
    return addProcessors(deployed, config.inputProcessors,
                         config.outputProcessors, config.quant.inputConfigs);
  });
  return deployed;
}

std::vector<AuditedRule> assignPrecision(BuildState &state,
                                         mlir::func::FuncOp network,
                                         const QuantConfig &config) {
  return orThrow(network.getContext(), [&] {
    return assignPrecision(network, config, precisionOptions(state, network));
  });
}

/// The network was quantized before: its parameters become types.
static void takeParameters(BuildState &state) {
  QdqReport report;
  mlir::func::FuncOp network = state.network->function();
  mlir::func::FuncOp quantized = orThrow(network.getContext(), [&] {
    return addQuantizedViewOfQdq(network, &report);
  });
  if (report.tensors == 0)
    throw Error(fmt::format("{} has no tensor that goes through QuantizeLinear "
                            "and DequantizeLinear; its model_type is ONNX",
                            state.config.input));
  log(LogLevel::Info,
      "took the parameters of {} tensors and {} weights from the model",
      report.tensors, report.weights);
  for (const std::string &layer : report.remaining)
    log(LogLevel::Warning,
        "layer '{}' has scales that no type of a tensor can express, and stays "
        "in float",
        layer);
  if (hasProcessors(state.config)) {
    ProcessorReport processors;
    addDeployedView(quantized, state.config, processors);
    printProcessors(processors);
  }
  writeFiles(state, quantized);
}

void checkRules(BuildState &state) {
  for (const AuditedRule &rule :
       assignPrecision(state, state.network->function(), state.config.quant))
    if (!rule.note.empty())
      log(LogLevel::Warning, "'{}' ({}): {}", rule.config, rule.words(),
          rule.note);
}

void checkProcessors(BuildState &state) {
  if (!hasProcessors(state.config))
    return;
  ProcessorReport report;
  addDeployedView(state.network->function(), state.config, report).erase();
}

void runQuantizeStage(BuildState &state) {
  if (state.config.modelType != ModelType::Onnx)
    return takeParameters(state);
  mlir::func::FuncOp network = improve(state);
  if (hasProcessors(state.config))
    quantizeDeployed(state, network);
  std::vector<AuditedRule> audit =
      assignPrecision(state, network, state.config.quant);
  if (!audit.empty())
    showResult("Layer Config Table\n" +
               layerConfigTable(audit).render(currentListener().style()));
  QuantizeReport report;
  mlir::func::FuncOp quantized = quantize(network, state.config.quant, &report);
  completeAudit(audit, quantized);
  if (network != state.network->function())
    network.erase();

  if (!audit.empty()) {
    showResult("Layer Config Audit\n" +
               layerConfigAuditTable(audit).render(currentListener().style()));
    fs::path path = state.files().layerConfigAudit();
    writeFileAtomically(path, toJson(audit));
    log(LogLevel::Info, "save what came of layer_configs to [{}]",
        path.string());
  }
  printSnapshot(report);
  writeAlignments(state, report.alignments);
  writeFiles(state, quantized);
}

} // namespace parallax
