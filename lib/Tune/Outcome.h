//===- Outcome.h - What a tuning came to -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Written when everything else is: a tuning that is resumed after its end has
// its answer at once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_OUTCOME_H
#define PARALLAX_LIB_TUNE_OUTCOME_H

#include "parallax/Tune/TuneResult.h"

namespace parallax {

/// What a tuning was: its trials depend on the identity alone.
struct TuningRun {
  std::string identity;
  bool isFront = false;
  int64_t maxTrials = 0;
  /// Trials that it has asked for; the history may have more.
  int64_t asked = 0;
};

void writeOutcome(const std::filesystem::path &file, const TuningRun &run,
                  const TuneResult &result);

/// The result of a tuning that has ended, with these trials. Nothing if the
/// file is not of this run, or if the search would go on now.
std::optional<TuneResult> readOutcome(const std::filesystem::path &file,
                                      const TuningRun &run,
                                      std::vector<TrialRecord> trials);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_OUTCOME_H
