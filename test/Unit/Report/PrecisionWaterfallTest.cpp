//===- PrecisionWaterfallTest.cpp - Which stage loses precision -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whole texts: each stage shows where it arrives, and what it changed.
//===----------------------------------------------------------------------===//
#include "PrecisionSamples.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

const std::vector<WaterfallRow> rows = {
    {"boxes", 0, 0.001, 0.02, 0.020000001, true, 2},
    {"分数", 2e-7, 1e-7, 0.5, 0, false, 2}};

TEST(PrecisionWaterfall, ShowsWhereEachStageArrives) {
  PrecisionReport report;
  report.samples = 8;
  report.waterfall = rows;
  EXPECT_EQ(
      renderWaterfall(report),
      R"~(Cosine of outputs with the imported network, stage by stage (the first 2 of 8 samples)
┌────────┬──────────┬────────────────────┬────────────────────┬────────────────────┬──────────────────┐
│ Output │ Imported │ Float optimization │            Weights │        Activations │              NPU │
├────────┼──────────┼────────────────────┼────────────────────┼────────────────────┼──────────────────┤
│ boxes  │  1.00000 │        1.00000 (0) │ 0.99900 (-0.00100) │ 0.98000 (-0.01900) │ 0.98000 (-1e-09) │
│ 分数   │  1.00000 │   0.99999 (-2e-07) │   0.99999 (+1e-07) │ 0.50000 (-0.50000) │                - │
└────────┴──────────┴────────────────────┴────────────────────┴────────────────────┴──────────────────┘
)~");
  report.samples = 2;
  EXPECT_EQ(renderWaterfall(report).find("samples"), std::string::npos);
  report.waterfall.clear();
  EXPECT_EQ(renderWaterfall(report), "");
}

TEST(PrecisionWaterfall, TheStageToBlameIsRed) {
  std::string text = waterfallTable({rows[0]}).render({.color = true});
  EXPECT_NE(text.find("\033[31m0.98000 (-0.01900)"), std::string::npos);
  EXPECT_EQ(text.find("\033[31m0.99900"), std::string::npos);
}

TEST(PrecisionWaterfall, IsInTheFile) {
  PrecisionReport report = sampleReport();
  EXPECT_EQ(precisionTableText(report).find(waterfallTitle()),
            std::string::npos);
  report.waterfall = rows;
  EXPECT_NE(precisionTableText(report).find(renderWaterfall(report)),
            std::string::npos);
}

} // namespace
