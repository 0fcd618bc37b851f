//===- Present.h - What a tuning shows -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Between what a search knows and the tables of lib/Report.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_PRESENT_H
#define PARALLAX_LIB_TUNE_PRESENT_H

#include "Search.h"
#include "parallax/Report/Tuning.h"
#include "parallax/Tune/TuneResult.h"

namespace parallax {

TuningTerms termsOf(const Search &search);
TunedNetwork asTuned(const TrialRecord &trial);
/// The types of the layers of what was built last, by operator.
std::vector<TypeCounts> countTypes(mlir::func::FuncOp quantized);

/// Shows the tables at the end, and writes the front beside the history.
void presentResult(const Search &search, const TuneResult &result,
                   bool isFront);

/// What was changed, what it gains and costs, and what was tried in vain.
std::string describeResult(const TuneResult &result);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_PRESENT_H
