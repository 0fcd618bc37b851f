//===- Tuning.cpp - What came out of tuning, to read ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The words are those of Neural Compressor, which people and scripts know.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Tuning.h"
#include "EstimateJson.h"
#include "parallax/Analysis/Correlation.h"
#include "parallax/Support/Unicode.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// How many times the cycles of U8; NaN if these are unknown.
double factorOf(const TuningTerms &terms, int64_t cycles) {
  return terms.u8Cycles > 0 ? double(cycles) / double(terms.u8Cycles)
                            : std::nan("");
}

std::string factorText(const TuningTerms &terms, int64_t cycles) {
  double factor = factorOf(terms, cycles);
  return std::isnan(factor) ? "" : fmt::format("{:.3f}", factor);
}

std::string intervalText(const Estimate &estimate) {
  return fmt::format("{} [{}, {}]", formatMetric(estimate.value),
                     formatMetric(estimate.low), formatMetric(estimate.high));
}

/// The pairs of numbers that a correlation is about.
class Predictions {
public:
  /// What is not a number has no rank.
  void add(double predictedValue, double verifiedValue) {
    if (!std::isfinite(predictedValue) || !std::isfinite(verifiedValue))
      return;
    predicted.push_back(predictedValue);
    verified.push_back(verifiedValue);
  }

  /// "Pearson 0.981, Spearman 0.929 over 8 trials".
  std::string text() const {
    // Any two points lie on a line.
    if (predicted.size() < 3)
      return "too few trials to correlate";
    return fmt::format("Pearson {:.3f}, Spearman {:.3f} over {} trials",
                       correlationOf(predicted, verified),
                       correlationOf(ranksOf(predicted), ranksOf(verified)),
                       predicted.size());
  }

  bool empty() const { return predicted.empty(); }

private:
  std::vector<double> predicted, verified;
};

} // namespace

std::string renderMixedPrecision(std::span<const TypeCounts> counts,
                                 const TableStyle &style) {
  Table table({Column::label("Op Type"), Column::number("Total"),
               Column::number("U8"), Column::number("U16"),
               Column::number("FP32")});
  for (const TypeCounts &count : counts)
    table.addRow({count.opType, formatCount(count.total), formatCount(count.u8),
                  formatCount(count.u16), formatCount(count.fp32)});
  return "Mixed Precision Statistics\n" + table.render(style);
}

std::string tuneResultLine(const TuningTerms &terms, const TunedNetwork &latest,
                           const TunedNetwork *best) {
  return fmt::format(
      "Tune {} result is: [Accuracy (U8|FP32): {}|{}, {} {}], Best tune result "
      "is: {}",
      latest.trial, formatMetric(latest.metric.value),
      formatMetric(terms.floatMetric), terms.objective, latest.cycles,
      best ? fmt::format("[Accuracy: {}, {}: {}]",
                         formatMetric(best->metric.value), terms.objective,
                         best->cycles)
           : "n/a");
}

std::string renderTuneResult(const TuningTerms &terms,
                             const TunedNetwork &latest,
                             const TunedNetwork *best,
                             const TableStyle &style) {
  Table table({Column::label("Info Type"), Column::number("Baseline"),
               Column::number(fmt::format("Tune {} result", latest.trial)),
               Column::number("Best tune result")});
  table.addRow({"Accuracy", formatMetric(terms.floatMetric),
                formatMetric(latest.metric.value),
                best ? formatMetric(best->metric.value) : "n/a"});
  // The float network does not run on the NPU.
  table.addRow({terms.objective, "-", formatCount(latest.cycles),
                best ? formatCount(best->cycles) : "n/a"});
  table.addRow({"Factor of U8", "-", factorText(terms, latest.cycles),
                best ? factorText(terms, best->cycles) : "n/a"});
  return "Tune Result Statistics\n" + table.render(style);
}

