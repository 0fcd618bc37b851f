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

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_REPORT_PRECISIONSAMPLES_H
