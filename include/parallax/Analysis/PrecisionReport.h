//===- PrecisionReport.h - What an analysis found out ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The result of comparing a network with itself: plain numbers in the order of
// the network, for tables, files and verdicts.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_PRECISIONREPORT_H
#define PARALLAX_ANALYSIS_PRECISIONREPORT_H

#include "parallax/Analysis/TensorComparison.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// Each layer gets the inputs of the float network, or what the quantized
/// layers in front of it gave.
enum class AnalysisMethod { PerLayer, EndToEnd };
/// Floats that are rounded to codes, or the integers of the machine.
enum class AnalysisMode { Reference, NPUBackend };

std::string_view nameOf(AnalysisMethod method);
std::string_view nameOf(AnalysisMode mode);

/// One result of a layer.
struct PrecisionRow {
  std::string node, tensor;
  /// The operator as ONNX calls it: "Conv".
  std::string type;
  Shape shape;
  /// As configurations call types: "FP32", "U8", "INT64".
  std::string floatType, quantType;
  ComparisonResult metrics;
  /// Whether the network gives this tensor to its user.
  bool isOutput = false;
};

struct PrecisionTable {
  AnalysisMethod method = AnalysisMethod::PerLayer;
  AnalysisMode mode = AnalysisMode::Reference;
  std::vector<PrecisionRow> rows;
  /// Tensors of the float network that the other one does not have.
  std::vector<std::string> unmatched;
};

/// The channels of a tensor of the float network, over all samples: the level
/// of one is log2(largest value of the tensor / largest value of the channel).
struct OutlierRow {
  std::string tensor;
  int64_t channels = 0;
  /// The part of the channels that is all zero.
  double sparse = 0;
  /// The parts with a level of at least 3, 4, 5 and 6. Channels that are all
  /// zero have none.
  double level[4] = {};
};

/// What a layer reads that is no result of another: weights and biases.
struct WeightRow {
  std::string node, tensor;
  Shape shape;
  std::string quantType;
  double mse = 0;
  ValueSummary floats, quantized;
};

/// How long a kernel of the float network took in all runs.
struct TimeRow {
  /// The operator and its layer: "conv 'stem'".
  std::string name;
  double seconds = 0;
  /// The part of the whole network.
  double share = 0;
  int64_t calls = 0;
};

struct PrecisionReport {
  int64_t samples = 0;
  std::string sampleSource;
  std::vector<PrecisionTable> tables;
  /// Tensors with a channel of level 3 or more.
  std::vector<OutlierRow> outliers;
  /// In the order of the network.
  std::vector<WeightRow> weights;
  /// The longest first.
  std::vector<TimeRow> times;
};

/// The row of one tensor; nothing if no channel has a level of 3.
std::optional<OutlierRow> outliersOf(const std::string &tensor,
                                     std::span<const float> channelMaxima);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_PRECISIONREPORT_H
