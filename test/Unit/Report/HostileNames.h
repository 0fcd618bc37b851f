//===- HostileNames.h - Networks with hostile names ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names that are commands to terminals and formulas to spreadsheets, an
// analysis of a network that has them, and what texts must look like.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_REPORT_HOSTILENAMES_H
#define PARALLAX_TEST_UNIT_REPORT_HOSTILENAMES_H

#include "PrecisionSamples.h"
#include "parallax/Support/SafeText.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace parallax {

/// Each is a formula too, so that every CSV file shows it.
inline const std::string hostileNames[] = {"=HYPERLINK(1)\033[2J",
                                           "+cmd|\033]0;title\a", "-x()\r\b\b",
                                           "@SUM(A1)\x7f", "=\"quoted\",1\n=2"};

inline PrecisionReport hostileReport(const std::string &name) {
  PrecisionReport report = sampleReport();
  report.sampleSource = name;
  report.tables.push_back(sampleChain(AnalysisMethod::EndToEnd, {0.5}));
  for (PrecisionTable &table : report.tables) {
    table.unmatched = {name};
    for (PrecisionRow &row : table.rows) {
      row.node = row.tensor = row.type = name;
      row.metrics.cosine = 0.5;
    }
  }
  OutlierRow outlier;
  outlier.tensor = name;
  report.outliers = {outlier};
  WeightRow weight;
  weight.node = weight.tensor = name;
  report.weights = {weight};
  report.times = {{name, 1, 1, 1}};
  AttributionRow part;
  part.node = part.tensor = part.type = name;
  report.attribution.emplace();
  report.attribution->rows = {part};
  report.attribution->approximated = {name};
  WaterfallRow fall;
  fall.output = name;
  report.waterfall = {fall};
  BitDifference difference;
  difference.node = difference.tensor = difference.type = name;
  difference.differing = difference.elements = 1;
  report.differences = {difference};
  report.unexamined = {name};
  Diagnosis diagnosis;
  diagnosis.node = diagnosis.tensor = diagnosis.facts = name;
  report.diagnoses = {diagnosis};
  report.suggestions = {{name,
                         {name},
                         {{"quant.layer_configs", nlohmann::json(name).dump()}},
                         0.25,
                         8}};
  return report;
}

inline void expectSafe(const std::string &text, const char *writer) {
  EXPECT_EQ(safeText(TextKind::Lines, text), text) << writer;
}

inline void expectNoFormula(const std::string &csv, const char *writer) {
  bool isQuoted = false, begins = true, isClosed = false;
  for (char symbol : csv) {
    if (isClosed)
      EXPECT_TRUE(symbol == '"' || symbol == ',' || symbol == '\n')
          << writer << ":\n"
          << csv;
    if (begins && symbol == '"' && !isQuoted) {
      isQuoted = true;
      isClosed = false;
      continue;
    }
    if (begins)
      EXPECT_TRUE(symbol != '=' && symbol != '+' && symbol != '@')
          << writer << ":\n"
          << csv;
    isClosed = symbol == '"' && isQuoted;
    if (symbol == '"')
      isQuoted = !isQuoted;
    begins = !isQuoted && (symbol == ',' || symbol == '\n');
  }
  EXPECT_EQ(csv.find('\033'), std::string::npos) << writer;
  EXPECT_EQ(csv.find("-x()"), csv.find("'-x()") == std::string::npos
                                  ? std::string::npos
                                  : csv.find("'-x()") + 1)
      << writer;
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_REPORT_HOSTILENAMES_H
