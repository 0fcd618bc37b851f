//===- PrecisionReportTest.cpp - The result of an analysis ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names, and levels of channels that were counted by hand.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/PrecisionReport.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

TEST(PrecisionReport, Names) {
  EXPECT_EQ(nameOf(AnalysisMethod::PerLayer), "PerLayer");
  EXPECT_EQ(nameOf(AnalysisMethod::EndToEnd), "EndToEnd");
  EXPECT_EQ(nameOf(AnalysisMode::Reference), "Reference");
  EXPECT_EQ(nameOf(AnalysisMode::NPUBackend), "NPUBackend");
}

TEST(PrecisionReport, LevelsAreCounted) {
  // Levels: 0, 3, a bit less than 3, 4, 5, 6, 10, and one that has none.
  std::vector<float> maxima{64, 8, 8.01f, 4, 2, 1, 0.0625f, 0};
  std::optional<OutlierRow> row = outliersOf("x", maxima);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->tensor, "x");
  EXPECT_EQ(row->channels, 8);
  EXPECT_EQ(row->sparse, 1.0 / 8);
  EXPECT_EQ(row->level[0], 5.0 / 8);
  EXPECT_EQ(row->level[1], 4.0 / 8);
  EXPECT_EQ(row->level[2], 3.0 / 8);
  EXPECT_EQ(row->level[3], 2.0 / 8);
}

TEST(PrecisionReport, EvenChannelsAreNoRow) {
  EXPECT_FALSE(outliersOf("x", {}));
  EXPECT_FALSE(outliersOf("x", std::vector<float>{1}));
  EXPECT_FALSE(outliersOf("x", std::vector<float>{0, 0}));
  EXPECT_FALSE(outliersOf("x", std::vector<float>{8, 1.01f, 0}));
  EXPECT_TRUE(outliersOf("x", std::vector<float>{8, 1, 0}));
}

TEST(PrecisionReport, LevelsOfExtremeMagnitudes) {
  std::optional<OutlierRow> row =
      outliersOf("x", std::vector<float>{3e38f, 1e-45f});
  ASSERT_TRUE(row);
  EXPECT_EQ(row->level[3], 0.5);
  EXPECT_FALSE(outliersOf("x", std::vector<float>{3e38f, 2e38f}));
}

} // namespace
