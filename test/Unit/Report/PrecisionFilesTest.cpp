//===- PrecisionFilesTest.cpp - A precision analysis for programs ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The files are read again by parsers that know nothing of Parallax.
//===----------------------------------------------------------------------===//
#include "Lines.h"
#include "PrecisionSamples.h"
#include "RowCases.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

using namespace parallax;

namespace {

using nlohmann::json;

json written(const PrecisionReport &report) {
  return json::parse(precisionJson(report));
}

TEST(PrecisionFiles, JsonHasEverything) {
  json file = written(sampleReport());
  EXPECT_EQ(file["schema"], 1);
  EXPECT_EQ(file["samples"], 2);
  EXPECT_EQ(file["sample_source"], "calibration");
  EXPECT_EQ(file["thresholds"], (json{{"output", 0.98},
                                      {"layer", 0.999},
                                      {"fall", 0.99},
                                      {"good", 0.99},
                                      {"good_sample", 0.95},
                                      {"bad_sample", 0.9}}));
  EXPECT_EQ(file["passes"], false);
  EXPECT_EQ(file["verdict"], verdictText(sampleReport()));
  EXPECT_EQ(file["outliers"][0], (json{{"tensor", "norm"},
                                       {"channels", 64},
                                       {"sparse", 0.03125},
                                       {"level_3", 0.5},
                                       {"level_4", 0.25},
                                       {"level_5", 0.125},
                                       {"level_6", 0.0}}));
  json table = file["tables"][0];
  EXPECT_EQ(table["method"], "PerLayer");
  EXPECT_EQ(table["mode"], "Reference");
  EXPECT_EQ(table["unmatched"], (json{"relu_out", "a,b"}));
  ASSERT_EQ(table["rows"].size(), 4u);
  EXPECT_EQ(table["rows"][1]["operator"], "层\"1\"");
  json row = table["rows"][0];
  json expected;
  for (const FieldValue &entry : rowFields())
    expected[entry.field] = entry.value;
  EXPECT_EQ(row, expected);
  EXPECT_FALSE(file.contains("attribution"));
}

TEST(PrecisionFiles, JsonSaysWhetherPartsAreTheLoss) {
  PrecisionReport report = completeReport();
  report.attribution->measured = 0.3;
  EXPECT_EQ(written(report)["attribution"]["closes"], false);
}

TEST(PrecisionFiles, JsonHasWhatFollowsFromTables) {
  json file = written(completeReport());
  json row = file["tables"][0]["rows"][0];
  EXPECT_EQ(row["codes"], (json{{"scale", double(0.1f)},
                                {"zero_point", 12},
                                {"low", 0},
                                {"high", 255}}));
  EXPECT_EQ(row["inputs"], (json{"image"}));
  EXPECT_EQ(row["cycles"], 1234);
  json values = {{"count", 8},    {"min", -1.0}, {"max", 2.0},
                 {"mean", 0.125}, {"std", 1.5},  {"variance", 2.25}};
  EXPECT_EQ(row["reference"], values);
  EXPECT_EQ(row["quantized"], values);
  EXPECT_EQ(file["inputs"][0]["type"], "Input");
  EXPECT_EQ(file["weights"][0],
            (json{{"operator", "conv"},
                  {"tensor", "conv.w"},
                  {"shape", {8}},
                  {"qdtype", "S8"},
                  {"mse", 0.1 + 0.2},
                  {"float", values},
                  {"quantized", values},
                  {"output_peak",
                   {{"channel", 3}, {"largest", 2.5}, {"median", 0.5}}}}));
  json attribution = file["attribution"];
  EXPECT_EQ(attribution["mode"], "NPUBackend");
  EXPECT_EQ(attribution["measured"], 0.03);
  EXPECT_EQ(attribution["attributed"], 0.001 + (0.01 + 0.02));
  EXPECT_NEAR(attribution["gap"], 0.001 / 0.03, 1e-12);
  EXPECT_EQ(attribution["closes"], true);
  EXPECT_EQ(attribution["rows"][1], (json{{"operator", "conv"},
                                          {"tensor", "conv_out"},
                                          {"type", "Conv"},
                                          {"weights", 0.01},
                                          {"activations", 0.02},
                                          {"total", 0.01 + 0.02},
                                          {"alone", 0.04},
                                          {"alone_weights", 0.015}}));
  EXPECT_EQ(file["waterfall"][0]["machine"], 0.03);
  json difference = file["differences"][0];
  EXPECT_EQ(difference["class"], "RoundingTie");
  EXPECT_EQ(difference["examples"][0]["index"], (json{0, 2, 3, 4}));
  EXPECT_EQ(file["diagnoses"][0]["cause"], "DeadChannels");
  // Ready to be pasted into a configuration.
  json edits = file["suggestions"][0]["edits"];
  EXPECT_EQ(edits[0]["value"],
            (json{{"layer_names", {"conv"}}, {"data_type", "U16"}}));
  EXPECT_EQ(edits[1]["value"], "MSE");
  json histogram = file["histograms"][1];
  EXPECT_EQ(histogram["clip"], (json{-0.5, 2.0}));
  EXPECT_EQ(histogram["samples"], 1);
  EXPECT_EQ(histogram["values"]["min"], -1.0);
  EXPECT_EQ(histogram["values"]["start"], -1.0);
  EXPECT_EQ(histogram["values"]["width"], 0.0625);
  EXPECT_EQ(histogram["values"]["counts"].size(), 61u);
  EXPECT_EQ(histogram["values"]["counts"][17], 2);
  EXPECT_EQ(histogram["quantized"]["max"], 2.0);
  EXPECT_FALSE(file["histograms"][0].contains("clip"));
}

TEST(PrecisionFiles, JsonHasAListOfNumbersOnOneLine) {
  std::string text = precisionJson(completeReport());
  EXPECT_NE(text.find("\"shape\": [1,32,112,112],\n"), std::string::npos);
  EXPECT_NE(text.find("\"counts\": [1,0,"), std::string::npos);
}

TEST(PrecisionFiles, JsonKeepsWhatNumbersCannotSay) {
  PrecisionReport report = sampleReport();
  PrecisionRow &row = report.tables[0].rows[0];
  row.node = "broken\xff";
  row.metrics.sqnrDb = -std::numeric_limits<double>::infinity();
  json rows = written(report)["tables"][0]["rows"];
  EXPECT_EQ(rows[0]["operator"], "broken\uFFFD");
  EXPECT_EQ(rows[0]["sqnr_db"], "-inf");
  EXPECT_EQ(rows[3]["sqnr_db"], "inf");
  EXPECT_EQ(rows[1]["nan_quantized"], 4);
  EXPECT_EQ(rows[1]["inf_float"], 1);
  EXPECT_EQ(rows[1]["similarity"], 0);
  EXPECT_EQ(rows[1]["cosine"], 0.9995);
  EXPECT_EQ(rows[2]["cosine"], nullptr);
  EXPECT_EQ(rows[2]["mse"], nullptr);
  EXPECT_EQ(rows[2]["agreement"], 0.75);
  EXPECT_EQ(written({})["tables"], json::array());
}

/// Fields as RFC 4180 has them.
std::vector<std::vector<std::string>> parseCsv(const std::string &text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string &field = rows.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      rows.back().push_back("");
    else if (!quoted && text[i] == '\n')
      rows.push_back({""});
    else
      field += text[i];
  }
  EXPECT_FALSE(quoted);
  rows.pop_back();
  return rows;
}

