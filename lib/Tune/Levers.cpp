//===- Levers.cpp - Changes that cost no cycles ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A metric of few samples says too little about changes as small as these. The
// error of the outputs, weighed by what it does to the task, says more.
//===----------------------------------------------------------------------===//
#include "Levers.h"
#include "OutputError.h"

#include "parallax/Support/Log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

/// A change that gains less is not worth having.
constexpr double leastGain = 0.05;

struct Lever {
  TuningLever kind;
  std::string_view field, value;
};
constexpr Lever levers[] = {
    {TuningLever::Calibration, "quant.calibration_method", "\"MSE\""},
    {TuningLever::Calibration, "quant.calibration_method", "\"Percentile\""},
    {TuningLever::Calibration, "quant.calibration_method", "\"KL\""},
    {TuningLever::Calibration, "quant.calibration_method", "\"MinMax\""},
    {TuningLever::SmoothQuant, "quant.enable_smooth_quant", "true"},
    {TuningLever::Equalization, "quant.enable_equalization", "true"},
    {TuningLever::EasyQuant, "quant.enable_easy_quant", "true"},
    {TuningLever::BiasCorrection, "quant.enable_bias_correction", "true"},
};

} // namespace

ChosenLevers chooseLevers(Search &search) {
  OutputError error(search);
  ChosenLevers chosen;
  double asConfigured = error.of({}), least = asConfigured;
  for (TuningLever kind : search.config.levers) {
    std::optional<ConfigEdit> better;
    double before = least;
    for (const Lever &lever : levers) {
      if (lever.kind != kind)
        continue;
      search.checkTime();
      ConfigEdit edit{std::string(lever.field), std::string(lever.value)};
      std::vector<ConfigEdit> tried = chosen.edits;
      tried.push_back(edit);
      double found = error.of(tried);
      log(LogLevel::Info, "lever {} = {}: {}", lever.field, lever.value,
          describeError(found, before));
      if (found < least * (better ? 1 : 1 - leastGain)) {
        least = found;
        better = edit;
      }
    }
    if (better)
      chosen.edits.push_back(*better);
  }
  if (asConfigured > 0 && std::isfinite(asConfigured))
    chosen.left = least / asConfigured;
  return chosen;
}

} // namespace parallax
