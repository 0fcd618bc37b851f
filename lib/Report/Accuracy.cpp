//===- Accuracy.cpp - How well networks do their task, to read ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What somebody wants to know first: the metric in all columns, what was lost,
// and where to look.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Accuracy.h"
#include "EstimateJson.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// What a screen shows of classes and samples.
constexpr size_t shownAccuracyRows = 5;

std::string lossWithInterval(const Accuracy &accuracy,
                             const MetricResult &metric) {
  if (!accuracy.hasIntervals)
    return formatMetric(metric.loss.value);
  return fmt::format("{} [{}, {}]", formatMetric(metric.loss.value),
                     formatMetric(metric.loss.low),
                     formatMetric(metric.loss.high));
}

Tint verdictTint(AccuracyVerdict verdict) {
  return verdict == AccuracyVerdict::Good  ? Tint::Good
         : verdict == AccuracyVerdict::Bad ? Tint::Bad
                                           : Tint::Warning;
}

std::string renderClasses(const Accuracy &accuracy, const TableStyle &style) {
  std::vector<Column> columns = {Column::text("Classes that lose most"),
                                 Column::number("In labels")};
  for (const NetworkAccuracy &network : accuracy.networks)
    columns.push_back(Column::number(network.network));
  Table table(std::move(columns));
  for (const ClassAccuracy &own : accuracy.classes) {
    if (table.rowCount() == shownAccuracyRows ||
        !(own.values.front() > own.values.back()))
      break;
    std::vector<Cell> cells = {own.name,
                               own.count > 0 ? std::to_string(own.count) : ""};
    for (double value : own.values)
      cells.emplace_back(formatMetric(value));
    table.addRow(std::move(cells));
  }
  return table.rowCount() > 0 ? table.render(style) : "";
}

std::string renderChanges(const Accuracy &accuracy, const TableStyle &style) {
  if (accuracy.changed.empty())
    return "";
  Table table({Column::text("Samples with another answer"),
               Column::text("Expected"),
               Column::text(accuracy.networks.front().network),
               Column::text(accuracy.networks.back().network)});
  for (const ChangedAnswer &change : accuracy.changed) {
    if (table.rowCount() == shownAccuracyRows)
      break;
    table.addRow({change.sample, change.expected, change.before, change.after});
  }
  std::string text = table.render(style);
  if (accuracy.changedCount > int64_t(table.rowCount()))
    text += fmt::format("{} of {} samples have another answer.\n",
                        accuracy.changedCount, accuracy.samples);
  return text;
}

} // namespace

Table accuracyTable(const Accuracy &accuracy) {
  std::vector<Column> columns = {Column::label("Metric")};
  for (const NetworkAccuracy &network : accuracy.networks)
    columns.push_back(Column::number(network.network));
  if (accuracy.isCompared())
    columns.push_back(Column::number(
        accuracy.hasIntervals ? "Loss [95 % interval]" : "Loss"));
  Table table(std::move(columns));
  const NetworkAccuracy &last = accuracy.networks.back();
  for (size_t m = 0; m < last.metrics.size(); ++m) {
    std::vector<Cell> cells = {last.metrics[m].title};
    for (const NetworkAccuracy &network : accuracy.networks)
      cells.emplace_back(formatMetric(network.metrics[m].value.value));
    if (accuracy.isCompared())
      cells.emplace_back(lossWithInterval(accuracy, last.metrics[m]),
                         m == 0 ? verdictTint(accuracy.verdict) : Tint::Plain);
    table.addRow(std::move(cells));
  }
  return table;
}

std::string renderAccuracy(const Accuracy &accuracy, const TableStyle &style) {
  std::string text = fmt::format("Accuracy ({}, {} samples)\n", accuracy.task,
                                 accuracy.samples);
  text += accuracyTable(accuracy).render(style);
  if (!accuracy.isCompared()) {
    const MetricResult &metric = accuracy.networks.front().metrics.front();
    if (accuracy.hasIntervals)
      text +=
          fmt::format("With 95 % confidence, {} is between {} and {}.\n",
                      printable(metric.title), formatMetric(metric.value.low),
                      formatMetric(metric.value.high));
    return text;
  }
  text += renderClasses(accuracy, style);
  text += renderChanges(accuracy, style);
  return text + fmt::format("Accuracy is {}.\n", accuracy.sentence);
}

std::string accuracyJson(const Accuracy &accuracy) {
  Json networks = Json::array();
  for (const NetworkAccuracy &network : accuracy.networks) {
    Json metrics = Json::object();
    for (const MetricResult &metric : network.metrics)
      metrics[metric.name] = {
          {"value", estimateJson(metric.value, accuracy.hasIntervals)},
          {"loss", estimateJson(metric.loss, accuracy.hasIntervals)},
          {"higher_is_better", metric.higherIsBetter}};
    networks.push_back({{"network", network.network}, {"metrics", metrics}});
  }
  Json classes = Json::array();
  for (const ClassAccuracy &own : accuracy.classes)
    classes.push_back(
        {{"class", own.name}, {"count", own.count}, {"values", own.values}});
  Json changed = Json::array();
  for (const ChangedAnswer &change : accuracy.changed)
    changed.push_back({{"sample", change.sample},
                       {"expected", change.expected},
                       {"before", change.before},
                       {"after", change.after},
                       {"loss", change.loss}});
  Json json{{"format", "parallax-accuracy"},
            {"version", 1},
            {"task", accuracy.task},
            {"samples", accuracy.samples},
            {"metric", accuracy.networks.front().metrics.front().name},
            {"networks", networks},
            {"tolerable_loss", accuracy.tolerableLoss},
            {"verdict", accuracy.isCompared() ? Json(nameOf(accuracy.verdict))
                                              : Json(nullptr)},
            {"sentence", accuracy.sentence},
            {"classes", classes},
            {"changed_count", accuracy.changedCount},
            {"changed", changed}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json boxesJson(const std::vector<ShownBox> &boxes) {
  auto rounded = [](double pixels) { return std::round(pixels * 10) / 10; };
  Json list = Json::array();
  for (const ShownBox &box : boxes)
    list.push_back(
        {{"class", box.label},
         {"score", std::round(box.score * 1000) / 1000},
         {"box", Json::array({rounded(box.left), rounded(box.top),
                              rounded(box.width), rounded(box.height)})}});
  return list;
}

std::string changedJson(const Accuracy &accuracy) {
  Json samples = Json::array();
  for (const ChangedAnswer &change : accuracy.changed) {
    if (change.expectedBoxes.empty() && change.boxesBefore.empty() &&
        change.boxesAfter.empty())
      continue;
    samples.push_back({{"sample", change.sample},
                       {"loss", change.loss},
                       {"expected", boxesJson(change.expectedBoxes)},
                       {"before", boxesJson(change.boxesBefore)},
                       {"after", boxesJson(change.boxesAfter)}});
  }
  if (samples.empty())
    return "";
  Json json{{"task", accuracy.task}, {"samples", samples}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace parallax