TEST(PrecisionFiles, CsvHasTheRowsOfAllTables) {
  PrecisionReport report = sampleReport();
  report.tables.push_back(
      sampleChain(AnalysisMethod::EndToEnd, {0.123456789012345}));
  auto rows = parseCsv(precisionTableCsv(report));
  ASSERT_EQ(rows.size(), 6u);
  std::set<std::string> titles(rows[0].begin(), rows[0].end());
  EXPECT_EQ(titles.size(), rows[0].size()) << "no heading comes twice";
  for (const auto &row : rows)
    EXPECT_EQ(row.size(), rows[0].size());
  auto cell = [&](size_t row, const std::string &title) {
    auto column = std::find(rows[0].begin(), rows[0].end(), title);
    return column == rows[0].end()
               ? "no such column"
               : rows[row][size_t(column - rows[0].begin())];
  };
  EXPECT_EQ(cell(1, "Method"), "PerLayer");
  EXPECT_EQ(cell(1, "Shape"), "(1, 32, 112, 112)");
  EXPECT_EQ(cell(2, "Operator"), "层\"1\"");
  EXPECT_EQ(cell(2, "nan_quantized"), "4");
  EXPECT_EQ(cell(3, "Cosin"), "0.75");
  EXPECT_EQ(cell(3, "MSE"), "");
  EXPECT_EQ(cell(3, "is_exact"), "true");
  EXPECT_EQ(cell(4, "sqnr_db"), "inf");
  EXPECT_EQ(cell(4, "is_output"), "true");
  EXPECT_EQ(cell(5, "Method"), "EndToEnd");
  EXPECT_EQ(cell(5, "Mode"), "Reference");
  EXPECT_EQ(cell(5, "Cosin"), "0.123456789012345");
  EXPECT_EQ(parseCsv(precisionTableCsv({})).size(), 1u);
}

