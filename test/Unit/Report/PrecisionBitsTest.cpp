//===- PrecisionBitsTest.cpp - Differences of bits for people -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong has to be seen among many differences that mean nothing.
//===----------------------------------------------------------------------===//
#include "PrecisionSamples.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

BitDifference difference(const std::string &node, int64_t differing,
                         DifferenceClass kind) {
  BitDifference row;
  row.node = node;
  row.tensor = node + "_out";
  row.type = "Conv";
  row.elements = 1000;
  row.differing = differing;
  row.maxCodes = 1;
  row.difference = kind;
  row.examples = {
      {2, {0, 1}, 17, 18, 17.5, "x = 1 2 (2 codes, zero 0), sum 11"}};
  return row;
}

PrecisionReport reportWith(std::vector<BitDifference> differences) {
  PrecisionReport report;
  for (AnalysisMode mode : {AnalysisMode::Reference, AnalysisMode::NPUBackend})
    report.tables.push_back({AnalysisMethod::PerLayer, mode, {}, {}});
  report.differences = std::move(differences);
  return report;
}

TEST(PrecisionBits, TheTableHasAllLayersInTheirOrder) {
  PrecisionReport report =
      reportWith({difference("a", 1, DifferenceClass::RoundingTie),
                  difference("b", 500, DifferenceClass::Layout)});
  report.differences[0].isFirst = true;
  EXPECT_EQ(
      renderDifferences(report, 2),
      "Bits of NPUBackend and Reference, given the same codes\n"
      "┌──────────┬──────┬───────────────┬──────────────────────┬───────────┬"
      "──────────────┬───────┐\n"
      "│ Operator │ Type │ Output Tensor │            Differing │ Max codes │ "
      "Class        │ First │\n"
      "├──────────┼──────┼───────────────┼──────────────────────┼───────────┼"
      "──────────────┼───────┤\n"
      "│ a        │ Conv │ a_out         │    1 of 1000 (0.1 %) │         1 │ "
      "rounding tie │ yes   │\n"
      "│ b        │ Conv │ b_out         │ 500 of 1000 (50.0 %) │         1 │ "
      "layout       │       │\n"
      "└──────────┴──────┴───────────────┴──────────────────────┴───────────┴"
      "──────────────┴───────┘\n"
      "  a_out:\n"
      "    sample 2, element (0, 1): reference 17, machine 18, exact 17.5; x = "
      "1 2 (2 codes, zero 0), sum 11\n"
      "  b_out:\n"
      "    sample 2, element (0, 1): reference 17, machine 18, exact 17.5; x = "
      "1 2 (2 codes, zero 0), sum 11\n");
}

TEST(PrecisionBits, TheVerdictBlamesTheEngineThatIsWrong) {
  PrecisionReport report =
      reportWith({difference("mask", 9, DifferenceClass::ReferenceNotFinite)});
  EXPECT_EQ(differencesVerdict(report),
            "Bits, NPUBackend against Reference: Reference does not compute "
            "what it should, and NPUBackend does, in 1 of 1 layers that "
            "differ.\n"
            "  mask: NaN of the reference; 9 of 1000 (0.9 %) elements differ, "
            "by up to 1 codes\n");
}

TEST(PrecisionBits, AScreenShowsTheWorst) {
  PrecisionReport report =
      reportWith({difference("many", 900, DifferenceClass::Approximation),
                  difference("few", 1, DifferenceClass::RoundingTie),
                  difference("broken", 2, DifferenceClass::Saturation)});
  std::string text = renderDifferences(report, 2, {false, 100});
  EXPECT_LT(text.find("broken"), text.find("many"));
  EXPECT_EQ(text.find("few"), std::string::npos);
  EXPECT_NE(text.find("1 more layers differ less."), std::string::npos);
  // Harmless layers have no examples there.
  EXPECT_EQ(text.find("  many_out:"), std::string::npos);
  EXPECT_NE(text.find("  broken_out:"), std::string::npos);
}

TEST(PrecisionBits, TheVerdictNamesFaults) {
  EXPECT_EQ(differencesVerdict(reportWith({})),
            "Bits, NPUBackend against Reference: the same in all layers.\n");
  PrecisionReport report =
      reportWith({difference("tie", 1, DifferenceClass::RoundingTie)});
  report.differences[0].isFirst = true;
  EXPECT_EQ(differencesVerdict(report),
            "Bits, NPUBackend against Reference: 1 layers differ, none by more "
            "than its arithmetic allows. End to end, the first is tie.\n");
  report.differences.push_back(
      difference("broken", 500, DifferenceClass::Rounding));
  EXPECT_EQ(differencesVerdict(report),
            "Bits, NPUBackend against Reference: NPUBackend does not compute "
            "what it should in 1 of 2 layers that differ. End to end, the "
            "first is tie.\n"
            "  broken: rounding; 500 of 1000 (50.0 %) elements differ, by up "
            "to 1 codes\n");
  // Layers that got different things can't be compared.
  report.tables[1].method = AnalysisMethod::EndToEnd;
  EXPECT_EQ(differencesVerdict(report), "");
}

TEST(PrecisionBits, AreInTheFile) {
  PrecisionReport report =
      reportWith({difference("tie", 1, DifferenceClass::RoundingTie)});
  std::string text = precisionTableText(report);
  EXPECT_NE(text.find(differencesTitle()), std::string::npos);
  EXPECT_NE(text.find("rounding tie"), std::string::npos);
  report.differences.clear();
  EXPECT_EQ(precisionTableText(report).find(differencesTitle()),
            std::string::npos);
}

} // namespace
} // namespace parallax
