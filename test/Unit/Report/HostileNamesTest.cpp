//===- HostileNamesTest.cpp - Reports on networks with hostile names ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks the writers: no name reaches a terminal as a command, a spreadsheet as
// a formula, or Mermaid as syntax.
//===----------------------------------------------------------------------===//
#include "HostileNames.h"
#include "Lines.h"
#include "parallax/Report/Accuracy.h"
#include "parallax/Report/Alignments.h"
#include "parallax/Report/Cost.h"
#include "parallax/Report/FloatChanges.h"
#include "parallax/Report/HtmlReport.h"
#include "parallax/Report/PrecisionAudit.h"
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Report/Summary.h"
#include "parallax/Report/Tuning.h"

#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

/// So narrow that columns are left out, whose titles stand in a last line.
constexpr TextStyle narrow{.width = 40};

FloatChanges hostileChanges(const std::string &name) {
  FloatChanges changes;
  ScaledPair pair;
  pair.producer = pair.tensor = name;
  pair.consumers = {name, name};
  changes.equalized = changes.smoothed = {pair};
  changes.tuned = {{name, {name}}};
  changes.corrected = {{name}};
  changes.verdicts = {{name}};
  return changes;
}

Accuracy hostileAccuracy(const std::string &name) {
  Accuracy accuracy;
  accuracy.task = "Classification";
  MetricResult metric{name, name};
  accuracy.networks = {{name, {metric}}, {name + "2", {metric}}};
  accuracy.classes = {{name, 1, {0.5, 0.25}}};
  accuracy.changed = {{name, name, name, name, 1}};
  accuracy.changedCount = 1;
  decide(accuracy);
  return accuracy;
}

std::vector<AuditedRule> hostileAudit(const std::string &name) {
  AuditedRule rule;
  rule.config = rule.selector = rule.subject = name;
  rule.layers = {{name, name, name, {}, {DataType::U16}, name}};
  rule.note = name;
  return {rule};
}

/// One of each kind that is told about.
std::vector<AlignmentChoice> hostileAlignments(const std::string &name) {
  AlignmentChoice wide{name, name, Alignment::Shared, 1, 100, name, 16, name};
  return {{name, name, Alignment::Float, 1, 2, name},
          {name, name, Alignment::Shared, 1, 100, name},
          wide};
}

TunedNetwork hostileTrial(const std::string &name) {
  TunedNetwork network;
  network.purpose = name;
  network.predictedMetric = 0.5;
  network.predictedCycles = 8;
  return network;
}

/// A file that programs read gives the very name back.
void expectKept(const std::string &json, const std::string &name,
                const char *writer) {
  auto read = nlohmann::json::parse(json, nullptr, false);
  ASSERT_FALSE(read.is_discarded()) << writer;
  bool isFound = false;
  const nlohmann::json leaves = read.flatten();
  for (const nlohmann::json &value : leaves)
    isFound |= value == name;
  EXPECT_TRUE(isFound) << writer << ":\n" << json;
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
    expectSafe(renderSuggestions(report), "suggestions");
    FloatChanges changes = hostileChanges(name);
    expectSafe(scaledPairTable(changes.smoothed).render(), "smoothed");
    expectSafe(tunedRangeTable(changes.tuned).render(), "tuned");
    expectSafe(correctedLayerTable(changes.corrected).render(), "corrected");
    expectSafe(verdictTable(changes.verdicts).render(), "float changes");
    expectSafe(renderAccuracy(hostileAccuracy(name)), "accuracy");
    expectSafe(renderAccuracy(hostileAccuracy(name), narrow), "accuracy");
    std::vector<AuditedRule> audit = hostileAudit(name);
    expectSafe(layerConfigTable(audit).render(), "rules");
    expectSafe(layerConfigAuditTable(audit).render(), "audit");
    expectSafe(describeAlignments(hostileAlignments(name)), "alignments");
    TuningTerms terms{name};
    TunedNetwork trial = hostileTrial(name);
    expectSafe(renderMixedPrecision({{{name, 1}}}), "mixed precision");
    expectSafe(tuneResultLine(terms, trial, &trial), "trial");
    expectSafe(renderTuneResult(terms, trial, &trial), "trial");
    expectSafe(renderFront(terms, {{trial}}, narrow), "front");
    expectSafe(renderPredictions(terms, {{trial, trial}}), "predictions");
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
    expectNoFormula(frontCsv({name}, {{hostileTrial(name)}}), "front");
  }
}

TEST(HostileNames, AreTextInFilesForPrograms) {
  for (const std::string &name : hostileNames) {
    expectKept(precisionJson(hostileReport(name)), name, "precision");
    expectKept(suggestionsJson(hostileReport(name)), name, "suggestions");
    expectKept(toJson(hostileChanges(name)), name, "float changes");
    expectKept(accuracyJson(hostileAccuracy(name)), name, "accuracy");
    expectKept(toJson(hostileAudit(name)), name, "audit");
    expectKept(toJson(hostileAlignments(name)), name, "alignments");
    expectKept(frontJson({name}, {{hostileTrial(name)}}), name, "front");
    LayerCost cost;
    cost.layer = name;
    cost.cycles = 1;
    expectKept(traceJson({cost}, {}), name, "trace");
  }
}

TEST(HostileNames, AreNoMarkupInReports) {
  if (!hasReportPage())
    GTEST_SKIP() << whyNoReportPage();
  auto scriptsIn = [](const ReportedBuild &build) {
    std::string page = htmlReport({{build}});
    size_t count = 0;
    for (size_t at = page.find("</script"); at != std::string::npos;
         at = page.find("</script", at + 1))
      ++count;
    return count;
  };
  std::string name = "</script><script>alert(1)</script><!--data-->";
  EXPECT_EQ(scriptsIn({{"a.json", precisionJson(hostileReport(name))}}),
            scriptsIn({{"a.json", ""}}));
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
