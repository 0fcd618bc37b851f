//===- PredicateTest.cpp - What has to persist ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Problems as users type them, and as an analysis shows them.
//===----------------------------------------------------------------------===//
#include "parallax/Case/Predicate.h"
#include "../Support/TempDir.h"

namespace parallax {
namespace {

TEST(Predicate, LayersMayHaveColons) {
  Predicate predicate =
      parsePredicate(Predicate::Kind::Bits, "block:0/conv:Rounding");
  EXPECT_EQ(predicate.layer, "block:0/conv");
  EXPECT_EQ(predicate.difference, DifferenceClass::Rounding);
  predicate = parsePredicate(Predicate::Kind::LayerCosine, "block:0/conv:0.9");
  EXPECT_EQ(predicate.layer, "block:0/conv");
  EXPECT_EQ(predicate.threshold, 0.9);
}

TEST(Predicate, TheValueMayBeLeftOut) {
  Predicate predicate = parsePredicate(Predicate::Kind::Bits, "conv");
  EXPECT_EQ(predicate.layer, "conv");
  EXPECT_FALSE(predicate.difference);
  EXPECT_EQ(predicate.words(),
            "Reference and NPUBackend differ at conv (any fault)");
  EXPECT_EQ(parsePredicate(Predicate::Kind::LayerCosine, "conv").threshold,
            layerThreshold);
}

TEST(Predicate, WrongValuesAreNamed) {
  expectError([] { parsePredicate(Predicate::Kind::Bits, "conv:Nonsense"); },
              "no class 'Nonsense'");
  for (const char *text : {"conv:2", "conv:0.5x", "conv:nan"})
    expectError([&] { parsePredicate(Predicate::Kind::LayerCosine, text); },
                "takes LAYER:COSINE");
}

TEST(Predicate, OutputsThenFaultsThenLayers) {
  PrecisionReport report;
  PrecisionTable &table = report.tables.emplace_back();
  table.method = AnalysisMethod::PerLayer;
  table.rows.emplace_back().node = "relu";
  table.rows.back().metrics.samples = 1;
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::Analyzed);
  table.rows.back().metrics.cosine = 0.5;
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::LayerCosine);
  EXPECT_EQ(problemOf(report).layer, "relu");
  // A bad output is what users see.
  PrecisionTable outputs;
  outputs.method = AnalysisMethod::EndToEnd;
  outputs.rows = {report.tables[0].rows[0]};
  outputs.rows[0].isOutput = true;
  outputs.rows[0].metrics.count = 8;
  report.tables.push_back(outputs);
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::OutputBad);
  report.tables.pop_back();
  BitDifference tie;
  tie.node = "add";
  BitDifference fault = tie;
  fault.node = "conv";
  fault.difference = DifferenceClass::Rounding;
  report.differences = {tie};
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::LayerCosine);
  report.differences.push_back(fault);
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::Bits);
  EXPECT_EQ(problemOf(report).layer, "conv");
  // A fault of the simulator can't have spoiled an output of the other engine.
  outputs.mode = AnalysisMode::NPUBackend;
  report.tables.push_back(outputs);
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::Bits);
  outputs.mode = AnalysisMode::Reference;
  report.tables.push_back(outputs);
  EXPECT_EQ(problemOf(report).kind, Predicate::Kind::OutputBad);
}

} // namespace
} // namespace parallax
