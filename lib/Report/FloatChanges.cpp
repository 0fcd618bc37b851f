//===- FloatChanges.cpp - Changes of a network, to read -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One table per kind of change, and all of them as JSON.
//===----------------------------------------------------------------------===//
#include "parallax/Report/FloatChanges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

std::string change(double before, double after) {
  return fmt::format("{} → {}", formatNumber(before), formatNumber(after));
}

Cell verdict(bool kept) {
  return kept ? Cell("kept", Tint::Good) : Cell("undone", Tint::Dim);
}

Json toJsonObject(const ScaledPair &pair) {
  Json object = {{"producer", pair.producer},
                 {"tensor", pair.tensor},
                 {"consumers", pair.consumers}};
  if (pair.alpha)
    object["strength"] = *pair.alpha;
  object["outliers"] = {{"before", pair.outliersBefore},
                        {"after", pair.outliersAfter}};
  object["error"] = {{"before", pair.errorBefore}, {"after", pair.errorAfter}};
  object["kept"] = pair.kept;
  return object;
}

Json toJsonObject(const TunedRange &range) {
  return {
      {"tensor", range.tensor},
      {"consumers", range.consumers},
      {"part", range.part},
      {"error", {{"before", range.errorBefore}, {"after", range.errorAfter}}},
      {"kept", range.kept}};
}

Json toJsonObject(const NetworkVerdict &verdict) {
  return {{"change", verdict.change},
          {"error",
           {{"before", verdict.errorBefore}, {"after", verdict.errorAfter}}},
          {"kept", verdict.kept}};
}

Json toJsonObject(const CorrectedLayer &layer) {
  return {
      {"layer", layer.layer},
      {"channels", layer.channels},
      {"shift", layer.shift},
      {"error", {{"before", layer.errorBefore}, {"after", layer.errorAfter}}},
      {"kept", layer.kept}};
}

template <typename T> Json toJsonList(const std::vector<T> &entries) {
  Json list = Json::array();
  for (const T &entry : entries)
    list.push_back(toJsonObject(entry));
  return list;
}

} // namespace

Table scaledPairTable(const std::vector<ScaledPair> &pairs) {
  Table table({Column::text("Tensor"), Column::text("Producer", 1),
               Column::text("Consumers", 2), Column::number("Strength", 3),
               Column::label("Outliers"), Column::label("Error"),
               Column::label("Verdict")});
  for (const ScaledPair &pair : pairs)
    table.addRow({pair.tensor, pair.producer,
                  fmt::format("{}", fmt::join(pair.consumers, ", ")),
                  pair.alpha ? formatNumber(*pair.alpha) : "",
                  change(pair.outliersBefore, pair.outliersAfter),
                  change(pair.errorBefore, pair.errorAfter),
                  verdict(pair.kept)});
  return table;
}

Table correctedLayerTable(const std::vector<CorrectedLayer> &layers) {
  Table table({Column::text("Layer"), Column::number("Channels", 1),
               Column::number("Shift"), Column::label("Error"),
               Column::label("Verdict")});
  for (const CorrectedLayer &layer : layers)
    table.addRow({layer.layer, fmt::format("{}", layer.channels),
                  formatNumber(layer.shift),
                  change(layer.errorBefore, layer.errorAfter),
                  verdict(layer.kept)});
  return table;
}

Table tunedRangeTable(const std::vector<TunedRange> &ranges) {
  Table table({Column::text("Tensor"), Column::text("Consumers", 1),
               Column::number("Part of the range"), Column::label("Error"),
               Column::label("Verdict")});
  for (const TunedRange &range : ranges)
    table.addRow(
        {range.tensor, fmt::format("{}", fmt::join(range.consumers, ", ")),
         formatNumber(range.part), change(range.errorBefore, range.errorAfter),
         verdict(range.kept)});
  return table;
}

Table verdictTable(const std::vector<NetworkVerdict> &verdicts) {
  Table table({Column::label("Change"), Column::label("Error of the outputs"),
               Column::label("Verdict")});
  for (const NetworkVerdict &entry : verdicts)
    table.addRow({entry.change, change(entry.errorBefore, entry.errorAfter),
                  verdict(entry.kept)});
  return table;
}

std::string toJson(const FloatChanges &changes) {
  Json object = {{"equalization", toJsonList(changes.equalized)},
                 {"smooth_quant", toJsonList(changes.smoothed)},
                 {"easy_quant", toJsonList(changes.tuned)},
                 {"bias_correction", toJsonList(changes.corrected)},
                 {"whole_network", toJsonList(changes.verdicts)}};
  // Names come from the model and need not be UTF-8.
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

} // namespace parallax
