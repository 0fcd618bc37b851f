//===- PrecisionReport.h - The result of an analysis -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The result of comparing a network with its quantized form: plain numbers in
// the order of the network, for tables, files and verdicts.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_PRECISIONREPORT_H
#define PARALLAX_ANALYSIS_PRECISIONREPORT_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Analysis/Attribution.h"
#include "parallax/Analysis/BitDifference.h"
#include "parallax/Analysis/ChannelGroups.h"
#include "parallax/Analysis/Diagnosis.h"
#include "parallax/Analysis/Histogram.h"
#include "parallax/Analysis/TensorComparison.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// What an output has to reach with all errors accumulated.
inline constexpr double outputThreshold = 0.98;
/// What a layer has to reach by itself.
inline constexpr double layerThreshold = 0.999;
/// Where the accumulated error begins to matter.
inline constexpr double fallThreshold = 0.99;

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
  /// What its codes stand for; none if it has none.
  std::optional<AffineParams> codes = std::nullopt;
  /// The tensors that the layer computes it from; no weights.
  std::vector<std::string> inputs = {};
  /// Cycles of the layer on the NPU; 0 if that is unknown.
  int64_t cycles = 0;
  /// Whether the layer only moves elements: it has the type of its readers.
  bool moves = false;
  /// Of outputs of floats with all errors accumulated.
  std::vector<ChannelGroup> groups = {};
  /// The cosine of each sample, and the root of the mean square error of each
  /// channel; none if there are too many to look at.
  std::vector<float> sampleCosines = {}, channelErrors = {};
};

/// The similarity of an output as its verdict sees it: that of its weakest
/// group of channels.
double decidingSimilarity(const PrecisionRow &output);

struct PrecisionTable {
  AnalysisMethod method = AnalysisMethod::PerLayer;
  AnalysisMode mode = AnalysisMode::Reference;
  std::vector<PrecisionRow> rows;
  /// Tensors of the float network that the other one does not have.
  std::vector<std::string> unmatched;
};

/// The channel with the largest magnitude, and the one in the middle. Channels
/// that are all zero don't count.
struct ChannelPeak {
  int64_t channel = -1;
  double largest = 0, median = 0;

  /// 1 if there are no channels.
  double ratio() const { return median > 0 ? largest / median : 1; }
};
ChannelPeak peakOf(std::span<const float> channelMaxima);

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
  ChannelPeak peak = {};
};

/// Operands of a layer that no other layer computes: weights and biases.
struct WeightRow {
  std::string node, tensor;
  Shape shape;
  std::string quantType;
  double mse = 0;
  ValueSummary floats, quantized;
  /// By channel of the layer's results, and by channel of what it reads; none
  /// without such dimensions.
  ChannelPeak outputs = {}, inputs = {};
};

/// What the samples of the calibration hold of an input.
struct CalibratedInput {
  std::string tensor;
  ValueSummary values;
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

/// How the float values of a tensor lie around its clip lines.
struct HistogramRow {
  std::string node, tensor;
  bool isWeight = false;
  /// Of one channel; -1 is the whole tensor.
  int64_t channel = -1;
  /// The values are those of so many samples; weights have none.
  int64_t samples = 0;
  Histogram values = Histogram();
  /// What their codes stand for; none without codes.
  std::optional<Histogram> quantized = std::nullopt;
  /// The values of the outermost codes; none without codes.
  std::optional<std::pair<double, double>> clip = std::nullopt;
};

/// Where the samples of an analysis come from: those that the calibration has
/// left out, those that it has seen, or others.
enum class SampleOrigin { Others, HeldOut, Calibrated };

std::string_view nameOf(SampleOrigin origin);

struct PrecisionReport {
  int64_t samples = 0;
  std::string sampleSource;
  SampleOrigin sampleOrigin = SampleOrigin::Others;
  /// One for each sample, or none if they have no names.
  std::vector<std::string> sampleNames;
  std::vector<PrecisionTable> tables;
  /// What the network reads, compared with its codes: rows of type "Input".
  std::vector<PrecisionRow> inputs;
  /// Of the same inputs; empty if the samples are those of the calibration.
  std::vector<CalibratedInput> calibratedInputs;
  /// Tensors with a channel of level 3 or more.
  std::vector<OutlierRow> outliers;
  /// In the order of the network.
  std::vector<WeightRow> weights;
  /// The longest first.
  std::vector<TimeRow> times;
  /// Nothing if it was not asked for.
  std::optional<Attribution> attribution;
  /// By output; empty if it was not asked for.
  std::vector<WaterfallRow> waterfall;
  /// Layers whose bits differ between the engines, in the order of the network.
  std::vector<BitDifference> differences;
  /// Tensors whose bits differ where the engines had given their layers other
  /// codes to read: whether such a layer is right is not known.
  std::vector<std::string> unexamined;
  /// Those of weights, then those of activations.
  std::vector<HistogramRow> histograms;
  /// The worst first.
  std::vector<Diagnosis> diagnoses;
  /// The best first.
  std::vector<Suggestion> suggestions;
  /// Whether outliers were moved into weights already.
  bool isSmoothed = false;
  /// How well the network does its task, if that was measured: then this
  /// decides whether it is good, not the outputs.
  std::optional<TaskOutcome> task = std::nullopt;
};

/// The row of one tensor; nothing if no channel has a level of 3.
std::optional<OutlierRow> outliersOf(const std::string &tensor,
                                     std::span<const float> channelMaxima);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_PRECISIONREPORT_H
