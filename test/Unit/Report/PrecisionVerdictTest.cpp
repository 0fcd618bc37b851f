//===- PrecisionVerdictTest.cpp - A precision analysis in words -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A verdict that is too lenient would let a broken network onto a board.
//===----------------------------------------------------------------------===//
#include "PrecisionSamples.h"

#include "parallax/Analysis/OutputVerdict.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

constexpr AnalysisMethod perLayer = AnalysisMethod::PerLayer,
                         endToEnd = AnalysisMethod::EndToEnd;

PrecisionReport reportOf(std::vector<PrecisionTable> tables) {
  PrecisionReport report;
  report.samples = 2;
  report.tables = std::move(tables);
  return report;
}

TEST(PrecisionVerdict, SimilarityCountsWhatNoCosineHas) {
  ComparisonResult metrics;
  EXPECT_EQ(similarityOf(metrics), 0) << "without samples";
  metrics.samples = 1;
  metrics.cosine = 0.5;
  metrics.agreement = 0.25;
  EXPECT_EQ(similarityOf(metrics), 0.5);
  metrics.isExact = true;
  EXPECT_EQ(similarityOf(metrics), 0.25);
  metrics.isExact = false;
  metrics.nanA = metrics.nanB = metrics.infA = metrics.infB = 2;
  metrics.special = 4;
  EXPECT_EQ(similarityOf(metrics), 0.5) << "the same on both sides";
  metrics.unequal = 1;
  EXPECT_EQ(similarityOf(metrics), 0) << "of different signs";
}

TEST(PrecisionVerdict, AllGood) {
  PrecisionReport report = reportOf(
      {sampleChain(perLayer, {1, 0.9999}), sampleChain(endToEnd, {1, 1})});
  report.sampleSource = "samples\n";
  EXPECT_EQ(verdictText(report),
            "Compared on 2 samples (samples\uFFFD).\n"
            "Layers, PerLayer Reference: all 2 reach 0.999.\n"
            "Outputs, EndToEnd Reference: 1 of 1 is good.\n"
            "  l1_out: good, 1.00000\n"
            "Layers, EndToEnd Reference: none of 2 falls below 0.99.\n");
}

TEST(PrecisionVerdict, SaysWhetherSamplesWereCalibratedOn) {
  PrecisionReport report = reportOf({sampleChain(endToEnd, {1})});
  report.sampleSource = "set.tar";
  report.sampleNames = {"a", "b\n"};
  report.sampleOrigin = SampleOrigin::HeldOut;
  EXPECT_EQ(comparedSamples(report),
            "Compared on 2 samples (set.tar), held out of "
            "the calibration: a, b\uFFFD.\n");
  report.sampleOrigin = SampleOrigin::Calibrated;
  report.sampleNames.clear();
  EXPECT_EQ(comparedSamples(report),
            "Compared on 2 samples (set.tar).\n"
            "They have set the ranges as well, so others may do worse: give "
            "more than calibration_size samples, or set "
            "quant.input_sample_dir.\n");
  EXPECT_TRUE(verdictText(report).starts_with(comparedSamples(report)));
  PrecisionReport read = parsePrecisionJson(precisionJson(report), "file");
  EXPECT_EQ(read.sampleOrigin, SampleOrigin::Calibrated);
}

TEST(PrecisionVerdict, NamesTheFirstBadLayerAndTheLargestDrop) {
  // The fourth layer is on another branch: going back down is not a drop.
  PrecisionTable chain =
      sampleChain(endToEnd, {1, 0.995, 0.985, 1, 0.984, 0.97, 0.975});
  chain.mode = AnalysisMode::NPUBackend;
  chain.rows.back().metrics.worstSampleCosine = 0.96;
  EXPECT_EQ(
      verdictText(
          reportOf({sampleChain(perLayer, {1, 0.9985, 0.95, 0.9995}), chain})),
      "Compared on 2 samples.\n"
      "Layers, PerLayer Reference: 2 of 4 are below 0.999, the lowest is l2 "
      "(tensor l2_out) with 0.95000.\n"
      "Outputs, EndToEnd NPUBackend: 0 of 1 is good.\n"
      "  l6_out: bad, 0.97500 (samples 0.96000 … 0.97500): its cosine is below "
      "0.98\n"
      "Layers, EndToEnd NPUBackend: 4 of 7 are below 0.99, the first is l2 "
      "(tensor l2_out) with 0.98500. The largest drop, from 0.98400 to "
      "0.97000, is at l5 (tensor l5_out).\n");
}

