//===- OutputWorth.h - What errors of outputs are worth --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The cosine of an output is that of its largest numbers. Layers are blamed for
// what their errors do to the task, or to the groups of channels that the
// verdict judges.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_OUTPUTWORTH_H
#define PARALLAX_LIB_PIPELINE_OUTPUTWORTH_H

#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// For AnalysisOptions::weigh. The state has to stay.
decltype(AnalysisOptions::weigh) worthOfErrors(BuildState &state);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_OUTPUTWORTH_H
