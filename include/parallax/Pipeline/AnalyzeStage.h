//===- AnalyzeStage.h - Where the precision goes ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The phase that compares the quantized network with the float one, shows where
// they differ, and writes all of it to quant/debug.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_ANALYZESTAGE_H
#define PARALLAX_PIPELINE_ANALYZESTAGE_H

#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// The inputs that are analyzed: all that there are, of which
/// quant.precision_analysis_size are looked at.
AnalyzedSamples analyzedSamples(BuildState &state);

void runAnalyzeStage(BuildState &state);

} // namespace parallax

#endif // PARALLAX_PIPELINE_ANALYZESTAGE_H
