//===- Tuning.h - What came out of tuning, to read -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Progress and results of `parallax tune` for a screen and for programs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_TUNING_H
#define PARALLAX_REPORT_TUNING_H

#include "parallax/Analysis/Tuning.h"
#include "parallax/Report/Table.h"

#include <span>

namespace parallax {

/// Mixed Precision Statistics: the types of layers by operator.
std::string renderMixedPrecision(std::span<const TypeCounts> counts,
                                 const TableStyle &style = {});

/// "Tune 3 result is: […], Best tune result is: […]", without a line feed.
/// `best` is null as long as no network is good enough.
std::string tuneResultLine(const TuningTerms &terms, const TunedNetwork &latest,
                           const TunedNetwork *best);

/// Tune Result Statistics: the float network, a trial and the best one.
std::string renderTuneResult(const TuningTerms &terms,
                             const TunedNetwork &latest,
                             const TunedNetwork *best,
                             const TableStyle &style = {});

/// The networks that no other one beats in both cycles and metric, in the order
/// of cycles.
std::string renderFront(const TuningTerms &terms,
                        std::span<const TunedNetwork> front,
                        const TableStyle &style = {});
std::string frontCsv(const TuningTerms &terms,
                     std::span<const TunedNetwork> front);
std::string frontJson(const TuningTerms &terms,
                      std::span<const TunedNetwork> front);

/// What was predicted of trials against what came out, and how well the one
/// follows the other; nothing if no trial has a prediction.
std::string renderPredictions(const TuningTerms &terms,
                              std::span<const TunedNetwork> trials,
                              const TableStyle &style = {});

} // namespace parallax

#endif // PARALLAX_REPORT_TUNING_H
