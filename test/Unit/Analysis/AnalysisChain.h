//===- AnalysisChain.h - A network to find causes in -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The analysis of a small network that has nothing wrong, until a test changes
// it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_ANALYSIS_ANALYSISCHAIN_H
#define PARALLAX_TEST_UNIT_ANALYSIS_ANALYSISCHAIN_H

#include "parallax/Analysis/PrecisionReport.h"

namespace parallax {

/// Values of mean 0 and deviation 1, from -3 to 3, in codes of 8 bits.
inline PrecisionRow healthyRow(const std::string &name,
                               const std::string &input) {
  PrecisionRow row;
  row.node = name;
  row.tensor = name + "_out";
  row.type = "Conv";
  row.shape = {1, 8, 4, 4};
  row.quantType = "U8";
  row.codes = AffineParams{6.0f / 255, 128, 0, 255};
  row.inputs = {input};
  row.metrics.samples = 2;
  row.metrics.count = 256;
  row.metrics.channels = 8;
  row.metrics.cosine = 0.9999;
  row.metrics.mse = 6.0 / 255 * 6 / 255 / 12;
  row.metrics.reference = {256, -3, 3, 0, 1};
  return row;
}

/// image -> a -> b -> c, where c is the output.
struct Chain {
  Chain() {
    PrecisionRow image = healthyRow("image", "");
    image.node = image.tensor = "image";
    image.type = "Input";
    image.inputs.clear();
    report.samples = 2;
    report.inputs = {image};
    PrecisionTable table;
    table.rows = {healthyRow("a", "image"), healthyRow("b", "a_out"),
                  healthyRow("c", "b_out")};
    table.rows[2].isOutput = true;
    report.tables = {table, table};
    report.tables[1].method = AnalysisMethod::EndToEnd;
    for (const char *name : {"a", "b", "c"}) {
      WeightRow weight;
      weight.node = name;
      weight.tensor = std::string(name) + ".weight";
      weight.shape = {8, 8, 1, 1};
      weight.quantType = "S8";
      weight.mse = 1e-6;
      weight.floats = {64, -1, 1, 0, 0.1};
      weight.outputs = weight.inputs = {0, 1, 0.9};
      report.weights.push_back(weight);
    }
    Attribution attribution;
    attribution.rows = {{"image", "image", "Input", 0, 1e-6, 1e-6, 0},
                        {"a", "a_out", "Conv", 1e-6, 1e-6, 2e-6, 1e-6},
                        {"b", "b_out", "Conv", 1e-6, 1e-6, 2e-6, 1e-6},
                        {"c", "c_out", "Conv", 1e-6, 1e-6, 2e-6, 1e-6}};
    attribution.measured = attribution.attributed();
    report.attribution = attribution;
  }

  PrecisionRow &layer(size_t i) { return report.tables[0].rows[i]; }
  /// The output loses what a part of a layer adds.
  void lose(double loss, size_t row, double AttributionRow::*part) {
    AttributionRow &changed = report.attribution->rows[row];
    changed.*part += loss;
    changed.alone += loss;
    if (part == &AttributionRow::weights)
      changed.aloneWeights += loss;
    report.attribution->measured = report.attribution->attributed();
    report.tables[1].rows[2].metrics.cosine = 1 - loss;
  }

  PrecisionReport report;
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_ANALYSIS_ANALYSISCHAIN_H
