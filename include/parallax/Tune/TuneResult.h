//===- TuneResult.h - What a tuning has found ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Plain data, for programs as for the screen.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TUNE_TUNERESULT_H
#define PARALLAX_TUNE_TUNERESULT_H

#include "parallax/Tune/TrialRecord.h"

#include <filesystem>

namespace parallax {

/// A network on samples that the search has not seen.
struct ValidatedMetric {
  double floats = 0;
  Estimate metric, loss;
  int64_t samples = 0;
};

struct TuneResult {
  /// "mAP50-95", or "similarity" without labels.
  std::string metric;
  /// What may be lost, as a difference.
  double tolerableLoss = 0;
  /// Whether the best trial keeps to that on the samples it was tuned on.
  bool isMet = false;
  /// Why the search ended before it was through; empty if it was.
  std::string ended;
  std::vector<TrialRecord> trials;
  /// Of these: as configured, and the best.
  TrialRecord base, best;
  /// Both on the other part of the samples; none without such a part.
  std::optional<ValidatedMetric> baseValidated, bestValidated;
  std::filesystem::path history, tunedConfig, compiledModel;
  /// What to look at in a browser; empty if this program has no page for it.
  std::filesystem::path report;
};

} // namespace parallax

#endif // PARALLAX_TUNE_TUNERESULT_H
