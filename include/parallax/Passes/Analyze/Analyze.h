//===- Analyze.h - Where a network loses precision -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One network in two views: its float view and its quantized views
// run on the same samples, side by side, and are compared layer by layer.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_ANALYZE_ANALYZE_H
#define PARALLAX_PASSES_ANALYZE_ANALYZE_H

#include "parallax/Passes/Analyze/AnalyzedNetwork.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// Everything in one sweep over the samples: memory does not grow with their
/// number, and the result does not depend on the number of threads.
PrecisionReport analyzePrecision(const AnalyzedNetwork &views,
                                 const std::vector<Comparison> &comparisons,
                                 const Samples &samples,
                                 const AnalysisOptions &options = {});

/// The attribution of such a report alone. Nothing if no output is a float, or
/// no sample has an output with a direction.
std::optional<Attribution> attributeLoss(const AnalyzedNetwork &views,
                                         const Samples &samples,
                                         const AnalysisOptions &options);

} // namespace parallax

#endif // PARALLAX_PASSES_ANALYZE_ANALYZE_H
