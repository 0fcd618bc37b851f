//===- Apply.cpp - Suggestions put to the proof ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Builds again from the first phase that a change matters to.
//===----------------------------------------------------------------------===//
#include "Apply.h"
#include "Suggestions.h"

#include "parallax/Passes/Quantize/Improve.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>

namespace parallax {
namespace {

/// Several suggestions as one.
struct Choice {
  std::vector<ConfigEdit> edits;
  /// The part of the loss that they are said to leave.
  double left = 1;
  int64_t extraCycles = 0;
};

/// The suggestions that were asked for.
std::span<const Suggestion> chosenOf(const PrecisionReport &report,
                                     const BuildOptions &options) {
  std::span<const Suggestion> all = report.suggestions;
  if (options.applySuggestion == 0)
    return all.first(std::min(all.size(), size_t(options.applySuggestions)));
  if (size_t(options.applySuggestion) > all.size())
    throw Error(fmt::format("--apply-suggestion {}: the analysis has only {} "
                            "suggestion{}",
                            options.applySuggestion, all.size(),
                            all.size() == 1 ? "" : "s"));
  return all.subspan(size_t(options.applySuggestion) - 1, 1);
}

Choice choose(std::span<const Suggestion> suggestions, double loss) {
  Choice choice;
  for (const Suggestion &suggestion : suggestions) {
    choice.edits.insert(choice.edits.end(), suggestion.edits.begin(),
                        suggestion.edits.end());
    choice.left *= loss > 0 ? 1 - suggestion.predictedGain / loss : 1;
    // Wider types of the same layers are paid for once.
    choice.extraCycles = std::max(choice.extraCycles, suggestion.extraCycles);
    log(LogLevel::Info, "apply suggestion: {}", suggestion.title);
  }
  return choice;
}

/// The first phase that reads what is changed.
std::string firstPhase(std::span<const ConfigEdit> edits,
                       const BuildConfig &config) {
  // Such methods have changed the float network already.
  if (asksForImprovement(config.quant))
    return "import";
  for (const ConfigEdit &edit : edits)
    if (edit.field == "quant.input_configs" ||
        edit.field == "quant.calibration_method")
      return "calibrate";
  return "quantize";
}

} // namespace

void checkApplies(const BuildConfig &config, const std::string &phaseTo) {
  if (!config.quant.precisionAnalysis)
    throw Error("--apply-suggestions needs a precision analysis: set "
                "quant.precision_analysis");
  if (!phaseTo.empty())
    throw Error("--apply-suggestions needs the whole build: leave --phase-to "
                "out");
}

void applySuggestions(BuildState &state) {
  std::optional<PrecisionReport> &report = state.result->report;
  if (!report || report->suggestions.empty()) {
    showResult("There is no suggestion to apply.\n");
    return;
  }
  PrecisionReport before = std::move(*report);
  int64_t cyclesBefore = state.cycles;
  double loss = 1 - meanSimilarity(before);
  Choice choice = choose(chosenOf(before, state.options), loss);
  BuildConfig original = state.config;
  state.config = withEdits(original, choice.edits);
  buildAgain(state, firstPhase(choice.edits, original));
  showResult(renderApplied({&before, &*report, loss * (1 - choice.left),
                            cyclesBefore, state.cycles, choice.extraCycles,
                            bool(state.network->view(views::npuCore))},
                           currentListener().style()));
  if (!isWorse(before, *report))
    return;
  log(LogLevel::Warning,
      "the network got worse, so it is built again as it was");
  state.config = original;
  buildAgain(state, "import");
}

} // namespace parallax
