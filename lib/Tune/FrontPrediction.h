//===- FrontPrediction.h - Costs and losses before trials ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The networks between 8 and 16 bits of which none loses less and costs less
// than another, as one attribution of losses predicts them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_FRONTPREDICTION_H
#define PARALLAX_LIB_TUNE_FRONTPREDICTION_H

#include "Search.h"
#include "WidthChoice.h"

namespace parallax {

/// A point of the predicted front.
struct FrontPoint {
  std::vector<ConfigEdit> edits;
  /// The part of the squared errors that is left.
  double left = 1;
  int64_t cost = 0;
};

class FrontPrediction {
public:
  explicit FrontPrediction(Search &search)
      : search(search), bench(search.bench) {}

  /// The front with these levers. What tensors lose is attributed at `best`, or
  /// first of all, if that is null, at 8 bits.
  std::vector<FrontPoint> predict(const std::vector<ConfigEdit> &levers,
                                  const TrialRecord *best);
  /// Forgets what was lost with other levers.
  void forget() { losses = {}; }
  /// Rules for 16 bits everywhere, or float where 16 bits are not allowed.
  std::vector<ConfigEdit> widest() const;

private:
  PrecisionReport analyze();
  void addLosses(const PrecisionReport &report);
  void limitTypes(WidthProblem &problem) const;
  bool addCosts(WidthProblem &problem) const;
  double leftOf(const Trial &trial) const;

  Search &search;
  Workbench &bench;
  TensorLosses losses;
  PrecisionReport narrow;
  std::optional<LossModel> network;
};

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_FRONTPREDICTION_H
