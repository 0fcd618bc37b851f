//===- Tuning.h - What came out of tuning a network ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Plain numbers about the networks that were tried, for tables and files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_TUNING_H
#define PARALLAX_ANALYSIS_TUNING_H

#include "parallax/Analysis/Accuracy.h"

#include <optional>

namespace parallax {

/// How many layers of an operator have which type. Those that compute with
/// neither of these are in the total only.
struct TypeCounts {
  std::string opType;
  int64_t total = 0, u8 = 0, u16 = 0, fp32 = 0;
};

/// What all networks of a tuning have in common.
struct TuningTerms {
  /// "mAP50-95", and what the objective counts: "Cycles".
  std::string metric, objective = "Cycles";
  /// False where a metric has no intervals: a command gives numbers only.
  bool hasIntervals = true;
  double floatMetric = 0;
  /// Of the network with all layers in U8.
  int64_t u8Cycles = 0;
};

/// A network that was tried.
struct TunedNetwork {
  int64_t trial = 0;
  std::string purpose;
  Estimate metric = {};
  /// What the objective counts.
  int64_t cycles = 0;
  std::optional<double> predictedMetric = {};
  std::optional<int64_t> predictedCycles = {};
  int64_t wideLayers = 0;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_TUNING_H
