//===- PrecisionTable.cpp - A precision analysis for people ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Columns are a list of headings and of what a row shows under them, so that
// the short and the full table cannot drift apart.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"
#include "parallax/Support/Unicode.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <span>

namespace parallax {
namespace {

/// What a screen shows of a list of names.
constexpr size_t namesOnScreen = 8;

struct Field {
  Column column;
  std::string (*show)(const PrecisionRow &row);
};

constexpr const char *notApplicable = "-";

/// Five decimals, as long as that is readable.
std::string fiveDecimals(double value) {
  return std::abs(value) < 1e9 ? fmt::format("{:.5f}", value)
                               : fmt::format("{:.5e}", value);
}

/// A share that is not zero never looks like zero.
std::string partText(double part) {
  return part > 0 && part < 0.0005 ? "< 0.1 %" : formatPercent(part);
}

/// "0.98123 (3)": a cosine, and the index of whom it belongs to.
std::string worstText(double cosine, int64_t index) {
  return index < 0 ? notApplicable
                   : fmt::format("{} ({})", formatFraction(cosine, 5), index);
}

/// Integers and truth values have no distance to show.
std::string distanceText(const ComparisonResult &metrics, std::string text) {
  return metrics.isExact ? notApplicable : text;
}

std::string stepsText(const ComparisonResult &metrics) {
  bool hasCodes = metrics.maxSteps > 0 || metrics.maxAbs == 0;
  return distanceText(metrics, hasCodes
                                   ? fmt::format("{:.2f}", metrics.maxSteps)
                                   : notApplicable);
}

int64_t movedRows(const ComparisonResult &metrics) {
  return std::llround(double(metrics.rows) * (1 - metrics.agreement));
}

const std::vector<Field> &fields() {
  using Row = const PrecisionRow &;
  static const std::vector<Field> list = {
      {Column::text("Operator"), [](Row row) { return row.node; }},
      {Column::label("Type", 5), [](Row row) { return row.type; }},
      {Column::text("Output Tensor", 3), [](Row row) { return row.tensor; }},
      {Column::label("Shape", 4), [](Row row) { return shapeText(row.shape); }},
      {Column::label("DType", 6), [](Row row) { return row.floatType; }},
      {Column::label("QDType", 2), [](Row row) { return row.quantType; }},
      {Column::number("Cosin"), [](Row row) { return cosineText(row); }},
      {Column::number("MSE", 1),
       [](Row row) {
         return distanceText(row.metrics, fiveDecimals(row.metrics.mse));
       }},
      {Column::number("SQNR dB", 7),
       [](Row row) {
         return distanceText(row.metrics,
                             fmt::format("{:.2f}", row.metrics.sqnrDb));
       }},
      {Column::number("Max Error", 11),
       [](Row row) { return stepsText(row.metrics); }},
      {Column::number("Worst Sample", 12),
       [](Row row) {
         return worstText(row.metrics.worstSampleCosine,
                          row.metrics.worstSample);
       }},
      {Column::number("Worst Channel", 8),
       [](Row row) {
         return worstText(row.metrics.worstChannelCosine,
                          row.metrics.worstChannel);
       }},
      {Column::number("Saturated", 10),
       [](Row row) {
         return distanceText(row.metrics, partText(row.metrics.saturated));
       }},
      {Column::number("Dead Channels", 9),
       [](Row row) {
         const ComparisonResult &metrics = row.metrics;
         return metrics.channels > 0
                    ? fmt::format("{}/{}", metrics.deadChannels,
                                  metrics.channels)
                    : std::string(notApplicable);
       }},
      {Column::number("Argmax", 13),
       [](Row row) {
         const ComparisonResult &metrics = row.metrics;
         return metrics.isExact || metrics.rows == 0
                    ? std::string(notApplicable)
                    : fmt::format("{}/{}", metrics.rows - movedRows(metrics),
                                  metrics.rows);
       }},
      {Column::number("Cycles", 14),
       [](Row row) {
         return row.cycles > 0 ? fmt::format("{}", row.cycles)
                               : std::string(notApplicable);
       }},
  };
  return list;
}

/// Where the columns end that the table has in any case.
constexpr size_t basicFields = 8;

Tint tintOf(const ComparisonResult &metrics) {
  double similarity = similarityOf(metrics);
  if (similarity >= layerThreshold)
    return Tint::Plain;
  return similarity >= outputThreshold ? Tint::Warning : Tint::Bad;
}

std::string listed(std::span<const std::string> names, size_t maxNames) {
  size_t shown = std::min(names.size(), maxNames);
  std::string text;
  for (const std::string &name : names.first(shown))
    text += (text.empty() ? "" : ", ") + printable(name);
  if (shown < names.size())
    text += fmt::format("{}{} more", shown > 0 ? " and " : "",
                        names.size() - shown);
  return text;
}

std::string specialsNote(const PrecisionRow &row) {
  const ComparisonResult &metrics = row.metrics;
  std::string text = fmt::format(
      "NaN/Inf: {} has {} NaN and {} Inf in the quantized network, {} NaN and "
      "{} Inf in the float network; {} pairs are in no number of the table",
      printable(row.tensor), metrics.nanA, metrics.infA, metrics.nanB,
      metrics.infB, metrics.special);
  if (metrics.unequal > 0)
    text += fmt::format(", {} of them differ", metrics.unequal);
  return text + ".\n";
}

} // namespace

std::string shapeText(const Shape &shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

std::string cosineText(const PrecisionRow &row) {
  const ComparisonResult &metrics = row.metrics;
  return formatFraction(metrics.isExact ? metrics.agreement : metrics.cosine,
                        5);
}

std::string movedRowsText(const ComparisonResult &metrics) {
  int64_t moved = metrics.isExact ? 0 : movedRows(metrics);
  if (moved == 0)
    return "";
  return fmt::format("the largest element is at another place in {} of {} rows",
                     moved, metrics.rows);
}

std::string precisionTitle(AnalysisMethod method, AnalysisMode mode) {
  return fmt::format("Quant Precision Table【{} {}】", nameOf(method),
                     nameOf(mode));
}

Table precisionTable(const PrecisionTable &table, bool full) {
  auto shown = std::span(fields()).first(full ? fields().size() : basicFields);
  std::vector<Column> columns;
  for (const Field &field : shown)
    columns.push_back(field.column);
  Table result(std::move(columns));
  for (const PrecisionRow &row : table.rows) {
    std::vector<Cell> cells;
    for (const Field &field : shown)
      cells.emplace_back(field.show(row), tintOf(row.metrics));
    result.addRow(std::move(cells));
  }
  return result;
}

std::string precisionNotes(const PrecisionTable &table, size_t maxNames) {
  std::string notes;
  std::vector<std::string> exact;
  size_t withSpecials = 0;
  for (const PrecisionRow &row : table.rows) {
    if (row.metrics.isExact)
      exact.push_back(row.tensor);
    // Only outputs are looked at, so these are few.
    if (std::string moved = movedRowsText(row.metrics); !moved.empty())
      notes += fmt::format("{}: {}.\n", printable(row.tensor), moved);
    if (row.metrics.special > 0 && ++withSpecials <= maxNames)
      notes += specialsNote(row);
  }
  if (withSpecials > maxNames)
    notes += fmt::format("NaN/Inf: {} more.\n", withSpecials - maxNames);
  if (!exact.empty())
    notes += fmt::format("Integers and truth values, of which Cosin is the "
                         "part that is equal: {}.\n",
                         listed(exact, maxNames));
  if (!table.unmatched.empty())
    notes += fmt::format("Not compared, because the quantized network does "
                         "not have them: {}.\n",
                         listed(table.unmatched, maxNames));
  return notes;
}

std::string renderPrecision(const PrecisionTable &table, bool full,
                            const TableStyle &style) {
  size_t maxNames =
      style.width > 0 ? namesOnScreen : std::numeric_limits<size_t>::max();
  return precisionTitle(table.method, table.mode) + "\n" +
         precisionTable(table, full).render(style) +
         precisionNotes(table, maxNames);
}

std::string outlierTitle() {
  return "Ratio of outliers in tensor【 "
         "level=Log(Max_Pertensor/Max_Perchannel) 】";
}

Table outlierTable(const std::vector<OutlierRow> &outliers) {
  std::vector<Column> columns = {Column::text("Op outputs"),
                                 Column::number("Sparse channel ratio", 3)};
  // A narrow screen keeps the first level and the last.
  constexpr int dispensable[] = {0, 2, 1, 0};
  for (size_t i = 0; i < std::size(dispensable); ++i)
    columns.push_back(
        Column::number(fmt::format("level>={} ratio", i + 3), dispensable[i]));
  Table table(std::move(columns));
  for (const OutlierRow &row : outliers) {
    std::vector<Cell> cells = {row.tensor, formatFraction(row.sparse, 5)};
    for (double ratio : row.level)
      cells.emplace_back(formatFraction(ratio, 5));
    table.addRow(std::move(cells));
  }
  return table;
}

std::string outlierHint() {
  return "A channel of level n has 2^n times fewer codes than the largest "
         "one: set quant.enable_smooth_quant to true to move such outliers "
         "into the weights.";
}

std::string renderOutliers(const std::vector<OutlierRow> &outliers,
                           const TableStyle &style) {
  if (outliers.empty())
    return "";
  return outlierTitle() + "\n" + outlierTable(outliers).render(style) +
         outlierHint() + "\n";
}

std::string precisionTableText(const PrecisionReport &report, bool full) {
  std::string text;
  for (const PrecisionTable &table : report.tables)
    text += renderPrecision(table, full) + "\n";
  if (!report.outliers.empty())
    text += renderOutliers(report.outliers) + "\n";
  if (!report.waterfall.empty())
    text += renderWaterfall(report.waterfall) + "\n";
  if (report.attribution)
    text += renderAttribution(report, report.attribution->rows.size()) + "\n";
  if (!report.differences.empty())
    text += renderDifferences(report, report.differences.size()) + "\n";
  text += verdictText(report);
  for (const std::string &part :
       {renderDiagnoses(report, report.diagnoses.size()),
        renderSuggestions(report)})
    if (!part.empty())
      text += "\n" + part;
  return text;
}

} // namespace parallax
