//===- Suggestions.h - Why, and what to change -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The step of the analysis that turns measurements into causes and into changes
// of the configuration, and the configuration with such changes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_SUGGESTIONS_H
#define PARALLAX_LIB_PIPELINE_SUGGESTIONS_H

#include "parallax/Pipeline/Attempt.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// Fills in diagnoses and suggestions. `others` are the analyzed samples where
/// they are not those of the calibration. Nothing is executed, but networks
/// with other types are built in memory to see what they cost.
/// `samples` are those that were analyzed, `others` those of input_sample_dir.
void addSuggestions(PrecisionReport &report, BuildState &state,
                    mlir::func::FuncOp machine, const Samples &samples,
                    const std::optional<Samples> &others);

/// Writes quant/debug/suggestions.json and suggested_config.json, or removes
/// what an earlier build has left there.
void writeSuggestions(const PrecisionReport &report, const BuildState &state);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_SUGGESTIONS_H
