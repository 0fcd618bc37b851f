//===- Suggestions.h - Why, and what to change -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The step of the analysis that turns measurements into causes and into changes
// of the configuration, and the configuration with such changes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_SUGGESTIONS_H
#define PARALLAX_LIB_PIPELINE_SUGGESTIONS_H

#include "MethodTrials.h"
#include "parallax/Pipeline/Attempt.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// Fills in diagnoses and suggestions. Networks with other types are built in
/// memory to see what they cost, and those with other ranges are executed.
/// `samples` are those that were analyzed, which has `seen` their outputs, and
/// `others` those of input_sample_dir, where they are not those of the
/// calibration.
void addSuggestions(PrecisionReport &report, BuildState &state,
                    mlir::func::FuncOp machine, const Samples &samples,
                    const SeenOutputs &seen,
                    const std::optional<Samples> &others);

/// Writes quant/debug/suggestions.json and suggested_config.json, or removes
/// what an earlier build has left there.
void writeSuggestions(const PrecisionReport &report, const BuildState &state);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_SUGGESTIONS_H
