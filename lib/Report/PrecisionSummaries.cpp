//===- PrecisionSummaries.cpp - Distributions of values and times ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights and activations have the same columns, so that both can be read and
// filtered in the same way. The largest error comes first.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace parallax {
namespace {

/// A tensor of either kind.
struct Line {
  std::string node, tensor;
  Shape shape;
  std::string quantType;
  double mse;
  ValueSummary floats, quantized;
};

constexpr size_t allLines = std::numeric_limits<size_t>::max();
/// The shortest text that stands for exactly this number.
constexpr int allDigits = 0;

std::string numberText(double value, int digits) {
  return digits == allDigits ? fmt::format("{}", value)
                             : formatNumber(value, digits);
}

std::vector<Line> weightLines(const PrecisionReport &report) {
  std::vector<Line> lines;
  for (const WeightRow &row : report.weights)
    lines.push_back({row.node, row.tensor, row.shape, row.quantType, row.mse,
                     row.floats, row.quantized});
  return lines;
}

/// Each layer by itself: what an earlier one lost says nothing of this one.
std::vector<Line> activationLines(const PrecisionReport &report) {
  std::vector<Line> lines;
  auto table = std::ranges::find(report.tables, AnalysisMethod::PerLayer,
                                 &PrecisionTable::method);
  if (table == report.tables.end())
    return lines;
  for (const PrecisionRow &row : table->rows)
    lines.push_back({row.node, row.tensor, row.shape, row.quantType,
                     row.metrics.mse, row.metrics.reference,
                     row.metrics.quantized});
  return lines;
}

void sortByError(std::vector<Line> &lines) {
  // Integers, and tensors without a finite pair, have nothing to summarize.
  std::erase_if(lines, [](const Line &line) { return line.floats.count == 0; });
  std::ranges::sort(lines, [](const Line &a, const Line &b) {
    return std::tie(b.mse, a.node, a.tensor) <
           std::tie(a.mse, b.node, b.tensor);
  });
}

Table summaryTable(const std::vector<Line> &lines, size_t maxLines,
                   int digits) {
  std::vector<Column> columns = {Column::text("OP name"),
                                 Column::number("MSE")};
  int importance = 2;
  for (const char *side : {"Float", "Quantized"})
    for (const char *number : {"min", "max", "mean", "std", "var"})
      columns.push_back(
          Column::number(fmt::format("{} {}", side, number), importance++));
  columns.push_back(Column::number("Min-Max data range", importance++));
  columns.push_back(Column::text("Tensor", 1));
  columns.push_back(Column::label("Shape", importance++));
  columns.push_back(Column::label("QDType", importance++));
  Table table(std::move(columns));
  for (size_t i = 0; i < std::min(lines.size(), maxLines); ++i) {
    const Line &line = lines[i];
    std::vector<Cell> cells = {line.node, numberText(line.mse, digits)};
    for (const ValueSummary &side : {line.floats, line.quantized})
      for (double number :
           {side.min, side.max, side.mean, side.deviation(), side.variance})
        cells.emplace_back(numberText(number, digits));
    cells.emplace_back(numberText(line.floats.max - line.floats.min, digits));
    cells.emplace_back(line.tensor);
    cells.emplace_back(shapeText(line.shape));
    cells.emplace_back(line.quantType);
    table.addRow(std::move(cells));
  }
  return table;
}

std::string summaryCsv(std::vector<Line> lines) {
  sortByError(lines);
  return summaryTable(lines, allLines, allDigits).toCsv();
}

std::string renderSummary(const char *title, std::vector<Line> lines,
                          size_t maxLines, const TableStyle &style) {
  sortByError(lines);
  if (lines.empty())
    return "";
  return fmt::format("{}\n{}", title,
                     summaryTable(lines, maxLines, /*digits=*/5).render(style));
}

} // namespace

std::string weightsTableCsv(const PrecisionReport &report) {
  return summaryCsv(weightLines(report));
}

std::string activationsTableCsv(const PrecisionReport &report) {
  return summaryCsv(activationLines(report));
}

std::string renderWeights(const PrecisionReport &report, size_t maxRows,
                          const TableStyle &style) {
  return renderSummary("Weights summary", weightLines(report), maxRows, style);
}

std::string renderActivations(const PrecisionReport &report, size_t maxRows,
                              const TableStyle &style) {
  return renderSummary("Activations summary", activationLines(report), maxRows,
                       style);
}

std::string profilingTableCsv(const PrecisionReport &report) {
  Table table({Column::text("Operator"),
               Column::number("Total execution time [us]"),
               Column::number("Share"), Column::number("Calls")});
  for (const TimeRow &row : report.times)
    table.addRow({row.name, fmt::format("{:.3f}", row.seconds * 1e6),
                  fmt::format("{:.6f}", row.share),
                  fmt::format("{}", row.calls)});
  return table.toCsv();
}

} // namespace parallax
