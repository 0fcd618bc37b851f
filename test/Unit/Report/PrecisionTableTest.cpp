//===- PrecisionTableTest.cpp - A precision analysis for people -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whole texts: users have scripts that look for every one of these headings.
//===----------------------------------------------------------------------===//
#include "PrecisionSamples.h"
#include "RowCases.h"

#include <gtest/gtest.h>
#include <limits>

using namespace parallax;

namespace {

constexpr size_t all = std::numeric_limits<size_t>::max();

TEST(PrecisionTable, TitleNamesMethodAndMode) {
  EXPECT_EQ(precisionTitle(AnalysisMethod::PerLayer, AnalysisMode::Reference),
            "Quant Precision Table【PerLayer Reference】");
  EXPECT_EQ(precisionTitle(AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend),
            "Quant Precision Table【EndToEnd NPUBackend】");
}

TEST(PrecisionTable, BasicColumns) {
  EXPECT_EQ(
      precisionTable(sampleTable(), false).render(),
      R"~(┌──────────┬───────────┬───────────────┬───────────────────┬───────┬────────┬─────────┬─────────┐
│ Operator │ Type      │ Output Tensor │ Shape             │ DType │ QDType │   Cosin │     MSE │
├──────────┼───────────┼───────────────┼───────────────────┼───────┼────────┼─────────┼─────────┤
│ conv     │ Conv      │ conv_out      │ (1, 32, 112, 112) │ FP32  │ U8     │ 0.99999 │ 0.00003 │
│ 层"1"    │ Conv      │ 层"1"_out     │ (1, 32, 112, 112) │ FP32  │ U8     │ 0.99950 │ 0.00003 │
│ top      │ TopK      │ top           │ (8,)              │ INT64 │ INT64  │ 0.75000 │       - │
│ sum      │ ReduceSum │ sum_out       │ ()                │ FP32  │ FP32   │ 1.00000 │ 0.00000 │
└──────────┴───────────┴───────────────┴───────────────────┴───────┴────────┴─────────┴─────────┘
)~");
}

TEST(PrecisionTable, FullColumns) {
  PrecisionTable table = sampleTable();
  table.rows[0].cycles = 1234567;
  table.rows[3].metrics.rows = 8;
  table.rows[3].metrics.agreement = 0.875;
  const char *basics[4][8] = {
      {"conv", "Conv", "conv_out", "(1, 32, 112, 112)", "FP32", "U8", "0.99999",
       "0.00003"},
      {"层\"1\"", "Conv", "层\"1\"_out", "(1, 32, 112, 112)", "FP32", "U8",
       "0.99950", "0.00003"},
      {"top", "TopK", "top", "(8,)", "INT64", "INT64", "0.75000", "-"},
      {"sum", "ReduceSum", "sum_out", "()", "FP32", "FP32", "1.00000",
       "0.00000"}};
  std::vector<Column> columns;
  for (const char *title :
       {"Operator", "Type", "Output Tensor", "Shape", "DType", "QDType"})
    columns.push_back(Column::label(title));
  for (const char *title : {"Cosin", "MSE"})
    columns.push_back(Column::number(title));
  for (const ColumnTexts &column : fullColumns())
    columns.push_back(Column::number(column.heading));
  Table expected(std::move(columns));
  for (size_t row = 0; row < 4; ++row) {
    std::vector<Cell> cells(std::begin(basics[row]), std::end(basics[row]));
    for (const ColumnTexts &column : fullColumns())
      cells.emplace_back(column.texts[row]);
    expected.addRow(std::move(cells));
  }
  EXPECT_EQ(precisionTable(table, true).render(), expected.render());
}

TEST(PrecisionTable, NotesTellWhatNumbersHide) {
  EXPECT_EQ(
      precisionNotes(sampleTable(), all),
      R"~(NaN/Inf: 层"1"_out has 4 NaN and 1 Inf in the quantized network, 0 NaN and 1 Inf in the float network; 5 pairs are in no number of the table, 4 of them differ.
Integers and truth values, of which Cosin is the part that is equal: top.
Not compared, because the quantized network does not have them: relu_out, a,b.
)~");
  EXPECT_EQ(
      precisionNotes(sampleTable(), 1),
      R"~(NaN/Inf: 层"1"_out has 4 NaN and 1 Inf in the quantized network, 0 NaN and 1 Inf in the float network; 5 pairs are in no number of the table, 4 of them differ.
Integers and truth values, of which Cosin is the part that is equal: top.
Not compared, because the quantized network does not have them: relu_out and 1 more.
)~");
  EXPECT_EQ(precisionNotes(sampleTable(), 0), R"~(NaN/Inf: 1 more.
Integers and truth values, of which Cosin is the part that is equal: 1 more.
Not compared, because the quantized network does not have them: 2 more.
)~");
  EXPECT_EQ(precisionNotes({}, all), "");
}

TEST(PrecisionTable, NotesSayWhereTheLargestElementMoved) {
  PrecisionTable table;
  table.rows = {sampleRow("fc1", 0.99), sampleRow("fc2", 0.99)};
  table.rows[0].metrics.rows = table.rows[1].metrics.rows = 3;
  table.rows[0].metrics.agreement = 2.0 / 3;
  EXPECT_EQ(precisionNotes(table, all),
            "fc1_out: the largest element is at another place in 1 of 3 "
            "rows.\n");
  table.rows[0].metrics.isExact = true;
  EXPECT_EQ(precisionNotes(table, all).find("place"), std::string::npos);
}

TEST(PrecisionTable, NoRows) {
  EXPECT_EQ(renderPrecision({}, false),
            R"~(Quant Precision Table【PerLayer Reference】
┌──────────┬──────┬───────────────┬───────┬───────┬────────┬───────┬─────┐
│ Operator │ Type │ Output Tensor │ Shape │ DType │ QDType │ Cosin │ MSE │
├──────────┼──────┼───────────────┼───────┼───────┼────────┼───────┼─────┤
└──────────┴──────┴───────────────┴───────┴───────┴────────┴───────┴─────┘
)~");
}

/// The escape sequence that rows with these metrics begin with.
std::string colorOf(const PrecisionRow &row) {
  PrecisionTable table;
  table.rows = {row};
  std::string text = precisionTable(table, false).render({.color = true});
  size_t name = text.find(row.node);
  size_t escape = text.rfind("\033[", name);
  return text.substr(escape, name - escape);
}

TEST(PrecisionTable, RowsAreColouredByThresholds) {
  const std::string bold = "\033[0m", red = "\033[31m", yellow = "\033[33m";
  auto color = [](double cosine) { return colorOf(sampleRow("x", cosine)); };
  EXPECT_EQ(color(0.97999), red);
  EXPECT_EQ(color(0.98), yellow);
  EXPECT_EQ(color(0.99899), yellow);
  EXPECT_EQ(color(0.999).substr(0, bold.size()), bold);
  EXPECT_EQ(color(-1), red);
  for (const PrecisionRow &row : sampleTable().rows)
    if (row.metrics.isExact || row.metrics.special > 0)
      EXPECT_EQ(colorOf(row), red) << row.node;
}

TEST(PrecisionTable, ValuesKeepTheirSize) {
  PrecisionRow row = sampleRow("x", 0.5);
  row.metrics.mse = 1e30;
  row.metrics.sqnrDb = -std::numeric_limits<double>::infinity();
  row.metrics.maxSteps = 0;
  row.metrics.saturated = 0;
  PrecisionTable table;
  table.rows = {row};
  std::string text = precisionTable(table, true).render();
  for (const char *part :
       {"│ 1.00000e+30 │    -inf │         - │", "│     0.0 % │"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(PrecisionTable, ScreensCutNamesAndFilesDoNot) {
  PrecisionReport report;
  PrecisionTable table;
  table.rows = {sampleRow(std::string(300, 'n'), 1)};
  for (int i = 0; i < 20; ++i)
    table.unmatched.push_back("tensor_number_" + std::to_string(i));
  report.tables = {table};
  std::string screen = renderPrecision(table, false, {.width = 100});
  EXPECT_EQ(screen.find(std::string(300, 'n')), std::string::npos);
  EXPECT_NE(screen.find("tensor_number_7 and 12 more.\n"), std::string::npos);
  std::string file = precisionTableText(report);
  EXPECT_NE(file.find(std::string(300, 'n') + "_out"), std::string::npos);
  EXPECT_NE(file.find("tensor_number_19.\n"), std::string::npos);
}

TEST(PrecisionTable, OutliersComeWithAHint) {
  EXPECT_EQ(
      renderOutliers(sampleReport()),
      R"~(Ratio of outliers in tensor【 level=Log(Max_Pertensor/Max_Perchannel) 】
┌────────────┬──────────────────────┬────────────────┬────────────────┬────────────────┬────────────────┐
│ Op outputs │ Sparse channel ratio │ level>=3 ratio │ level>=4 ratio │ level>=5 ratio │ level>=6 ratio │
├────────────┼──────────────────────┼────────────────┼────────────────┼────────────────┼────────────────┤
│ norm       │              0.03125 │        0.50000 │        0.25000 │        0.12500 │        0.00000 │
└────────────┴──────────────────────┴────────────────┴────────────────┴────────────────┴────────────────┘
A channel of level n has 2^n times fewer codes than the largest one: set quant.enable_smooth_quant to true to move such outliers into the weights.
)~");
  EXPECT_EQ(renderOutliers({}), "");
}

TEST(PrecisionTable, AHintIsOnlyForWhatItCouldChange) {
  PrecisionReport report = sampleReport();
  auto hasHint = [&] {
    return renderOutliers(report).find(outlierHint()) != std::string::npos;
  };
  report.tables.push_back(sampleChain(AnalysisMethod::EndToEnd, {0.985}));
  EXPECT_TRUE(hasHint());
  report.isSmoothed = true;
  EXPECT_FALSE(hasHint());
  report.isSmoothed = false;
  report.tables.back() = sampleChain(AnalysisMethod::EndToEnd, {0.999});
  EXPECT_FALSE(hasHint());
}

TEST(PrecisionTable, TheFileHasTitlesTablesOutliersAndVerdict) {
  PrecisionReport report = sampleReport();
  report.tables.push_back(sampleChain(AnalysisMethod::EndToEnd, {1}));
  EXPECT_EQ(precisionTableText(report),
            comparedSamples(report) + "\n" +
                renderPrecision(report.tables[0], false) + "\n" +
                renderPrecision(report.tables[1], false) + "\n" +
                renderOutliers(report) + "\n" + verdictText(report));
  EXPECT_NE(precisionTableText(report, true).find("Worst Channel"),
            std::string::npos);
}

} // namespace
