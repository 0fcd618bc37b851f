//===- OutputVerdict.h - Whether an output may be used ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Without labels, only what the samples support may be called good. Whoever
// judges an output asks here: texts, files, exit codes, suggestions.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_OUTPUTVERDICT_H
#define PARALLAX_ANALYSIS_OUTPUTVERDICT_H

#include "parallax/Analysis/PrecisionReport.h"

namespace parallax {

/// What the cosine of a group of channels has to reach, and the similarity of
/// its worst sample. An error of 14 % of the signal costs 0.01, one of 20 %
/// costs 0.02. That is a convention: docs/precision-analysis.md has the few
/// networks whose accuracy was measured, which agree with it. In between only
/// the task itself tells.
inline constexpr double goodCosine = 0.99, badCosine = outputThreshold;
inline constexpr double goodSample = 0.95, badSample = 0.9;
/// Of rows whose largest element is the same or nearly as large, and of
/// integers and truth values that are equal.
inline constexpr double goodAgreement = 0.99, badAgreement = 0.95;

/// The best last.
enum class OutputQuality { Bad, Undecided, Good };
/// "bad", "undecided" or "good".
std::string_view nameOf(OutputQuality quality);

struct OutputVerdict {
  OutputQuality quality = OutputQuality::Undecided;
  /// A part of a sentence; empty for what is good.
  std::string reason = {};
  /// At least one. Analyses without groups, and integers, have one for all.
  std::vector<ChannelGroup> groups = {};
  /// False where a comparison says nothing: of no elements, or of one number.
  bool isCompared = true;

  /// The lowest cosine of a group.
  double weakestCosine() const;
};

/// `output` is a row of `table`, and that is one of `report`.
OutputVerdict judgeOutput(const PrecisionReport &report,
                          const PrecisionTable &table,
                          const PrecisionRow &output);

/// An output with all errors accumulated.
struct JudgedOutput {
  const PrecisionTable *table = nullptr;
  const PrecisionRow *row = nullptr;
  OutputVerdict verdict = {};
};
/// Of all modes, in the order of the tables.
std::vector<JudgedOutput> judgeOutputs(const PrecisionReport &report);
/// As the last mode has them: the NPU's, if it was analyzed.
std::vector<JudgedOutput> judgeFinalOutputs(const PrecisionReport &report);

/// Why not all outputs can be judged: one without a comparison that says
/// something, or no analysis of outputs at all. Empty if all can.
std::string whyNotJudged(const PrecisionReport &report);

/// Whether the network is bad at its task, or an output is bad.
bool isBad(const PrecisionReport &report);

/// Whether the network is good at its task; where that was not measured,
/// whether outputs were compared, and all of them are good.
bool areOutputsGood(const PrecisionReport &report);

/// "channels 4–83 (0 … 0.93)"; empty if the group is the whole output.
std::string groupText(const ChannelGroup &group);
/// "channels 4–83, 90"; at most a few ranges.
std::string channelsText(const std::vector<ChannelRange> &channels);
/// How many decimals of a cosine of the group mean something, given how far its
/// samples are apart.
int decimalsOf(const ChannelGroup &group);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_OUTPUTVERDICT_H
