//===- PrecisionBits.cpp - Where the bits of the engines differ -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Most differences are harmless ties of rounding, so faults are printed first.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"
#include "parallax/Support/Sort.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace parallax {
namespace {

std::string_view wordsFor(DifferenceClass difference) {
  switch (difference) {
  case DifferenceClass::RoundingTie:
    return "rounding tie";
  case DifferenceClass::Saturation:
    return "saturation";
  case DifferenceClass::TableInterpolation:
    return "table interpolation";
  case DifferenceClass::ScaleOrZeroPoint:
    return "scale or zero point";
  case DifferenceClass::Accumulator:
    return "accumulator";
  case DifferenceClass::ReferenceSum:
    return "floats of the reference";
  case DifferenceClass::ReferenceNotFinite:
    return "NaN of the reference";
  case DifferenceClass::Approximation:
    return "approximation";
  case DifferenceClass::Rounding:
    return "rounding";
  case DifferenceClass::TableEntries:
    return "table entries";
  case DifferenceClass::Layout:
    return "layout";
  }
  return "";
}

/// One of the engines is wrong.
bool isWrong(const BitDifference &row) {
  return isFault(row.difference) || isFaultOfReference(row.difference);
}

double partOf(const BitDifference &row) {
  return row.elements > 0 ? double(row.differing) / double(row.elements) : 0;
}

using Rows = std::vector<const BitDifference *>;

/// All in the order of the network, or the worst of them.
Rows chosenRows(const PrecisionReport &report, size_t maxRows) {
  Rows rows;
  for (const BitDifference &row : report.differences)
    rows.push_back(&row);
  if (rows.size() > maxRows) {
    // Faults in front, then by the part of the elements that differs.
    sortByKey(rows, [](const BitDifference *row) {
      return std::pair(!isWrong(*row), -partOf(*row));
    });
    rows.resize(maxRows);
  }
  return rows;
}

std::string differingText(const BitDifference &row) {
  std::string percent = row.differing < row.elements / 1000
                            ? "< 0.1 %"
                            : formatPercent(partOf(row));
  return fmt::format("{} of {} ({})", row.differing, row.elements, percent);
}

std::string exampleText(const DifferenceExample &example) {
  std::string text = fmt::format("    sample {}, element {}: reference {}, "
                                 "machine {}",
                                 example.sample, shapeText(example.index),
                                 example.reference, example.machine);
  if (example.operands.empty())
    return text + "\n";
  return fmt::format("{}, exact {:.9g}; {}\n", text, example.exact,
                     printable(example.operands));
}

/// Whether layers got the same on both engines, so that they were compared.
bool hasBothModes(const PrecisionReport &report) {
  std::set<std::pair<AnalysisMethod, AnalysisMode>> tables;
  for (const PrecisionTable &table : report.tables)
    tables.emplace(table.method, table.mode);
  using enum AnalysisMode;
  auto isCompared = [&](AnalysisMethod method) {
    return tables.contains({method, Reference}) &&
           tables.contains({method, NPUBackend});
  };
  return isCompared(AnalysisMethod::PerLayer) ||
         isCompared(AnalysisMethod::EndToEnd);
}

std::string nameOfLayer(const BitDifference &row) {
  return printable(row.node.empty() ? row.tensor : row.node);
}

} // namespace

std::string differencesTitle() {
  return "Bits of NPUBackend and Reference, given the same codes";
}

Table differencesTable(const std::vector<const BitDifference *> &rows) {
  Table table({Column::text("Operator"), Column::label("Type", 2),
               Column::text("Output Tensor", 3), Column::number("Differing"),
               Column::number("Max codes"), Column::label("Class"),
               Column::label("First", 1)});
  for (const BitDifference *row : rows) {
    Tint tint = isWrong(*row) ? Tint::Bad : Tint::Plain;
    table.addRow({{row->node, tint},
                  {row->type, tint},
                  {row->tensor, tint},
                  {differingText(*row), tint},
                  {std::to_string(row->maxCodes), tint},
                  {std::string(wordsFor(row->difference)), tint},
                  {row->isFirst ? "yes" : "", tint}});
  }
  return table;
}

std::string renderDifferences(const PrecisionReport &report, size_t maxRows,
                              const TableStyle &style) {
  if (report.differences.empty())
    return "";
  Rows rows = chosenRows(report, maxRows);
  std::string text =
      differencesTitle() + "\n" + differencesTable(rows).render(style);
  if (rows.size() < report.differences.size())
    text += fmt::format("{} more layers differ less.\n",
                        report.differences.size() - rows.size());
  // A screen has room for the examples of what is wrong.
  for (const BitDifference *row : rows)
    if (!row->examples.empty() && (style.width == 0 || isWrong(*row))) {
      text += fmt::format("  {}:\n", printable(row->tensor));
      for (const DifferenceExample &example : row->examples)
        text += exampleText(example);
    }
  return text;
}

/// Layers of which nothing is known.
static std::string unexaminedText(const PrecisionReport &report) {
  constexpr size_t most = 8;
  size_t count = report.unexamined.size();
  return count == 0
             ? ""
             : fmt::format("Not judged: {} layer{} that the engines had given "
                           "other codes to read: {}.\n",
                           count, count == 1 ? "" : "s",
                           listed(report.unexamined, most));
}

static std::string judgedDifferences(const PrecisionReport &report) {
  std::string head = "Bits, NPUBackend against Reference: ";
  if (report.differences.empty())
    return fmt::format("{}the same in all {}layers.\n", head,
                       report.unexamined.empty() ? "" : "other ");
  Rows faults, ofReference;
  std::string first;
  for (const BitDifference &row : report.differences) {
    if (isFault(row.difference))
      faults.push_back(&row);
    if (isFaultOfReference(row.difference))
      ofReference.push_back(&row);
    if (row.isFirst && first.empty())
      first = fmt::format(" End to end, the first is {}.", nameOfLayer(row));
  }
  if (faults.empty() && ofReference.empty())
    return fmt::format("{}{} layers differ, none by more than its arithmetic "
                       "allows.{}\n",
                       head, report.differences.size(), first);
  std::string text;
  auto add = [&](const Rows &rows, std::string_view what) {
    if (rows.empty())
      return;
    text += fmt::format("{}{} in {} of {} layers that differ.{}\n", head, what,
                        rows.size(), report.differences.size(), first);
    for (const BitDifference *row : rows)
      text += fmt::format("  {}: {}; {} elements differ, by up to {} codes\n",
                          nameOfLayer(*row), wordsFor(row->difference),
                          differingText(*row), row->maxCodes);
  };
  add(faults, "NPUBackend does not compute what it should");
  add(ofReference, "Reference does not compute what it should, and NPUBackend "
                   "does,");
  return text;
}

std::string differencesVerdict(const PrecisionReport &report) {
  return hasBothModes(report)
             ? judgedDifferences(report) + unexaminedText(report)
             : "";
}

} // namespace parallax
