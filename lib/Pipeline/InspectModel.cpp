//===- InspectModel.cpp - What quantized models hold ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The numbers come from where builds have them: types of values and the
// estimate of cycles.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/InspectModel.h"

#include "parallax/Backend/NPU/Cost.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/Unicode.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>
#include <map>

namespace parallax {
namespace {

/// What codes stand for, in three cells.
struct CodeCells {
  std::string type = "-", scale = "-", zeroPoint = "-";
};

CodeCells cellsOf(Type type) {
  if (!type || !isQuantized(type))
    return {};
  std::string storage(nameOf(storageOf(type)));
  if (isPerAxis(type))
    return {storage, "per channel", "-"};
  AffineParams params = affineParamsOf(type);
  return {storage, formatNumber(params.scale, 6),
          std::to_string(params.zeroPoint)};
}

/// Without names there is nothing to say, with half of them nothing to compare.
std::string digestLine(std::string_view what, const std::string &digest) {
  return digest.empty() ? ""
                        : fmt::format("  sha256 of {}: {}\n", what, digest);
}

std::string costText(const std::vector<LayerCost> &costs,
                     const Target &target) {
  TotalCost total = totalOf(costs, target);
  std::string text = fmt::format(
      "Estimated on {}: {} cycles ({:.3g} ms), {} multiply-accumulates, {} "
      "bytes to and from memory",
      target.name, total.cycles, total.milliseconds, total.macs,
      total.memoryBytes);
  if (total.cpuLayers > 0)
    text += fmt::format("; {} layers run on the CPU", total.cpuLayers);
  return text + ".\n";
}

CostOptions firstMode(const Target &target) {
  CostOptions options;
  if (!target.modes.empty())
    options.mode = target.modes.front().npuMode;
  return options;
}

std::string portsText(const Executable &executable, const TextStyle &style) {
  Table table({Column::label(""), Column::text("Tensor"), Column::label("Type"),
               Column::label("Shape")});
  auto add = [&](const char *what, const std::vector<PortInfo> &ports) {
    for (const PortInfo &port : ports)
      table.addRow({what, port.name, std::string(nameOf(port.dtype)),
                    toString(port.shape)});
  };
  add("input", executable.inputs);
  add("output", executable.outputs);
  return table.render(style);
}

std::string layersText(mlir::func::FuncOp machine,
                       const std::vector<LayerCost> &costs,
                       const TextStyle &style) {
  std::map<std::string, CodeCells> codes;
  for (Operation &op : machine.front().without_terminator())
    if (op.getNumResults() > 0)
      codes.try_emplace(getLayerName(&op).node,
                        cellsOf(codeTypeOf(op.getResult(0))));
  Table table({Column::text("Layer"), Column::label("Operator"),
               Column::label("Types", 2), Column::label("Codes"),
               Column::number("Scale"), Column::number("Zero point", 1),
               Column::number("Cycles")});
  for (const LayerCost &cost : costs) {
    const CodeCells &cells = codes[cost.layer];
    table.addRow({cost.layer, cost.op, cost.types, cells.type, cells.scale,
                  cells.zeroPoint, std::to_string(cost.cycles)});
  }
  return table.render(style);
}

} // namespace

bool isCompiledFile(const std::filesystem::path &model) {
  return isCompiledModel(model);
}

std::string describeCompiledModel(const std::filesystem::path &model,
                                  const TextStyle &style) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  CompiledInfo info;
  OwningOpRef<ModuleOp> module = readCompiledModel(model, context, &info);
  auto machine = module->lookupSymbol<mlir::func::FuncOp>(views::npu);
  Target target = parseTarget(info.targetJson, "the target of the model");
  std::vector<LayerCost> costs =
      estimateCost(machine, target, firstMode(target));
  return fmt::format("{}\n  compiled model, format {}, by Parallax {}, for "
                     "{}\n",
                     printable(model.string()), info.formatVersion,
                     printable(info.toolVersion), printable(info.targetName)) +
         digestLine("this file", sha256OfFile(model)) +
         digestLine("the network", info.modelSha256) +
         digestLine("the configuration", info.configSha256) +
         digestLine("the calibration", info.calibrationSha256) +
         portsText(prepare(machine, npuKernels(), {}), style) +
         layersText(machine, costs, style) + costText(costs, target);
}

std::string describeQuantizedModel(Network &network, const std::string &target,
                                   const TextStyle &style) {
  QdqReport report;
  mlir::func::FuncOp floats = network.function();
  MLIRContext *context = floats.getContext();
  mlir::func::FuncOp quantized =
      orThrow(context, [&] { return addQuantizedViewOfQdq(floats, &report); });
  if (report.tensors == 0 && report.weights == 0)
    return "";
  Table table({Column::text("Tensor"), Column::label("Codes"),
               Column::number("Scale"), Column::number("Zero point", 1)});
  auto add = [&](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    if (!isQuantized(type))
      return;
    CodeCells cells = cellsOf(type);
    table.addRow(
        {getTensorName(value), cells.type, cells.scale, cells.zeroPoint});
  };
  for (Value argument : quantized.getArguments())
    add(argument);
  for (Operation &op : quantized.front().without_terminator())
    for (Value result : op.getResults())
      add(result);
  std::string text =
      fmt::format("Quantized: {} tensors and {} weights.\n{}", report.tensors,
                  report.weights, table.render(style));
  Target chip = findTarget(target);
  try {
    mlir::func::FuncOp machine =
        orThrow(context, [&] { return lowerNetwork(quantized, chip); });
    return text + costText(estimateCost(machine, chip, firstMode(chip)), chip);
  } catch (const Error &error) {
    return text + fmt::format("It can't be lowered to {}: {}\n", chip.name,
                              printable(error.what()));
  }
}

} // namespace parallax
