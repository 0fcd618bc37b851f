//===- PrecisionSamples.h - Analyses that never ran ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Small reports with everything that makes tables and files hard to write.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_REPORT_PRECISIONSAMPLES_H
#define PARALLAX_TEST_UNIT_REPORT_PRECISIONSAMPLES_H

#include "parallax/Report/Precision.h"

namespace parallax {

inline PrecisionRow sampleRow(std::string node, double cosine) {
  PrecisionRow row;
  row.node = std::move(node);
  row.tensor = row.node + "_out";
  row.type = "Conv";
  row.shape = {1, 32, 112, 112};
  row.floatType = "FP32";
  row.quantType = "U8";
  row.metrics.samples = 2;
  row.metrics.count = 802816;
  row.metrics.cosine = cosine;
  row.metrics.mse = 0.000034;
  row.metrics.sqnrDb = 35.5;
  row.metrics.maxAbs = 0.25;
  row.metrics.maxSteps = 2.5;
  row.metrics.worstSample = 1;
  row.metrics.worstSampleCosine = 0.875;
  row.metrics.channels = 32;
  row.metrics.worstChannel = 7;
  row.metrics.worstChannelCosine = 0.5;
  row.metrics.deadChannels = 3;
  row.metrics.saturated = 0.0001;
  return row;
}

/// A good row, one with NaNs, one of integers, and one of a single number.
inline PrecisionTable sampleTable() {
  PrecisionTable table;
  PrecisionRow nans = sampleRow("层\"1\"", 0.9995);
  nans.metrics.nanA = 4;
  nans.metrics.infA = nans.metrics.infB = 1;
  nans.metrics.special = 5;
  nans.metrics.unequal = 4;
  PrecisionRow indices;
  indices.node = indices.tensor = "top";
  indices.type = "TopK";
  indices.shape = {8};
  indices.floatType = indices.quantType = "INT64";
  indices.metrics.samples = 2;
  indices.metrics.count = indices.metrics.rows = 16;
  indices.metrics.isExact = true;
  indices.metrics.agreement = 0.75;
  indices.metrics.worstSample = 0;
  indices.metrics.worstSampleCosine = 0.5;
  PrecisionRow scalar = sampleRow("sum", 1);
  scalar.type = "ReduceSum";
  scalar.quantType = "FP32";
  scalar.shape = {};
  scalar.metrics = {};
  scalar.metrics.samples = 2;
  scalar.metrics.count = 2;
  scalar.isOutput = true;
  table.rows = {sampleRow("conv", 0.9999999), nans, indices, scalar};
  table.unmatched = {"relu_out", "a,b"};
  return table;
}

/// Layers of the given cosines, the last of which makes the output.
inline PrecisionTable sampleChain(AnalysisMethod method,
                                  const std::vector<double> &cosines) {
  PrecisionTable table;
  table.method = method;
  for (double cosine : cosines)
    table.rows.push_back(
        sampleRow("l" + std::to_string(table.rows.size()), cosine));
  if (!table.rows.empty()) {
    table.rows.back().isOutput = true;
    table.rows.back().metrics.deadChannels = 0;
    table.rows.back().metrics.worstSampleCosine = cosines.back();
  }
  return table;
}

inline PrecisionReport sampleReport() {
  PrecisionReport report;
  report.samples = 2;
  report.sampleSource = "calibration";
  report.tables = {sampleTable()};
  report.outliers = {{"norm", 64, 0.03125, {0.5, 0.25, 0.125, 0}}};
  return report;
}

/// Something in every member.
inline PrecisionReport completeReport() {
  PrecisionReport report = sampleReport();
  ValueSummary values{
      .count = 8, .min = -1, .max = 2, .mean = 0.125, .variance = 2.25};
  report.tables.push_back(sampleChain(AnalysisMethod::EndToEnd, {0.995, 0.97}));
  report.tables.back().mode = AnalysisMode::NPUBackend;
  PrecisionRow &row = report.tables[0].rows[0];
  row.codes = AffineParams{.scale = 0.1f, .zeroPoint = 12};
  row.inputs = {"image"};
  row.cycles = 1234;
  row.metrics.quantized = row.metrics.reference = values;
  ChannelGroup boxes{.channels = {{0, 3}, {5, 5}}, .max = 640, .samples = 2};
  boxes.lowest = boxes.mean = 0.1 + 0.2;
  ChannelGroup scores{.channels = {{4, 4}}, .max = 0.9, .deviation = 0.25};
  scores.lost = {.channels = {{4, 4}}, .max = 0.9, .areZero = false};
  report.tables.back().rows.back().groups = {boxes, scores};
  report.isSmoothed = true;
  report.inputs = {sampleRow("image", 0.99999)};
  report.inputs[0].type = "Input";
  report.weights = {{"conv", "conv.w", {8}, "S8", 0.1 + 0.2, values, values}};
  report.weights[0].outputs = {3, 2.5, 0.5};
  report.outliers[0].peak = {7, 64, 1};
  report.calibratedInputs = {{"image", values}};
  report.attribution =
      Attribution{AnalysisMode::NPUBackend,
                  2,
                  0.03,
                  {{"", "image", "Input", 0, 0.001, 0.002},
                   {"conv", "conv_out", "Conv", 0.01, 0.02, 0.04, 0.015}}};
  report.waterfall = {{"sum_out", 1e-9, 0.01, 0.02, 0.03, true}};
  report.differences = {
      {"conv",
       "conv_out",
       "Conv",
       100,
       3,
       1,
       DifferenceClass::RoundingTie,
       true,
       {{1, {0, 2, 3, 4}, 17, 18, 17.5, "x = 1 2, w = 3 4, sum = 11"}}}};
  report.diagnoses = {
      {"conv", "conv_out", Cause::DeadChannels, "3 of 32 are dead.", 0.02}};
  report.suggestions = {
      {"16 bits",
       {"conv"},
       {{"quant.layer_configs", R"({"layer_names":["conv"],"data_type":"U16"})",
         true},
        {"quant.calibration_method", R"("MSE")", false}},
       0.015,
       200}};
  HistogramRow histogram{.node = "conv", .tensor = "conv_out", .samples = 1};
  histogram.values = Histogram(64);
  std::vector<float> many = {-1, 0, 0.1f, 0.1f, 2.75f};
  histogram.values.add(many);
  histogram.clip = {-0.5, 2};
  histogram.quantized = Histogram(64);
  histogram.quantized->add(std::vector<float>{-0.5f, 0, 0.1f, 0.1f, 2});
  HistogramRow empty{.node = "conv", .tensor = "conv.w", .isWeight = true};
  report.histograms = {empty, histogram};
  return report;
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_REPORT_PRECISIONSAMPLES_H
