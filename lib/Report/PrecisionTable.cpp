//===- PrecisionTable.cpp - A precision analysis for people ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The columns are those of PrecisionFields.h, where the fields of the files
// are, so that the short table, the full one and the files cannot drift apart.
//===----------------------------------------------------------------------===//
#include "PrecisionFields.h"
#include "parallax/Analysis/OutputVerdict.h"
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

/// Where the columns end that the table has in any case.
constexpr size_t basicColumns = 8;

/// The columns of the table, and what a row has in them.
class ColumnCollector {
public:
  explicit ColumnCollector(const PrecisionRow &row) { describe(*this, row); }

  std::vector<Column> columns;
  std::vector<std::string> texts;

  template <typename T> void operator()(const std::string &, const T &) {}
  template <typename T> void optional(const std::string &, const T &) {}
  template <typename T> void unless(bool, const std::string &, const T &) {}
  template <typename T> void derived(const std::string &, const T &) {}
  template <typename Show> void column(Column column, const Show &show) {
    columns.push_back(std::move(column));
    texts.push_back(show());
  }
};

Tint tintOf(const ComparisonResult &metrics) {
  double similarity = similarityOf(metrics);
  if (similarity >= layerThreshold)
    return Tint::Plain;
  return similarity >= outputThreshold ? Tint::Warning : Tint::Bad;
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

std::string firstSamplesText(int64_t samples, int64_t all) {
  return samples > 0 && samples < all
             ? fmt::format(" (the first {} of {} samples)", samples, all)
             : "";
}

std::string shapeText(const Shape &shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

std::string fiveDecimals(double value) {
  return std::abs(value) < 1e9 ? fmt::format("{:.5f}", value)
                               : fmt::format("{:.5e}", value);
}

std::string partText(double part) {
  return part > 0 && part < 0.0005 ? "< 0.1 %" : formatPercent(part);
}

std::string partOfText(int64_t part, int64_t whole) {
  return whole > 0 ? fmt::format("{}/{}", part, whole) : "-";
}

std::string worstText(double cosine, int64_t index) {
  return index < 0 ? "-"
                   : fmt::format("{} ({})", formatFraction(cosine, 5), index);
}

std::string stepsText(const ComparisonResult &metrics) {
  bool hasCodes = metrics.maxSteps > 0 || metrics.maxAbs == 0;
  return hasCodes ? fmt::format("{:.2f}", metrics.maxSteps) : "-";
}

int64_t movedRows(const ComparisonResult &metrics) {
  return std::llround(double(metrics.rows) * (1 - metrics.agreement));
}

std::string cosineText(const ComparisonResult &metrics) {
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
  std::vector<Column> columns = ColumnCollector(PrecisionRow()).columns;
  size_t shown = full ? columns.size() : basicColumns;
  columns.erase(columns.begin() + long(shown), columns.end());
  Table result(std::move(columns));
  for (const PrecisionRow &row : table.rows) {
    std::vector<std::string> texts = ColumnCollector(row).texts;
    std::vector<Cell> cells;
    for (size_t i = 0; i < shown; ++i)
      cells.emplace_back(std::move(texts[i]), tintOf(row.metrics));
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

std::string renderOutliers(const PrecisionReport &report,
                           const TableStyle &style) {
  if (report.outliers.empty())
    return "";
  bool isWanted = !report.isSmoothed && !areOutputsGood(report);
  return outlierTitle() + "\n" + outlierTable(report.outliers).render(style) +
         (isWanted ? outlierHint() + "\n" : "");
}

std::string precisionTableText(const PrecisionReport &report, bool full) {
  std::string text = comparedSamples(report) + "\n";
  for (const PrecisionTable &table : report.tables)
    text += renderPrecision(table, full) + "\n";
  if (!report.outliers.empty())
    text += renderOutliers(report) + "\n";
  if (!report.waterfall.empty())
    text += renderWaterfall(report) + "\n";
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
