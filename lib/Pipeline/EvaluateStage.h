//===- EvaluateStage.h - The built network on its task ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The last phase of a build: what the network is for, measured.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_EVALUATESTAGE_H
#define PARALLAX_LIB_PIPELINE_EVALUATESTAGE_H

#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// Checks that samples and labels fit the network; throws Error.
void checkEvaluation(BuildState &state);

/// Runs the float network, the quantized one and the NPU on the samples of the
/// configuration, compares their metrics, and judges the last one.
void runEvaluateStage(BuildState &state);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_EVALUATESTAGE_H