TEST(PrecisionVerdict, GroupsOfChannelsHaveLinesOfTheirOwn) {
  PrecisionTable chain = sampleChain(endToEnd, {0.999});
  ChannelGroup boxes{.channels = {{0, 3}}, .max = 640, .cosine = 0.9993};
  boxes.samples = 8;
  boxes.mean = 0.9993;
  boxes.deviation = 0.0003;
  boxes.worstSample = 2;
  boxes.lowest = 0.99891;
  boxes.highest = 0.99968;
  ChannelGroup scores = boxes;
  scores.channels = {{4, 83}};
  scores.max = 0.93;
  chain.rows.back().groups = {boxes, scores};
  auto outputLines = [&] {
    std::string text = verdictText(reportOf({chain}));
    return text.substr(0, text.find("Layers"));
  };
  EXPECT_EQ(outputLines(),
            "Compared on 2 samples.\n"
            "Outputs, EndToEnd Reference: 1 of 1 is good.\n"
            "  l0_out: good\n"
            "    channels 0–3 (0 … 640): 0.9993 (samples 0.9989 … 0.9997)\n"
            "    channels 4–83 (0 … 0.93): 0.9993 (samples 0.9989 … 0.9997)\n");
  // No threshold lets pass what is lost.
  EXPECT_TRUE(passes(reportOf({chain}), 0.99));
  chain.rows.back().groups[1].lost = {.channels = {{4, 83}}, .max = 0.93};
  EXPECT_NE(outputLines().find("  l0_out: bad: channels 4–83 (0 … 0.93) are "
                               "all 0 after quantization\n"),
            std::string::npos);
  EXPECT_FALSE(passes(reportOf({chain}), 0));
  EXPECT_TRUE(
      isWorse(reportOf({sampleChain(endToEnd, {0.985})}), reportOf({chain})));
}

TEST(PrecisionVerdict, LayersWithSeveralResultsCountOnce) {
  PrecisionTable table = sampleChain(perLayer, {0.5, 0.6, 1});
  table.rows[1].node = table.rows[0].node;
  EXPECT_NE(verdictText(reportOf({table})).find("1 of 2 are below 0.999"),
            std::string::npos);
}

TEST(PrecisionVerdict, SaysWhatWasNotMeasured) {
  EXPECT_EQ(verdictText(sampleReport()),
            "Compared on 2 samples (calibration).\n"
            "Layers, PerLayer Reference: 2 of 4 are below 0.999, the lowest "
            "is 层\"1\" (tensor 层\"1\"_out) with 0.99950 without values "
            "whose NaN or Inf the other side does not have.\n"
            "How good the outputs are was not measured: set "
            "quant.precision_analysis_method to EndToEnd for that.\n");
  PrecisionTable inner = sampleChain(endToEnd, {1, 1});
  inner.rows.back().isOutput = false;
  std::string text = verdictText(reportOf({inner, sampleChain(perLayer, {})}));
  EXPECT_NE(text.find("Outputs, EndToEnd Reference: none was compared."),
            std::string::npos);
  EXPECT_NE(text.find("PerLayer Reference: nothing was compared."),
            std::string::npos);
  EXPECT_EQ(verdictText({}).find("Compared on 0 samples.\nHow good"), 0u);
}

TEST(PrecisionVerdict, OutputsDecideWhetherItPasses) {
  PrecisionReport report = reportOf(
      {sampleChain(perLayer, {0.5}), sampleChain(endToEnd, {0.9, 0.98})});
  EXPECT_TRUE(passes(report, 0.98));
  EXPECT_FALSE(passes(report, 0.9801));
  // Every output of every mode counts.
  report.tables.push_back(sampleChain(endToEnd, {1, 0.97}));
  EXPECT_FALSE(passes(report, 0.98));
  report.tables.back().rows.back().metrics.cosine = 1;
  EXPECT_TRUE(passes(report, 0.98));
  report.tables.back().rows.back().metrics.nanA = 1;
  report.tables.back().rows.back().metrics.special = 1;
  report.tables.back().rows.back().metrics.unequal = 1;
  EXPECT_FALSE(passes(report, 0.98));
}

TEST(PrecisionVerdict, LayersByThemselvesDoNotPass) {
  PrecisionReport report = reportOf({sampleChain(perLayer, {1, 1})});
  EXPECT_FALSE(passes(report, 0));
  EXPECT_EQ(whyNotJudged(report),
            "no output was compared with all errors accumulated");
  EXPECT_FALSE(isBad(report)) << "nobody knows";
}

TEST(PrecisionVerdict, NothingComparedDoesNotPass) {
  EXPECT_FALSE(passes({}, 0));
  EXPECT_FALSE(passes(reportOf({sampleChain(perLayer, {})}), 0));
  PrecisionTable inner = sampleChain(endToEnd, {1, 1});
  inner.rows.back().isOutput = false;
  EXPECT_FALSE(passes(reportOf({inner, sampleChain(perLayer, {1})}), 0));
  PrecisionTable unseen = sampleChain(endToEnd, {1});
  unseen.rows.back().metrics.samples = 0;
  EXPECT_FALSE(passes(reportOf({unseen}), 0.5));
}

} // namespace
