//===- Candidate.cpp - A case that may be smaller -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A part of a network keeps the rules and ranges of the layers that are in it.
//===----------------------------------------------------------------------===//
#include "Candidate.h"

#include "parallax/Analysis/QuantParams.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/TensorAttr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// The names of all layers and tensors of a network.
struct NetworkNames {
  std::set<std::string> layers, tensors;

  explicit NetworkNames(mlir::func::FuncOp network) {
    for (const std::string &name : inputNames(network))
      tensors.insert(name);
    for (Operation &op : network.front().without_terminator()) {
      LayerName name = getLayerName(&op);
      layers.insert(name.node);
      tensors.insert(name.tensors.begin(), name.tensors.end());
    }
  }
};

std::vector<PortInfo> portsOf(mlir::func::FuncOp network) {
  std::vector<PortInfo> ports;
  for (Value input : network.getArguments()) {
    auto type = mlir::cast<mlir::RankedTensorType>(input.getType());
    ports.push_back({getTensorName(input), *toDType(type.getElementType()),
                     type.getShape().vec()});
  }
  return ports;
}

/// Rules without layers that are gone; none if no layer is left.
std::vector<LayerConfig> rulesFor(const NetworkNames &names,
                                  std::vector<LayerConfig> rules) {
  for (LayerConfig &rule : rules)
    std::erase_if(rule.layerNames, [&](const std::string &layer) {
      return !names.layers.contains(layer);
    });
  std::erase_if(rules, [&](const LayerConfig &rule) {
    return rule.layerNames.empty() && rule.opTypes.empty() &&
           rule.opType.empty();
  });
  return rules;
}

Calibration rangesFor(const NetworkNames &names, Calibration ranges,
                      mlir::func::FuncOp network) {
  std::map<std::string, Shape> shapes;
  auto add = [&](Value value) {
    if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
      shapes[getTensorName(value)] = type.getShape().vec();
  };
  for (Value input : network.getArguments())
    add(input);
  for (Operation &op : network.front().without_terminator())
    for (Value result : op.getResults())
      add(result);
  std::erase_if(ranges.tensors, [&](const TensorRange &range) {
    return !names.tensors.contains(range.tensor);
  });
  for (TensorRange &range : ranges.tensors) {
    const Shape &shape = shapes[range.tensor];
    bool fits =
        range.channelAxis < int64_t(shape.size()) &&
        size_t(shape[size_t(range.channelAxis)]) == range.channelMin.size();
    if (!fits) {
      range.channelMin.clear();
      range.channelMax.clear();
    }
  }
  return ranges;
}

/// The layers that rules have found, by the number of the rule.
std::map<size_t, std::vector<std::string>> foundLayers(const fs::path &audit) {
  std::map<size_t, std::vector<std::string>> found;
  if (!fs::exists(audit))
    return found;
  auto json = nlohmann::json::parse(readText(audit), nullptr, false);
  if (json.is_object() && json.contains("rules"))
    for (const auto &rule : json["rules"])
      for (const auto &layer : rule["layers"])
        if (!layer.value("overridden", false))
          found[rule["rule"].get<size_t>()].push_back(
              layer["layer"].get<std::string>());
  return found;
}

} // namespace

void Candidate::write(const fs::path &folder, const std::string &target) const {
  NetworkNames names(network);
  std::vector<PortInfo> ports = portsOf(network);
  fs::create_directories(folder / "model");
  onnx_export::ExportOptions options;
  options.graphName = "reduced";
  onnx_export::exportModel(network, folder / "model" / "model.onnx", options);
  BuildConfig written = config;
  written.input = "model/model.onnx";
  written.outputDir = "output";
  written.targetHardware = "target.json";
  written.quant.layerConfigs = rulesFor(names, config.quant.layerConfigs);
  writeFileAtomically(folder / "target.json", target);
  for (size_t i = 0; i < samples.size(); ++i)
    writeNpyFolder(folder / "samples" / fmt::format("{:04}", i), ports,
                   samples[i]);
  written.quant.inputSampleDir = "samples";
  written.quant.inputConfigs.clear();
  written.quant.calibrationCache.clear();
  if (ranges) {
    written.quant.tensorConfigs.clear(); // They are chosen.
    writeFileAtomically(folder / "data" / "calibration.json",
                        toJson(rangesFor(names, *ranges, network)));
    written.quant.calibrationCache = "data/calibration.json";
  } else {
    writeSampleSet(folder / "data", ports, samples.size(),
                   [&](size_t i) { return samples[i]; });
    InputQuantConfig input;
    input.tensorName = "DEFAULT";
    input.calibrationDataset = "data";
    input.calibrationFormat = DataFormat::Numpy;
    input.calibrationSize = -1;
    written.quant.calibrationHoldOut = false;
    written.quant.inputConfigs = {input};
  }
  writeFileAtomically(folder / "config.json", toJson(written));
}

std::vector<LayerConfig> rulesForResults(const PrecisionTable &table) {
  std::map<DataType, LayerConfig> rules;
  for (const PrecisionRow &row : table.rows) {
    auto type = parseEnum<DataType>(row.quantType);
    if (row.moves || !type || !isCodeType(*type))
      continue;
    LayerConfig &rule = rules[*type];
    rule.outputDataType = *type;
    rule.layerNames.push_back(row.node);
  }
  std::vector<LayerConfig> list;
  for (auto &[type, rule] : rules)
    list.push_back(std::move(rule));
  return list;
}

BuildConfig configOfPart(const BuildConfig &config, const fs::path &audit) {
  BuildConfig part = config;
  part.inputShapes.clear();
  part.inputProcessors.clear();
  part.outputProcessors.clear();
  part.opProcessors.clear();
  part.constProcessors.clear();
  part.quantOpProcessors.clear();
  part.compiler = {};
  part.evaluation = {};
  part.debug = {};
  part.workDir.clear();
  part.outputName = BuildConfig().outputName;
  part.quant.precisionAnalysis = true;
  part.quant.precisionAnalysisMode = PrecisionAnalysisMode::Both;
  part.quant.precisionAnalysisSize = -1;
  part.quant.precisionAnalysisDump = false;
  std::map<size_t, std::vector<std::string>> found = foundLayers(audit);
  for (size_t i = 0; i < part.quant.layerConfigs.size(); ++i) {
    LayerConfig &rule = part.quant.layerConfigs[i];
    if (!rule.opType.empty() || !rule.opTypes.empty())
      continue;
    rule.layerNames = found[i + 1];
    rule.layerName.clear();
    rule.layerNameRegex.clear();
    rule.startTensorNames.clear();
    rule.endTensorNames.clear();
  }
  return part;
}

void rename(Candidate &candidate, const NewNames &names) {
  auto change = [](std::string &name,
                   const std::map<std::string, std::string> &by) {
    if (auto it = by.find(name); it != by.end())
      name = it->second;
  };
  for (LayerConfig &rule : candidate.config.quant.layerConfigs)
    for (std::string &layer : rule.layerNames)
      change(layer, names.layers);
  for (TensorConfig &config : candidate.config.quant.tensorConfigs) {
    for (std::string &tensor : config.tensorNames)
      change(tensor, names.tensors);
    for (std::string &layer : config.layerNames)
      change(layer, names.layers);
  }
  if (candidate.ranges)
    for (TensorRange &range : candidate.ranges->tensors) {
      change(range.tensor, names.tensors);
      // Layers in front of the network are not in it.
      auto layer = names.layers.find(range.node);
      range.node = layer == names.layers.end() ? range.tensor : layer->second;
      range.minSample.clear();
      range.maxSample.clear();
    }
}

} // namespace parallax
