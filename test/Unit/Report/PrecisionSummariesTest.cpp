//===- PrecisionSummariesTest.cpp - Distributions of values and times -----===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are exact in binary, so that files can be compared as texts.
//===----------------------------------------------------------------------===//
#include "PrecisionSamples.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

constexpr const char *header =
    "OP name,MSE,Float min,Float max,Float mean,Float std,Float var,Quantized "
    "min,Quantized max,Quantized mean,Quantized std,Quantized var,Min-Max data "
    "range,Tensor,Shape,QDType\n";

WeightRow weight(std::string node, double mse) {
  ValueSummary floats{
      .count = 8, .min = -1, .max = 2, .mean = 0.125, .variance = 2.25};
  ValueSummary quantized{
      .count = 8, .min = -0.75, .max = 1.5, .mean = 0.0625, .variance = 0.25};
  return {node, node + ".w", {8}, "S8", mse, floats, quantized};
}

TEST(PrecisionSummaries, WeightsHaveTheWorstOnTop) {
  PrecisionReport report;
  report.weights = {weight("good", 0.1), weight("b,ad", 0.5),
                    weight("fine", 0)};
  const std::string numbers =
      "-1,2,0.125,1.5,2.25,-0.75,1.5,0.0625,0.5,0.25,3,";
  EXPECT_EQ(weightsTableCsv(report), header + ("\"b,ad\",0.5," + numbers) +
                                         "\"b,ad.w\",\"(8,)\",S8\n"
                                         "good,0.1," +
                                         numbers +
                                         "good.w,\"(8,)\",S8\n"
                                         "fine,0," +
                                         numbers + "fine.w,\"(8,)\",S8\n");
}

TEST(PrecisionSummaries, FilesHaveAllDigits) {
  PrecisionReport report;
  report.weights = {weight("w", 1.0 / 3)};
  EXPECT_NE(weightsTableCsv(report).find("\nw,0.3333333333333333,"),
            std::string::npos);
}

TEST(PrecisionSummaries, AScreenHasTheWorstOnly) {
  PrecisionReport report;
  report.weights = {weight("good", 0.25), weight("bad", 0.5),
                    weight("fine", 0.125)};
  std::string screen = renderWeights(report, 2);
  EXPECT_EQ(screen.find("Weights summary\n"), 0u);
  EXPECT_LT(screen.find("bad"), screen.find("good"));
  EXPECT_NE(screen.find("good"), std::string::npos);
  EXPECT_EQ(screen.find("fine"), std::string::npos);
  EXPECT_EQ(renderWeights({}, 2), "");
}

TEST(PrecisionSummaries, ActivationsAreThoseOfSingleLayers) {
  PrecisionReport report;
  report.tables = {sampleChain(AnalysisMethod::EndToEnd, {0.5}), sampleTable()};
  EXPECT_EQ(activationsTableCsv(report), header) << "nothing was summarized";
  PrecisionRow &row = report.tables[1].rows[0];
  row.metrics.mse = 0.25;
  row.metrics.reference = weight("", 0).floats;
  row.metrics.quantized = weight("", 0).quantized;
  EXPECT_EQ(activationsTableCsv(report),
            std::string(header) +
                "conv,0.25,-1,2,0.125,1.5,2.25,-0.75,1.5,0.0625,0.5,0.25,3,"
                "conv_out,\"(1, 32, 112, 112)\",U8\n");
  EXPECT_EQ(renderActivations(report, 10).find("Activations summary\n"), 0u);
  report.tables.pop_back();
  EXPECT_EQ(renderActivations(report, 10), "");
}

TEST(PrecisionSummaries, TimesAreInMicroseconds) {
  PrecisionReport report;
  report.times = {{"nn.conv 'stem'", 0.0015, 0.75, 3},
                  {"nn.add 'sum'", 0.0005, 0.25, 6}};
  EXPECT_EQ(profilingTableCsv(report),
            "Operator,Total execution time [us],Share,Calls\n"
            "nn.conv 'stem',1500.000,0.750000,3\n"
            "nn.add 'sum',500.000,0.250000,6\n");
}

