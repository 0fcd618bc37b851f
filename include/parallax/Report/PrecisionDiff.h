//===- PrecisionDiff.h - Two analyses of one network -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whether a change made a network better or worse, and where. Layers are
// matched by the tensors that they give.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_PRECISIONDIFF_H
#define PARALLAX_REPORT_PRECISIONDIFF_H

#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Report/Precision.h"

namespace parallax {

/// Something before and after a change.
template <typename T> struct Change {
  T before = {}, after = {};

  bool isChanged() const { return before != after; }
};

struct LayerChange {
  std::string node, tensor, type;
  bool isOutput = false;
  Change<std::string> quantType = {};
  /// As thresholds see it.
  Change<double> similarity = {};
  Change<int64_t> cycles = {};
  /// Of outputs with all errors accumulated.
  std::optional<Change<OutputVerdict>> verdict = {};

  bool isBadNow() const {
    return verdict && verdict->after.quality == OutputQuality::Bad &&
           verdict->before.quality != OutputQuality::Bad;
  }
  /// Nothing that was compared says that it is as good as before.
  bool isUnjudgedNow() const {
    return verdict && verdict->before.isCompared && !verdict->after.isCompared;
  }
  /// How much it has lost; negative if it is better now.
  double drop() const { return similarity.before - similarity.after; }
};

/// One method in one mode.
struct TableChange {
  AnalysisMethod method = AnalysisMethod::PerLayer;
  AnalysisMode mode = AnalysisMode::Reference;
  /// Outputs first, then by drop, the largest on top.
  std::vector<LayerChange> layers = {};
  /// Tensors that one of the analyses has not compared.
  std::vector<std::string> onlyBefore = {}, onlyAfter = {};
};

/// What a layer adds to the loss of outputs.
struct LossChange {
  std::string node, tensor;
  Change<double> loss = {};
};

/// How many elements of a layer have other bits on the NPU.
struct BitChange {
  std::string node, tensor;
  Change<int64_t> differing = {};
  /// Names of classes; empty where no bit differs.
  Change<std::string> difference = {};
};

struct PrecisionDiff {
  Change<int64_t> samples = {};
  Change<std::string> sampleSource = {}, sampleOrigin = {};
  /// Those that both have.
  std::vector<TableChange> tables = {};
  /// Titles of those that one has not.
  std::vector<std::string> onlyBefore = {}, onlyAfter = {};
  /// Of all layers; 0 if that is unknown.
  Change<int64_t> cycles = {};
  /// Nothing unless both have it; the largest change first.
  std::vector<LossChange> attribution = {};
  Change<double> measuredLoss = {};
  /// Layers of either, in the order of the network.
  std::vector<BitChange> bits = {};
  /// A sentence for each thing that became worse than it may; empty if nothing
  /// did.
  std::vector<std::string> regressions = {};
};

/// Outputs may lose up to `tolerance`, unless they are bad then, and have to be
/// compared as before. Throws Error if there is no table that both have, or no
/// output in the first one.
PrecisionDiff diffPrecision(const PrecisionReport &before,
                            const PrecisionReport &after, double tolerance);

/// Tables and sentences for a screen. `all` shows layers that did not change,
/// and as many as there are.
std::string renderDiff(const PrecisionDiff &diff, bool all,
                       const TableStyle &style = {});

/// Everything, for programs.
std::string diffJson(const PrecisionDiff &diff);

} // namespace parallax

#endif // PARALLAX_REPORT_PRECISIONDIFF_H
