//===- Attribution.h - Who causes the error of the outputs -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The loss of the outputs is shared out among all layers in one sweep, forward
// and back, instead of one run for each layer.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_ATTRIBUTION_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_ATTRIBUTION_H

#include "parallax/Passes/Analyze/AnalyzedNetwork.h"
#include "parallax/Support/Samples.h"

namespace parallax::analyze {

/// Nothing if no output is a float, or no sample has an output with a
/// direction.
std::optional<Attribution> attribute(const AnalyzedNetwork &views,
                                     AnalysisMode mode, const Samples &samples,
                                     const AnalysisOptions &options);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_ATTRIBUTION_H
