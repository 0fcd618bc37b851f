//===- PrecisionFiles.cpp - A precision analysis for programs -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// JSON and CSV have the same numbers under the same names, from one list.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// Of the JSON file; grows if a field changes its meaning or goes away.
constexpr int schemaVersion = 1;

/// JSON has no infinities, and null would not say which one.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

struct MetricField {
  const char *name;
  Json (*value)(const ComparisonResult &metrics);
  /// Integers and truth values have none; it is null there.
  bool isDistance = false;
};

constexpr MetricField metricFields[] = {
    {"cosine", [](auto &m) { return number(m.cosine); }, true},
    {"mse", [](auto &m) { return number(m.mse); }, true},
    {"similarity", [](auto &m) { return number(similarityOf(m)); }},
    {"sqnr_db", [](auto &m) { return number(m.sqnrDb); }, true},
    {"max_abs", [](auto &m) { return number(m.maxAbs); }, true},
    {"max_steps", [](auto &m) { return number(m.maxSteps); }, true},
    {"worst_sample", [](auto &m) { return Json(m.worstSample); }},
    {"worst_sample_cosine",
     [](auto &m) { return number(m.worstSampleCosine); }},
    {"channels", [](auto &m) { return Json(m.channels); }},
    {"worst_channel", [](auto &m) { return Json(m.worstChannel); }},
    {"worst_channel_cosine",
     [](auto &m) { return number(m.worstChannelCosine); }},
    {"dead_channels", [](auto &m) { return Json(m.deadChannels); }},
    {"sparse_channels", [](auto &m) { return Json(m.sparseChannels); }},
    {"saturated", [](auto &m) { return number(m.saturated); }},
    {"rows", [](auto &m) { return Json(m.rows); }},
    {"agreement",
     [](auto &m) { return m.rows > 0 ? number(m.agreement) : Json(); }},
    {"is_exact", [](auto &m) { return Json(m.isExact); }},
    {"samples", [](auto &m) { return Json(m.samples); }},
    {"count", [](auto &m) { return Json(m.count); }},
    {"nan_quantized", [](auto &m) { return Json(m.nanA); }},
    {"nan_float", [](auto &m) { return Json(m.nanB); }},
    {"inf_quantized", [](auto &m) { return Json(m.infA); }},
    {"inf_float", [](auto &m) { return Json(m.infB); }},
    {"special", [](auto &m) { return Json(m.special); }},
};

/// The first ones are in the CSV file as Cosin and MSE.
constexpr auto csvFields = std::span(metricFields).subspan<2>();

Json valueOf(const MetricField &field, const ComparisonResult &metrics) {
  return field.isDistance && metrics.isExact ? Json() : field.value(metrics);
}

std::string csvText(const Json &value) {
  if (value.is_null())
    return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json rowObject(const PrecisionRow &row) {
  Json object = {{"operator", row.node},     {"type", row.type},
                 {"tensor", row.tensor},     {"shape", row.shape},
                 {"dtype", row.floatType},   {"qdtype", row.quantType},
                 {"is_output", row.isOutput}};
  for (const MetricField &field : metricFields)
    object[field.name] = valueOf(field, row.metrics);
  return object;
}

Json tableObject(const PrecisionTable &table) {
  Json rows = Json::array();
  for (const PrecisionRow &row : table.rows)
    rows.push_back(rowObject(row));
  return {{"method", nameOf(table.method)},
          {"mode", nameOf(table.mode)},
          {"rows", std::move(rows)},
          {"unmatched", table.unmatched}};
}

Json outlierObject(const OutlierRow &row) {
  Json object = {{"tensor", row.tensor},
                 {"channels", row.channels},
                 {"sparse", number(row.sparse)}};
  for (size_t i = 0; i < std::size(row.level); ++i)
    object[fmt::format("level_{}", i + 3)] = number(row.level[i]);
  return object;
}

} // namespace

std::string precisionJson(const PrecisionReport &report) {
  Json file = {{"schema", schemaVersion},
               {"samples", report.samples},
               {"sample_source", report.sampleSource},
               {"thresholds",
                {{"output", outputThreshold},
                 {"layer", layerThreshold},
                 {"fall", fallThreshold}}},
               {"passes", passes(report, outputThreshold)},
               {"verdict", verdictText(report)},
               {"tables", Json::array()},
               {"outliers", Json::array()}};
  for (const PrecisionTable &table : report.tables)
    file["tables"].push_back(tableObject(table));
  for (const OutlierRow &row : report.outliers)
    file["outliers"].push_back(outlierObject(row));
  // Names come from models, and may hold bytes that are no UTF-8.
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string precisionTableCsv(const PrecisionReport &report) {
  std::vector<Column> columns;
  for (const char *title :
       {"Method", "Mode", "Operator", "Type", "Output Tensor", "Shape", "DType",
        "QDType", "Cosin", "MSE", "is_output"})
    columns.push_back(Column::label(title));
  for (const MetricField &field : csvFields)
    columns.push_back(Column::number(field.name));
  Table csv(std::move(columns));
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows) {
      const ComparisonResult &metrics = row.metrics;
      std::vector<Cell> cells = {
          std::string(nameOf(table.method)),
          std::string(nameOf(table.mode)),
          row.node,
          row.type,
          row.tensor,
          shapeText(row.shape),
          row.floatType,
          row.quantType,
          csvText(number(metrics.isExact ? metrics.agreement : metrics.cosine)),
          metrics.isExact ? "" : csvText(number(metrics.mse)),
          row.isOutput ? "true" : "false"};
      for (const MetricField &field : csvFields)
        cells.emplace_back(csvText(valueOf(field, metrics)));
      csv.addRow(std::move(cells));
    }
  return csv.toCsv();
}

} // namespace parallax
