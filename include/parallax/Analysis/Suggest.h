//===- Suggest.h - Changes of the configuration ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From measured facts to causes, and from causes to changes with a predicted
// gain and cost. Nothing is executed for that.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_SUGGEST_H
#define PARALLAX_ANALYSIS_SUGGEST_H

#include "parallax/Analysis/Diagnosis.h"
#include "parallax/Analysis/LayerCost.h"
#include "parallax/Analysis/RangeSearch.h"
#include "parallax/Config/Enums.h"
#include "parallax/Support/AffineParams.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace parallax {

/// Why layers are bad, the worst first; nothing for a healthy network.
std::vector<Diagnosis> diagnose(const PrecisionReport &report);

/// What a changed configuration makes of the network, as far as types tell.
struct Trial {
  /// The coarsest codes in which a consumer reads a tensor; float tensors have
  /// none.
  std::map<std::string, AffineParams> codes;
  /// The layers whose weights have more than 8 bits.
  std::set<std::string> wideWeights;
  int64_t cycles = 0;
  /// In the order of the network that the NPU computes.
  std::vector<LayerCost> costs = {};
};

struct SuggestOptions {
  QuantMethod calibrationMethod = QuantMethod::MinMax;
  bool smoothQuant = false;
  bool highestMixPrecision = false;
  /// The new value of quant.input_configs that calibrates on the analyzed
  /// samples; empty if they are those of the calibration already.
  std::string inputConfigs;
  /// The least and the greatest value of tensors in the calibration, where
  /// ranges are narrower than that.
  std::map<std::string, Interval> calibrated;
  /// Of the network as it is.
  int64_t cycles = 0;
  /// Nothing if the network can't be built in that way.
  std::function<std::optional<Trial>(const std::vector<ConfigEdit> &)> attempt;
};

/// Changes against what was diagnosed: first those that bring all outputs to
/// what they need, the cheapest before the others, then the largest gain.
std::vector<Suggestion> suggest(const PrecisionReport &report,
                                const SuggestOptions &options);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_SUGGEST_H
