//===- PrecisionAudit.cpp - What came of the rules ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The audit as a file and as tables.
//===----------------------------------------------------------------------===//
#include "parallax/Report/PrecisionAudit.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace parallax {

using Json = nlohmann::ordered_json;

namespace {

constexpr size_t shownLayers = 3;
constexpr size_t shownRows = 8;

Json toAuditJson(const LayerPrecision &precision) {
  auto object = Json::object();
  auto add = [&](const char *name, DataType type) {
    if (type != DataType::Default)
      object[name] = configName(type);
  };
  add("data_type", precision.data);
  add("weight_data_type", precision.weight);
  add("output_data_type", precision.output);
  return object;
}

Json toAuditJson(const AuditedLayer &layer) {
  Json object = {{"layer", layer.layer}, {"op_type", layer.opType}};
  if (!layer.node.empty())
    object["node"] = layer.node;
  object["requested"] = toAuditJson(layer.requested);
  object["granted"] = toAuditJson(layer.granted);
  object["reason"] = layer.reason;
  if (layer.overridden)
    object["overridden"] = true;
  return object;
}

/// Layers of a rule to which the same has happened.
struct Fate {
  LayerPrecision granted;
  std::string reason;
  std::vector<std::string> layers;
};

std::vector<Fate> fatesOf(const AuditedRule &rule) {
  std::vector<Fate> fates;
  for (const AuditedLayer &layer : rule.layers) {
    auto isSame = [&](const Fate &fate) {
      return fate.granted == layer.granted && fate.reason == layer.reason;
    };
    auto it = std::ranges::find_if(fates, isSame);
    if (it == fates.end())
      it = fates.insert(it, {layer.granted, layer.reason, {}});
    it->layers.push_back(
        layer.node.empty()
            ? layer.layer
            : fmt::format("{} (was {})", layer.layer, layer.node));
  }
  return fates;
}

std::string listLayers(const std::vector<std::string> &layers) {
  if (layers.size() <= shownLayers)
    return fmt::format("{}", fmt::join(layers, ", "));
  return fmt::format(
      "{} layers: {}, …", layers.size(),
      fmt::join(layers.begin(), layers.begin() + shownLayers, ", "));
}

} // namespace

std::string describe(const LayerPrecision &precision) {
  std::vector<std::string> parts;
  auto add = [&](std::string_view what, DataType type) {
    if (type != DataType::Default)
      parts.push_back(fmt::format("{}{}", what, configName(type)));
  };
  add("", precision.data);
  add("weights ", precision.weight);
  add("result ", precision.output);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string toJson(const std::vector<AuditedRule> &audit) {
  auto rules = Json::array();
  for (const AuditedRule &rule : audit) {
    Json object = {{"rule", rule.number},
                   {"config", rule.config},
                   {"selector", rule.selector},
                   {"subject", rule.subject},
                   {"requested", toAuditJson(rule.requested)}};
    if (!rule.note.empty())
      object["note"] = rule.note;
    auto &layers = object["layers"] = Json::array();
    for (const AuditedLayer &layer : rule.layers)
      layers.push_back(toAuditJson(layer));
    rules.push_back(std::move(object));
  }
  // Names come from the model and need not be UTF-8.
  return Json{{"rules", std::move(rules)}}.dump(
             2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

Table layerConfigTable(const std::vector<AuditedRule> &audit) {
  Table table(
      {Column::text("Op Type / Layer name"), Column::label("Precision")});
  for (const AuditedRule &rule : audit)
    table.addRow({rule.subject.empty() ? rule.selector : rule.subject,
                  describe(rule.requested)});
  return table;
}

Table layerConfigAuditTable(const std::vector<AuditedRule> &audit) {
  Table table({Column::text("Rule"), Column::text("Layers"),
               Column::label("Requested"), Column::label("Granted"),
               Column::text("Reason")});
  for (const AuditedRule &rule : audit) {
    std::string title = rule.number == 0
                            ? rule.words()
                            : fmt::format("{}: {}", rule.number, rule.words());
    std::string requested = describe(rule.requested);
    if (rule.layers.empty())
      table.addRow({title, "none", requested, "", rule.note});
    std::vector<Fate> fates = fatesOf(rule);
    size_t shown = fates.size() > shownRows ? shownRows - 1 : fates.size();
    for (size_t i = 0; i < shown; ++i)
      table.addRow({i == 0 ? title : "", listLayers(fates[i].layers),
                    i == 0 ? requested : "", describe(fates[i].granted),
                    fates[i].reason});
    size_t further = 0;
    for (size_t i = shown; i < fates.size(); ++i)
      further += fates[i].layers.size();
    if (further > 0)
      table.addRow({"", fmt::format("{} further layers", further), "", "",
                    "see layer_config_audit.json"});
  }
  return table;
}

} // namespace parallax
