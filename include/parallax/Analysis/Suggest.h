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

/// The least and the greatest value of tensors.
using SeenValues = std::map<std::string, Interval>;

/// Why layers are bad, the worst first; nothing for a healthy network.
/// `calibrated` is what the calibration has seen, if that is known.
std::vector<Diagnosis> diagnose(const PrecisionReport &report,
                                const SeenValues &calibrated = {});

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
  /// What the calibration has seen, where ranges are narrower than that.
  SeenValues calibrated;
  /// The part of the loss that another calibration method leaves, executed on
  /// so many samples. May be null; gives nothing if it can't be built.
  std::function<std::optional<double>(QuantMethod)> partLeft = nullptr;
  int64_t executedOn = 0;
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