TEST(PrecisionSummaries, LossIsRankedByWhatLayersLoseAlone) {
  PrecisionReport report;
  report.attribution = Attribution{.samples = 1,
                                   .measured = 0.02,
                                   .rows = {{"a", "a_out", "Conv", 0, 0.05},
                                            {"b", "b_out", "Conv", 0, -0.03}}};
  report.attribution->rows[0].alone = 0.001;
  report.attribution->rows[1].alone = 0.004;
  EXPECT_EQ(attributionTableCsv(report),
            "Operator,Type,Output Tensor,Alone,Part,Weights,Activations\n"
            "b,Conv,b_out,0.004,-0.03,0,-0.03\n"
            "a,Conv,a_out,0.001,0.05,0,0.05\n");
}

TEST(PrecisionSummaries, SaysWhichSamplesTheLossIsOf) {
  PrecisionReport report;
  report.samples = 8;
  report.attribution = Attribution{.samples = 4,
                                   .measured = 0.02,
                                   .rows = {{"a", "a_out", "Conv", 0, 0.02}}};
  std::string title = "Loss of outputs by layer【Reference】";
  EXPECT_EQ(renderAttribution(report, 1).find(title +
                                              " (the first 4 of 8 samples)\n"),
            0u);
  report.samples = 4;
  EXPECT_EQ(renderAttribution(report, 1).find(title + "\n"), 0u);
}

TEST(PrecisionSummaries, SuggestionsSayWhatTheirNumbersAreOf) {
  PrecisionReport report;
  report.samples = 8;
  report.tables = {sampleChain(AnalysisMethod::EndToEnd, {0.9, 0.8})};
  std::vector<PrecisionRow> &rows = report.tables[0].rows;
  rows[1].isOutput = true;
  report.suggestions = {
      {"ranges", {}, {{"quant.calibration_method", "\"KL\""}}, 0.1, 0, 4},
      {"types", {"b"}, {{"a", "1"}}, 0.15, 12}};
  EXPECT_EQ(renderSuggestions(report).find(
                "What to change\n  1. ranges: executed on 4 samples: cosine of "
                "outputs 0.90000 instead of 0.80000, no cycles more\n"),
            0u)
      << renderSuggestions(report);
  EXPECT_NE(renderSuggestions(report).find(
                "2. types: predicted cosine of outputs 0.95000 instead of "
                "0.80000, 12 cycles more\n"),
            std::string::npos);
  // The channels that decide, and the mean over outputs.
  rows[0].isOutput = true;
  rows[1].groups.resize(2);
  rows[1].groups[1].cosine = 0.5;
  EXPECT_NE(renderSuggestions(report).find(
                "cosine of the weakest channels of outputs (the mean of 2) "
                "0.80000 instead of 0.70000"),
            std::string::npos)
      << renderSuggestions(report);
}

TEST(PrecisionSummaries, PartsThatDontAddUpAreNotShown) {
  PrecisionReport report;
  report.attribution = Attribution{.samples = 1,
                                   .measured = 0.01864,
                                   .rows = {{"a", "a_out", "Conv", 0, 2.4e6}}};
  std::string text = renderAttribution(report, 10, {});
  EXPECT_NE(text.find("could not be shared out"), std::string::npos) << text;
  EXPECT_EQ(text.find("a_out"), std::string::npos) << text;
  EXPECT_EQ(attributionTableCsv(report).find("a_out"), std::string::npos);
}

TEST(PrecisionSummaries, CyclesOfSuggestionsSayWhatTheyLeaveOut) {
  PrecisionReport report = sampleReport();
  Application applied{&report, &report, 0, 100, 130, 20};
  EXPECT_NE(renderApplied(applied).find(
                "Cycles: 100 before, 120 predicted, 130 verified.\n"),
            std::string::npos);
  applied.hasInputProcessors = true;
  EXPECT_NE(renderApplied(applied).find(
                "130 verified, without those of input processors.\n"),
            std::string::npos);
}

} // namespace
