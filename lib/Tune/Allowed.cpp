//===- Allowed.cpp - Types that layers may have ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A search space that is empty by mistake would look like a network that can't
// be tuned, so patterns have to match something.
//===----------------------------------------------------------------------===//
#include "Allowed.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NN/TypeName.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/NamePattern.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

const AllowedTypes *entryFor(const std::vector<AllowedTypes> &entries,
                             const std::string &name) {
  for (const AllowedTypes &entry : entries)
    if (NamePattern(entry.pattern).matches(name))
      return &entry;
  return nullptr;
}

} // namespace

bool isAllowed(const TuningConfig &config, const std::string &layer,
               const std::string &opType, DataType type) {
  const AllowedTypes *entry = entryFor(config.opNameDict, layer);
  if (!entry)
    entry = entryFor(config.opTypeDict, opType);
  return !entry || std::ranges::find(entry->types, type) != entry->types.end();
}

std::vector<ConfigEdit> requiredTypes(const TuningConfig &config,
                                      mlir::func::FuncOp network) {
  struct Layer {
    std::string name, opType;
    bool hasWeights = false;
  };
  std::vector<Layer> layers;
  for (Operation &op : network.front().without_terminator())
    if (op.getNumOperands() > 0)
      layers.push_back(
          {getLayerName(&op).node, typeNameOf(&op), bool(nn::weightOf(&op))});
  auto check = [&](const std::vector<AllowedTypes> &entries, const char *field,
                   std::string Layer::*name) {
    for (const AllowedTypes &entry : entries)
      if (NamePattern pattern(entry.pattern);
          std::ranges::none_of(layers, [&](const Layer &layer) {
            return pattern.matches(layer.*name);
          }))
        throw Error(fmt::format("tuning.{}: '{}' matches no layer", field,
                                entry.pattern));
  };
  check(config.opNameDict, "op_name_dict", &Layer::name);
  check(config.opTypeDict, "op_type_dict", &Layer::opType);

  // What a layer has to have: the first type that it may have, unless that is
  // 8 bits and a search may change it.
  auto needs = [&](const Layer &layer, DataType type) {
    auto may = [&](DataType other) {
      return isAllowed(config, layer.name, layer.opType, other);
    };
    bool isNarrow = may(DataType::U8), isWide = may(DataType::U16);
    switch (type) {
    case DataType::U8:
      return isNarrow && !isWide;
    case DataType::U16:
      return !isNarrow && isWide;
    default:
      return !isNarrow && !isWide;
    }
  };
  std::vector<ConfigEdit> edits;
  for (DataType type : {DataType::U8, DataType::U16, DataType::FP32}) {
    for (bool hasWeights : {false, true}) {
      std::vector<std::string> names;
      for (const Layer &layer : layers)
        if (needs(layer, type) && layer.hasWeights == hasWeights &&
            std::ranges::find(names, layer.name) == names.end())
          names.push_back(layer.name);
      if (names.empty())
        continue;
      nlohmann::ordered_json rule{{"layer_names", names},
                                  {"data_type", configName(type)}};
      // Nor may a rule for everything give them wide weights.
      if (hasWeights && type == DataType::U8)
        rule["weight_data_type"] = configName(DataType::S8);
      edits.push_back({"quant.layer_configs", rule.dump(), true});
    }
  }
  return edits;
}

} // namespace parallax
