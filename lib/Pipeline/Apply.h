//===- Apply.h - Suggestions put to the proof ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax build --apply-suggestions` and `--apply-suggestion` do after
// the first build.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_APPLY_H
#define PARALLAX_LIB_PIPELINE_APPLY_H

#include "parallax/Pipeline/Phases.h"

namespace parallax {

inline bool asksToApply(const BuildOptions &options) {
  return options.applySuggestions > 0 || options.applySuggestion > 0;
}

/// Throws Error if the build is not going to end with an analysis.
void checkApplies(const BuildConfig &config, const std::string &phaseTo);

/// Changes the configuration by the first suggestions of the analysis, or by
/// the one that was asked for, builds again from the first phase that they
/// matter to, and prints what was predicted beside what was measured. If the
/// network got worse, it is built once more as it was.
void applySuggestions(BuildState &state);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_APPLY_H
