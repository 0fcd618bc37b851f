//===- FloatStage.cpp - From an imported to an optimized network ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing is written before the optimized network has passed its check.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/FloatStage.h"

#include "parallax/Data/TensorFolder.h"
#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Passes/Optimize/ModelCheck.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Passes/Optimize/Optimize.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LargeObject.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Memory.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using onnx_export::ExportSummary;
using onnx_import::ModelPort;
using onnx_import::ModelSummary;

void writeText(const std::filesystem::path &path, std::string_view text,
               std::string_view what) {
  writeFileAtomically(path, text);
  log(LogLevel::Info, "save {} to [{}]", what, path.string());
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

std::string describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::optional<DType> dtype = toDType(tensor.getElementType());
  return fmt::format("{} {}", dtype ? nameOf(*dtype) : "?",
                     toString(tensor.getShape()));
}

std::string describePort(const std::vector<ModelPort> &ports,
                         const std::string &name) {
  for (const ModelPort &port : ports)
    if (port.name == name)
      return port.dtype + " " + port.shape;
  return "";
}

std::string megabytes(int64_t bytes) {
  return fmt::format("{:.2f} MB", double(bytes) / 1e6);
}

/// Operators in both files, except what only carries constants.
void addOperators(Table &table, const ModelSummary &before,
                  const ExportSummary &after) {
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  int64_t total = 0;
  for (const auto &[name, count] : before.operators)
    if (name != "Constant") {
      counts[name].first = count;
      total += count;
    }
  for (const auto &[name, count] : after.operators)
    counts[name].second = count;
  for (const auto &[name, count] : counts) {
    auto [original, optimized] = count;
    Tint tint = optimized < original ? Tint::Good : Tint::Plain;
    table.addRow({name, std::to_string(original),
                  Cell(std::to_string(optimized), tint)});
  }
  table.addRow({"Nodes", std::to_string(total), std::to_string(after.nodes)});
}

void printSummary(Network &network, const nn::NetworkCost &costBefore,
                  const ExportSummary &after) {
  const ModelSummary &before = network.summary();
  mlir::func::FuncOp function = network.function();
  Table table({Column::label(before.name.empty() ? "Model" : before.name),
               Column::text("Original"), Column::text("Optimized")});
  table.addRow({"Op Set / IR",
                fmt::format("{} / {}", before.opset, before.irVersion),
                fmt::format("{} / {}", after.opset, after.irVersion)});
  for (mlir::BlockArgument argument : function.getArguments()) {
    std::string name = getTensorName(argument);
    table.addRow({"IN: " + name, describePort(before.inputs, name),
                  describe(argument.getType())});
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    std::string name =
        function.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name").str();
    table.addRow(
        {"OUT: " + name, describePort(before.outputs, name), describe(type)});
  }
  addOperators(table, before, after);
  nn::NetworkCost cost = nn::countCost(function);
  table.addRow({"Parameters", std::to_string(before.parameters),
                std::to_string(cost.parameters)});
  table.addRow(
      {"MACs", std::to_string(costBefore.macs), std::to_string(cost.macs)});
  table.addRow(
      {"Model Size", megabytes(before.fileBytes), megabytes(after.bytes)});
  showResult(table.render(currentListener().style()));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void optimizeNetwork(Network &network, const FloatStageOptions &options) {
  auto start = std::chrono::steady_clock::now();
  RewriteOptions rewriting;
  rewriting.check = options.checkRewrites;
  OptimizeReport report = optimize(network.function(), rewriting);
  double seconds = secondsSince(start);
  std::vector<std::string> applied;
  int64_t count = 0;
  for (const auto &[name, times] : report.applied) {
    applied.push_back(fmt::format("{} {}", name, times));
    count += times;
  }
  log(LogLevel::Info, "{} rewrites in {:.2f} s, {}{}", count, seconds,
      options.checkRewrites ? "each one checked" : "not checked",
      applied.empty() ? "" : fmt::format(": {}", fmt::join(applied, ", ")));
  for (const UndoneRewrite &undone : report.undone)
    log(LogLevel::Warning, "rewrite '{}' on layer '{}' was undone: {}",
        undone.rewrite, undone.layer, undone.reason);
}

/// Both networks on the same samples; one line per output.
void compareNetworks(Network &network, ModelCheck &check) {
  std::string failures;
  for (const OutputCheck &output :
       check.compare(network.prepare(PrepareOptions()))) {
    std::string text = fmt::format(
        "output '{}' differs by {} of its range at most, cosine {} (the last "
        "bit of the inputs makes {})",
        output.name, formatNumber(output.error),
        formatFraction(output.cosine, 8), formatNumber(output.sensitivity));
    log(LogLevel::Info, "model check on {} {} ({}): {}", check.sampleCount(),
        check.sampleCount() == 1 ? "sample" : "samples", check.sampleSource(),
        text);
    if (!output.passes())
      failures += fmt::format("\n  {} (sample {})", text, output.worstSample);
  }
  if (!failures.empty())
    throw Error(fmt::format(
        "the optimized network does not compute what the model does; more "
        "than {:.0e} is not rounding:{}\n  Build with "
        "onnx_opt.disable_onnx_optimization, and report the model",
        OutputCheck::tolerance, failures));
}

void writeNameMap(const std::filesystem::path &path, Network &network) {
  std::vector<std::string> nodes;
  for (const onnx_import::ModelNode &node : network.summary().nodes)
    nodes.push_back(node.name);
  LargeObject map;
  for (const NodeFate &fate : mapNodes(network.function(), nodes))
    map[fate.node] = fate.layer.empty() ? "folded" : fate.layer;
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  writeText(path, map.take().dump(2, ' ', false, replace) + "\n",
            "names of nodes and layers");
}

} // namespace

void writeMlir(const std::filesystem::path &path, Network &network,
               std::string_view what) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
  flags.enableDebugInfo(true, /*prettyForm=*/true);
  network.module().print(stream, flags);
  writeText(path, text, what);
}

Samples randomSamples(std::span<const PortInfo> inputs) {
  return samplesInMemory({randomInputs(inputs, 1), randomInputs(inputs, 2)},
                         "random numbers");
}

void runFloatStage(Network &network, const FloatStageOptions &options) {
  nn::NetworkCost costBefore = nn::countCost(network.function());
  if (!options.importedMlir.empty())
    writeMlir(options.importedMlir, network, "imported network");
  if (options.keepsImported)
    addView(network.function(), views::imported);

  std::optional<ModelCheck> check;
  if (options.checkModel && options.optimize) {
    Executable imported = network.prepare(PrepareOptions());
    check.emplace(options.samples(imported.inputs), options.threads);
    check->record(imported);
  }
  if (options.optimize)
    optimizeNetwork(network, options);
  if (check)
    compareNetworks(network, *check);

  onnx_export::ExportOptions exporting;
  exporting.graphName = network.summary().name;
  ExportSummary after =
      onnx_export::exportModel(network.function(), options.onnx, exporting);
  log(LogLevel::Info, "save optimized onnx to [{}]", options.onnx.string());
  if (!options.nameMap.empty())
    writeNameMap(options.nameMap, network);
  if (!options.optimizedMlir.empty())
    writeMlir(options.optimizedMlir, network, "optimized network");
  printSummary(network, costBefore, after);
  log(LogLevel::Debug, "peak memory {:.1f} MB",
      double(peakMemoryBytes()) / 1e6);
}

} // namespace parallax