std::string renderFront(const TuningTerms &terms,
                        std::span<const TunedNetwork> front,
                        const TableStyle &style) {
  Table table(
      {Column::number(terms.objective), Column::number("Factor of U8"),
       Column::number(terms.hasIntervals ? terms.metric + " [95 % interval]"
                                         : terms.metric),
       Column::number("Predicted", 2), Column::number("Wide layers", 1),
       Column::number("Trial")});
  for (const TunedNetwork &point : front)
    table.addRow(
        {formatCount(point.cycles), factorText(terms, point.cycles),
         terms.hasIntervals ? intervalText(point.metric)
                            : formatMetric(point.metric.value),
         point.predictedMetric ? formatMetric(*point.predictedMetric) : "",
         formatCount(point.wideLayers), fmt::format("{}", point.trial)});
  return fmt::format("{} against {} (float: {})\n", terms.objective,
                     printable(terms.metric), formatMetric(terms.floatMetric)) +
         table.render(style);
}

std::string frontCsv(const TuningTerms &terms,
                     std::span<const TunedNetwork> front) {
  Table table({Column::number("cycles"), Column::number("factor"),
               Column::number("metric"), Column::number("metric_low"),
               Column::number("metric_high"),
               Column::number("predicted_metric"),
               Column::number("wide_layers"), Column::number("trial")});
  auto number = [](auto value) { return fmt::format("{}", value); };
  for (const TunedNetwork &point : front)
    table.addRow({number(point.cycles), number(factorOf(terms, point.cycles)),
                  number(point.metric.value),
                  terms.hasIntervals ? number(point.metric.low) : "",
                  terms.hasIntervals ? number(point.metric.high) : "",
                  point.predictedMetric ? number(*point.predictedMetric) : "",
                  number(point.wideLayers), number(point.trial)});
  return table.toCsv();
}

std::string frontJson(const TuningTerms &terms,
                      std::span<const TunedNetwork> front) {
  Json points = Json::array();
  for (const TunedNetwork &point : front) {
    Json json{{"cycles", point.cycles},
              {"factor", factorOf(terms, point.cycles)},
              {"metric", estimateJson(point.metric, terms.hasIntervals)}};
    if (point.predictedMetric)
      json["predicted_metric"] = *point.predictedMetric;
    json["wide_layers"] = point.wideLayers;
    json["trial"] = point.trial;
    points.push_back(std::move(json));
  }
  Json json{{"format", "parallax-tuning-front"},
            {"version", 1},
            {"metric", terms.metric},
            {"objective", terms.objective},
            {"float_metric", terms.floatMetric},
            {"u8_cycles", terms.u8Cycles},
            {"points", points}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string renderPredictions(const TuningTerms &terms,
                              std::span<const TunedNetwork> trials,
                              const TableStyle &style) {
  Table table({Column::number("Trial"), Column::text("Purpose", 1),
               Column::number("Predicted " + terms.metric),
               Column::number("Verified"), Column::number("Difference"),
               Column::number("Predicted " + terms.objective),
               Column::number("Verified")});
  Predictions metrics, cycles;
  for (const TunedNetwork &trial : trials) {
    if (!trial.predictedMetric && !trial.predictedCycles)
      continue;
    std::vector<Cell> row = {fmt::format("{}", trial.trial), trial.purpose};
    if (trial.predictedMetric) {
      metrics.add(*trial.predictedMetric, trial.metric.value);
      double difference = trial.metric.value - *trial.predictedMetric;
      row.insert(row.end(),
                 {formatMetric(*trial.predictedMetric),
                  formatMetric(trial.metric.value),
                  std::isfinite(difference) ? fmt::format("{:+.4f}", difference)
                                            : "NaN"});
    } else {
      row.insert(row.end(), {"", formatMetric(trial.metric.value), ""});
    }
    if (trial.predictedCycles)
      cycles.add(double(*trial.predictedCycles), double(trial.cycles));
    row.emplace_back(trial.predictedCycles ? formatCount(*trial.predictedCycles)
                                           : "");
    row.emplace_back(formatCount(trial.cycles));
    table.addRow(std::move(row));
  }
  if (table.rowCount() == 0)
    return "";
  std::string text =
      "Predictions against verified values\n" + table.render(style);
  if (!metrics.empty())
    text += fmt::format("{}: {}.\n", printable(terms.metric), metrics.text());
  if (!cycles.empty())
    text += fmt::format("{}: {}.\n", terms.objective, cycles.text());
  return text;
}

} // namespace parallax
