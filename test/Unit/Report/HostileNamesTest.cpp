//===- HostileNamesTest.cpp - Reports on networks with hostile names ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks the writers: no name reaches a terminal as a command, a spreadsheet as
// a formula, or Mermaid as syntax.
//===----------------------------------------------------------------------===//
#include "Lines.h"
#include "PrecisionSamples.h"
#include "parallax/Report/Cost.h"
#include "parallax/Report/FloatChanges.h"
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Report/Summary.h"
#include "parallax/Support/SafeText.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

/// Each is a formula too, so that every CSV file shows it.
const std::string hostileNames[] = {"=HYPERLINK(1)\033[2J",
                                    "+cmd|\033]0;title\a", "-x()\r\b\b",
                                    "@SUM(A1)\x7f", "=\"quoted\",1\n=2"};

PrecisionReport hostileReport(const std::string &name) {
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
  return report;
}

void expectSafe(const std::string &text, const char *writer) {
  EXPECT_EQ(safeText(TextKind::Lines, text), text) << writer;
}

void expectNoFormula(const std::string &csv, const char *writer) {
  bool isQuoted = false, begins = true;
  for (char symbol : csv) {
    if (begins && symbol == '"' && !isQuoted) {
      isQuoted = true;
      continue;
    }
    if (begins)
      EXPECT_TRUE(symbol != '=' && symbol != '+' && symbol != '@')
          << writer << ":\n"
          << csv;
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

TEST(HostileNames, ReachNoTerminal) {
  for (const std::string &name : hostileNames) {
    PrecisionReport report = hostileReport(name);
    for (const PrecisionTable &table : report.tables)
      expectSafe(renderPrecision(table, true), "precision");
    expectSafe(precisionTableText(report, true), "precision_table.txt");
    expectSafe(renderOutliers(report), "outliers");
    expectSafe(renderWaterfall(report), "waterfall");
    expectSafe(renderDifferences(report, 8), "differences");
    expectSafe(differencesVerdict(report), "verdict of differences");
    expectSafe(verdictText(report), "verdict");
    expectSafe(renderDiagnoses(report, 8), "diagnoses");
    expectSafe(renderWeights(report, 8), "weights");
    expectSafe(renderActivations(report, 8), "activations");
    expectSafe(renderAttribution(report, 8), "attribution");
    expectSafe(renderSummary(report, nullptr, "file"), "summary");
    PrecisionDiff diff = diffPrecision(report, hostileReport("conv"), 0);
    expectSafe(renderDiff(diff, true), "diff");
    diff = diffPrecision(completeReport(), report, 0);
    expectSafe(renderDiff(diff, true), "diff");
    LayerCost cost;
    cost.layer = cost.op = cost.types = name;
    expectSafe(costTable({cost}).render(), "cost");
  }
}

TEST(HostileNames, AreNoFormulas) {
  for (const std::string &name : hostileNames) {
    PrecisionReport report = hostileReport(name);
    expectNoFormula(precisionTableCsv(report), "precision");
    expectNoFormula(weightsTableCsv(report), "weights");
    expectNoFormula(activationsTableCsv(report), "activations");
    expectNoFormula(attributionTableCsv(report), "attribution");
    expectNoFormula(profilingTableCsv(report), "profiling");
    LayerCost cost;
    cost.layer = cost.op = cost.types = name;
    expectNoFormula(opProfileCsv({cost}), "op_profile");
  }
}

TEST(HostileNames, AreLabelsForMermaid) {
  for (const std::string &name : hostileNames) {
    std::string text =
        precisionMermaid(hostileReport(name), {{name, name + "2"}});
    expectSafe(text, "mermaid");
    for (const std::string &line : linesOf(text))
      if (line.starts_with("  n0["))
        EXPECT_EQ(std::ranges::count(line, '"'), 2) << line;
  }
}

} // namespace
