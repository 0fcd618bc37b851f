//===- TrialRecord.h - A network that was tried ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a tuning has changed, predicted and measured. A line of its history.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TUNE_TRIALRECORD_H
#define PARALLAX_TUNE_TRIALRECORD_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Analysis/Diagnosis.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

struct TrialRecord {
  int64_t number = 0;
  /// Which step of the strategy asked for it, in a few words: "base", "levers",
  /// "cut 3".
  std::string purpose;
  /// What differs from the configuration of the user.
  std::vector<ConfigEdit> edits;
  /// On the samples for tuning; the loss is that against the float network.
  Estimate metric, loss;
  /// How many of them it was measured on.
  int64_t samples = 0;
  /// What the objective counts.
  int64_t cycles = 0;
  std::optional<double> predictedMetric;
  std::optional<int64_t> predictedCycles;
  double seconds = 0;
  /// Of the compiled model.
  std::string digest;
  /// Why there is no result; empty if there is one.
  std::string failure;
};

/// Standard errors between an estimate and each end of its interval of 95 %.
inline constexpr double errorsToEnd = 1.96;

/// What a tuning takes a loss for: one standard error more than was measured.
/// The cheapest of several trials is one that chance was kind to, and few
/// samples leave much to chance. A loss without an interval is what it is.
inline double carefulLoss(const Estimate &loss) {
  return loss.value + std::max(0.0, loss.high - loss.value) / errorsToEnd;
}

} // namespace parallax

#endif // PARALLAX_TUNE_TRIALRECORD_H
