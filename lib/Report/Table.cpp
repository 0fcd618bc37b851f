//===- Table.cpp - Tables for terminals and spreadsheets ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Cells are UTF-8 from outside; their width is counted in terminal cells and
// control characters never reach the terminal (Unicode.h).
//===----------------------------------------------------------------------===//
#include "parallax/Report/Table.h"
#include "parallax/Support/SafeText.h"
#include "parallax/Support/Terminal.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace parallax {
namespace {

/// Shorter names can no longer be told apart.
constexpr int minTextWidth = 16;

struct Frame {
  std::string_view left, middle, right;
};
constexpr Frame top = {"┌", "┬", "┐"}, rule = {"├", "┼", "┤"},
                bottom = {"└", "┴", "┘"};

std::string_view escapeOf(Tint tint) {
  switch (tint) {
  case Tint::Good:
    return ansi::green;
  case Tint::Bad:
    return ansi::red;
  case Tint::Warning:
    return ansi::yellow;
  case Tint::Dim:
    return ansi::dim;
  case Tint::Bold:
    return ansi::bold;
  case Tint::Plain:
    break;
  }
  return "";
}

/// The columns that are drawn, and their widths without the padding.
struct Layout {
  std::vector<size_t> shown;
  std::vector<int> widths;
  /// How much of a shortened cell is its end.
  std::vector<double> tailParts = std::vector<double>(widths.size(), 0.5);

  int totalWidth() const {
    int frames = 3 * int(shown.size()) + 1;
    return std::accumulate(
        shown.begin(), shown.end(), frames,
        [&](int sum, size_t column) { return sum + widths[column]; });
  }

  void appendRule(std::string &text, const Frame &frame) const {
    std::string_view joint = frame.left;
    for (size_t column : shown) {
      text += joint;
      for (int cell = 0; cell < widths[column] + 2; ++cell)
        text += "─";
      joint = frame.middle;
    }
    text.append(frame.right).append("\n");
  }

  void appendCell(std::string &text, size_t column, const Cell &cell,
                  Align align, bool color) const {
    std::string content = elide(cell.text, widths[column], tailParts[column]);
    std::string padding(size_t(widths[column] - displayWidth(content)), ' ');
    std::string_view escape = color ? escapeOf(cell.tint) : "";
    if (!escape.empty())
      content = fmt::format("{}{}{}", escape, content, ansi::reset);
    bool right = align == Align::Right;
    text.append("│ ").append(right ? padding : content);
    text.append(right ? content : padding).append(" ");
  }
};

/// Takes cells from the widest text column until the table fits, or reports
/// that it can't.
bool shrinkToFit(Layout &layout, const std::vector<Column> &columns,
                 int available) {
  for (int excess = layout.totalWidth() - available; excess > 0; --excess) {
    size_t widest = columns.size();
    for (size_t column : layout.shown)
      if (columns[column].shrinks &&
          layout.widths[column] >
              std::max(minTextWidth, displayWidth(columns[column].title)) &&
          (widest == columns.size() ||
           layout.widths[column] > layout.widths[widest]))
        widest = column;
    if (widest == columns.size())
      return false;
    --layout.widths[widest];
  }
  return true;
}

/// How many different cells of a column look alike once they are shortened.
size_t collisionsIn(const std::vector<std::vector<Cell>> &rows, size_t column,
                    int width, double tailPart) {
  std::set<std::string_view> cells;
  std::set<std::string> shortened;
  for (const auto &row : rows)
    if (cells.insert(row[column].text).second)
      shortened.insert(elide(row[column].text, width, tailPart));
  return cells.size() - shortened.size();
}

/// Names of layers often begin alike: more of their ends is kept where that
/// tells more rows apart.
void chooseTails(Layout &layout, const std::vector<Column> &columns,
                 const std::vector<std::vector<Cell>> &rows) {
  for (size_t column : layout.shown) {
    if (!columns[column].shrinks)
      continue;
    size_t fewest = rows.size() + 1;
    for (double tailPart : {0.5, 0.75, 1.0}) {
      size_t collisions =
          collisionsIn(rows, column, layout.widths[column], tailPart);
      if (collisions >= fewest)
        continue;
      fewest = collisions;
      layout.tailParts[column] = tailPart;
    }
  }
}

Layout layOut(const std::vector<Column> &columns,
              const std::vector<std::vector<Cell>> &rows, int available) {
  std::vector<int> widths;
  for (const Column &column : columns)
    widths.push_back(displayWidth(printable(column.title)));
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] =
          std::max(widths[column], displayWidth(printable(row[column].text)));

  // Columns enter by importance, each if it fits beside those before it.
  std::vector<size_t> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(columns[a].dispensable, a) <
           std::pair(columns[b].dispensable, b);
  });
  Layout layout;
  for (size_t column : order) {
    Layout candidate{layout.shown, widths};
    candidate.shown.insert(std::upper_bound(candidate.shown.begin(),
                                            candidate.shown.end(), column),
                           column);
    bool fits = available <= 0 || shrinkToFit(candidate, columns, available);
    if (fits || columns[column].dispensable == 0)
      layout = std::move(candidate);
  }
  if (available > 0)
    chooseTails(layout, columns, rows);
  return layout;
}

} // namespace

void Table::addRow(std::vector<Cell> cells) {
  assert(cells.size() <= columns.size());
  cells.resize(columns.size(), Cell(""));
  rows.push_back(std::move(cells));
}

std::string Table::render(const TableStyle &style) const {
  Layout layout = layOut(columns, rows, style.width);
  std::string text, hidden;
  layout.appendRule(text, top);
  for (size_t column : layout.shown)
    layout.appendCell(text, column, Cell(columns[column].title, Tint::Bold),
                      columns[column].align, style.color);
  text += "│\n";
  layout.appendRule(text, rule);
  for (const auto &row : rows) {
    for (size_t column : layout.shown)
      layout.appendCell(text, column, row[column], columns[column].align,
                        style.color);
    text += "│\n";
  }
  layout.appendRule(text, bottom);

  for (size_t column = 0; column < columns.size(); ++column)
    if (std::find(layout.shown.begin(), layout.shown.end(), column) ==
        layout.shown.end())
      hidden += (hidden.empty() ? "" : ", ") + printable(columns[column].title);
  if (!hidden.empty())
    text += fmt::format("Left out to fit {} characters: {}.\n", style.width,
                        hidden);
  return text;
}

std::string Table::toCsv() const {
  std::string text;
  auto appendField = [&](size_t column, std::string_view field) {
    text += safeText(TextKind::CsvField, field) +
            (column + 1 < columns.size() ? "," : "\n");
  };
  for (size_t column = 0; column < columns.size(); ++column)
    appendField(column, columns[column].title);
  for (const auto &row : rows)
    for (size_t column = 0; column < columns.size(); ++column)
      appendField(column, row[column].text);
  return text;
}

std::string formatNumber(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

/// `value` in the fixed notation, in which nothing below `limit` is rounded up
/// to it.
static std::string formatBelow(double limit, double value, int decimals) {
  double largest = limit - std::pow(10.0, -decimals);
  if (std::abs(value) < limit)
    value = std::clamp(value, -largest, largest);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string formatFraction(double value, int decimals) {
  return formatBelow(1, value, decimals);
}

std::string formatMetric(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "NaN";
}

std::string formatCount(int64_t value) {
  std::string digits = fmt::format("{}", value);
  for (auto at = int64_t(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

std::string formatPercent(double fraction) {
  return formatBelow(100, 100 * fraction, 1) + " %";
}

} // namespace parallax