TEST(PrecisionFiles, MermaidColoursLayersByBands) {
  PrecisionReport report;
  report.tables = {sampleChain(AnalysisMethod::EndToEnd,
                               {0.999, 0.9989, 0.99, 0.98, 0.9799, -1})};
  // A layer of two results is as good as the worse of them.
  PrecisionRow second = sampleRow("l0", 0.985);
  second.tensor = "l0_second";
  report.tables[0].rows.push_back(second);
  std::vector<std::string> expected = {
      "---",
      "title: Quant Precision Table【EndToEnd Reference】",
      "---",
      "flowchart TD",
      "  n0[\"l0<br/>Conv<br/>0.98500\"]:::orange",
      "  n1[\"l1<br/>Conv<br/>0.99890\"]:::yellow",
      "  n2[\"l2<br/>Conv<br/>0.99000\"]:::yellow",
      "  n3[\"l3<br/>Conv<br/>0.98000\"]:::orange",
      "  n4[\"l4<br/>Conv<br/>0.97990\"]:::red",
      "  n5[\"l5<br/>Conv<br/>-1.00000\"]:::red",
      "  n6[\"image\"]:::grey",
      "  n6 --> n0",
      "  n0 --> n1",
      "  subgraph legend [\"Similarity\"]",
      "    legend_green[\"at least 0.999\"]:::green"};
  auto lines = linesOf(precisionMermaid(report, {{"image", "l0_out"},
                                                 {"l0_out", "l1_out"},
                                                 {"l0_second", "l1_out"},
                                                 {"l0_out", "l0_second"}}));
  std::set<std::string> used, defined;
  for (const std::string &line : lines) {
    if (size_t at = line.find(":::"); at != std::string::npos)
      used.insert(line.substr(at + 3));
    if (line.find("  classDef ") == 0)
      defined.insert(line.substr(11, line.find(' ', 11) - 11));
  }
  EXPECT_EQ(used, defined);
  EXPECT_EQ(defined.size(), 5u);
  lines.resize(expected.size());
  EXPECT_EQ(lines, expected);
}

TEST(PrecisionFiles, MermaidShowsAllTables) {
  PrecisionReport report;
  report.tables = {sampleChain(AnalysisMethod::PerLayer, {1}),
                   sampleChain(AnalysisMethod::EndToEnd, {0.5, 0.995})};
  report.tables[1].mode = AnalysisMode::NPUBackend;
  report.tables[1].rows[0].metrics.special = 1;
  std::string chart = precisionMermaid(report, {});
  EXPECT_NE(chart.find("n0[\"l0<br/>Conv<br/>PerLayer Reference 1.00000<br/>"
                       "EndToEnd NPUBackend 0.50000 beside NaN or "
                       "Inf\"]:::green\n"),
            std::string::npos)
      << chart;
  EXPECT_NE(chart.find("n1[\"l1<br/>Conv<br/>EndToEnd NPUBackend "
                       "0.99500\"]:::yellow\n"),
            std::string::npos)
      << chart;
}

TEST(PrecisionFiles, MermaidNamesAreNeverSyntax) {
  PrecisionReport report;
  PrecisionRow row = sampleRow("层 /a.b-c_1", 1);
  row.type = "\"]:::red\n  n9 --> n0;";
  report.tables.resize(1);
  report.tables[0].rows = {row};
  std::string chart =
      precisionMermaid(report, {{"a[b](c){d}|e|`f`#g;<h>&i\\%%\xff", "end"}});
  EXPECT_NE(chart.find("  n0[\"层 /a.b-c_1<br/>#34;#93;#58;#58;#58;red\uFFFD"
                       "  n9 --#62; n0#59;<br/>1.00000\"]:::green\n"),
            std::string::npos)
      << chart;
  EXPECT_NE(
      chart.find("  n1[\"a#91;b#93;#40;c#41;#123;d#125;#124;e#124;#96;f#96;"
                 "#35;g#59;#60;h#62;#38;i#92;#37;#37;\uFFFD\"]:::grey\n"
                 "  n2[\"end\"]:::grey\n"
                 "  n1 --> n2\n"),
      std::string::npos)
      << chart;
  EXPECT_EQ(precisionMermaid({}, {}).find("flowchart TD\n  subgraph"), 0u);
}

} // namespace
