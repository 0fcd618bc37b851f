//===- Table.h - Tables for terminals and spreadsheets ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All reports are tables of the same look. A table is filled once, and then
// drawn for a person or written as CSV for a program.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_TABLE_H
#define PARALLAX_REPORT_TABLE_H

#include "parallax/Support/Listener.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

enum class Align { Left, Right };
enum class Tint { Plain, Good, Bad, Warning, Dim, Bold };

struct Column {
  std::string title;
  Align align = Align::Left;
  /// Text may be shortened to fit the terminal; numbers never are.
  bool shrinks = false;
  /// Which columns are left out where even shortened text does not fit: those
  /// of the largest number first; 0 is always shown.
  int dispensable = 0;

  static Column text(std::string title, int dispensable = 0) {
    return {std::move(title), Align::Left, true, dispensable};
  }
  static Column number(std::string title, int dispensable = 0) {
    return {std::move(title), Align::Right, false, dispensable};
  }
  static Column label(std::string title, int dispensable = 0) {
    return {std::move(title), Align::Left, false, dispensable};
  }
};

struct Cell {
  Cell(std::string text, Tint tint = Tint::Plain)
      : text(std::move(text)), tint(tint) {}
  Cell(const char *text) : text(text) {}

  std::string text;
  Tint tint = Tint::Plain;
};

using TableStyle = TextStyle;

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns(std::move(columns)) {}

  /// Missing cells at the end are empty; more cells than columns are an error
  /// of the program.
  void addRow(std::vector<Cell> cells);
  size_t rowCount() const { return rows.size(); }

  /// The table in box-drawing characters, each line ended by a line feed. A
  /// last line names the columns that had to be left out.
  std::string render(const TableStyle &style = {}) const;

  /// RFC 4180 with line feeds; texts in full, and none is a formula.
  std::string toCsv() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Three significant digits, or `digits` of them: "0", "0.25", "1.2e-07".
std::string formatNumber(double value, int digits = 3);

/// A fraction or cosine with `decimals` digits. Only 1 itself is shown as 1:
/// what would round up to it stays below.
std::string formatFraction(double value, int decimals = 6);

/// A metric of a task: "0.4461", or "NaN".
std::string formatMetric(double value);

/// "450,182".
std::string formatCount(int64_t value);

/// "99.9 %"; only 1 itself is shown as 100.0 %.
std::string formatPercent(double fraction);

} // namespace parallax

#endif // PARALLAX_REPORT_TABLE_H
