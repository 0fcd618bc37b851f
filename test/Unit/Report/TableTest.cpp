//===- TableTest.cpp - Tables for terminals and spreadsheets --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Alignment in every script, narrow terminals, and hostile cells.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Table.h"
#include "Lines.h"
#include "parallax/Support/Unicode.h"

#include <cmath>
#include <fmt/format.h>
#include <set>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

TEST(Table, DrawsAlignedBoxes) {
  Table table({Column::text("Name"), Column::number("N")});
  table.addRow({"conv", "1"});
  table.addRow({"层一", "200"});
  table.addRow({"x"});
  EXPECT_EQ(table.render(), "┌──────┬─────┐\n"
                            "│ Name │   N │\n"
                            "├──────┼─────┤\n"
                            "│ conv │   1 │\n"
                            "│ 层一 │ 200 │\n"
                            "│ x    │     │\n"
                            "└──────┴─────┘\n");
}

TEST(Table, ColorsOnlyOnRequestAndWithoutShiftingColumns) {
  Table table({Column::text("V")});
  table.addRow({Cell("bad", Tint::Bad)});
  EXPECT_EQ(table.render().find('\033'), std::string::npos);
  std::string colored = table.render({.color = true});
  EXPECT_NE(colored.find("│ \033[31mbad\033[0m │"), std::string::npos);
}

TEST(Table, ShrinksTextButNeverNumbers) {
  Table table({Column::text("Name"), Column::number("Value")});
  table.addRow({"a_very_long_layer_name_that_goes_on_output",
                "12345678901234567890.25"});
  std::string text = table.render({.width = 50});
  for (const std::string &line : linesOf(text))
    EXPECT_EQ(displayWidth(line), 50);
  EXPECT_NE(text.find("12345678901234567890.25"), std::string::npos);
  EXPECT_NE(text.find("…"), std::string::npos);
  // Too narrow for anything: numbers are still whole.
  EXPECT_NE(table.render({.width = 3}).find("12345678901234567890.25"),
            std::string::npos);
}

TEST(Table, NarrowColumnsKeepWhatTellsRowsApart) {
  Table table({Column::text("Tensor"), Column::number("N")});
  for (const char *layer : {"0/cv1/conv", "1/cv1/conv", "1/cv2/conv"})
    table.addRow({fmt::format("/model.22/detect/branch.{}/Conv_output_0", layer),
                  "1"});
  std::set<std::string> rows;
  std::vector<std::string> lines = linesOf(table.render({.width = 38}));
  for (size_t i = 3; i + 1 < lines.size(); ++i) {
    EXPECT_EQ(displayWidth(lines[i]), 38);
    rows.insert(lines[i]);
  }
  EXPECT_EQ(rows.size(), 3u);
}

TEST(Table, LeavesOutDispensableColumnsAndSaysSo) {
  Table table({Column::number("A", 2), Column::number("B"),
               Column::number("C", 1), Column::number("D", 3)});
  table.addRow({"1111111111", "2", "3333333333", "4"});
  auto lines = linesOf(table.render({.width = 24}));
  EXPECT_EQ(lines[3], "│ 2 │ 3333333333 │ 4 │");
  EXPECT_EQ(lines.back(), "Left out to fit 24 characters: A.");
  EXPECT_EQ(linesOf(table.render()).size(), 5u);
}

TEST(Table, HostileCellsKeepTheFrame) {
  Table table({Column::text("N\n"), Column::text("M")});
  table.addRow({"a\nb\033[2J", "\xff\xfe"});
  auto lines = linesOf(table.render());
  ASSERT_EQ(lines.size(), 5u);
  for (const std::string &line : lines) {
    EXPECT_EQ(displayWidth(line), displayWidth(lines[0]));
    EXPECT_EQ(line.find('\033'), std::string::npos);
  }
}

TEST(Table, CsvQuotesWhatNeedsIt) {
  Table table({Column::text("Name"), Column::number("Value")});
  table.addRow({"plain", "1"});
  table.addRow({"a,b", "\"q\""});
  table.addRow({"two\nlines", ""});
  EXPECT_EQ(table.toCsv(), "Name,Value\n"
                           "plain,1\n"
                           "\"a,b\",\"\"\"q\"\"\"\n"
                           "\"two\nlines\",\n");
}

TEST(Table, EmptyTable) {
  Table table({Column::text("A")});
  EXPECT_EQ(table.render({.width = 80}), "┌───┐\n│ A │\n├───┤\n└───┘\n");
  EXPECT_EQ(table.toCsv(), "A\n");
}

TEST(Table, NumbersNeverLookBetterThanTheyAre) {
  EXPECT_EQ(formatFraction(1), "1.000000");
  EXPECT_EQ(formatFraction(0.99999999), "0.999999");
  EXPECT_EQ(formatFraction(-0.99999999), "-0.999999");
  EXPECT_EQ(formatFraction(0.29, 2), "0.29");
  EXPECT_EQ(formatPercent(1), "100.0 %");
  EXPECT_EQ(formatPercent(0.99999), "99.9 %");
  EXPECT_EQ(formatPercent(0.29), "29.0 %");
  EXPECT_EQ(formatNumber(0), "0");
  EXPECT_EQ(formatNumber(1.23456e-7), "1.23e-07");
  EXPECT_EQ(formatNumber(HUGE_VAL), "inf");
}

} // namespace
