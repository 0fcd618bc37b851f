//===- Evaluation.h - Accuracy on labelled samples -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the configuration's `evaluation` is for.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_EVALUATION_H
#define PARALLAX_PIPELINE_EVALUATION_H

#include "parallax/Pipeline/Build.h"
#include "parallax/Pipeline/FloatStage.h"

namespace parallax {

/// Inputs for the check of the optimized network: the first of the evaluation
/// set, or random ones.
Samples evaluationSamples(const BuildConfig &config,
                          std::span<const PortInfo> inputs);

/// Measures and shows how many of the labelled samples a network classifies
/// correctly; `what` says which network it is.
Accuracy measureAccuracy(const Executable &executable, std::string_view what,
                         const BuildConfig &config, int threads);

} // namespace parallax

#endif // PARALLAX_PIPELINE_EVALUATION_H
