//===- TuneOptions.h - What a tuning is asked for --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For programs, which get it from Compiler.h, as for the command line. The
// network, its task and the section 'tuning' are those of the configuration.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_TUNEOPTIONS_H
#define PARALLAX_SUPPORT_TUNEOPTIONS_H

#include "parallax/Support/CompileOptions.h"
#include "parallax/Support/RunnableNetwork.h"

namespace parallax {

struct TuneOptions : ConfigChoice {
  /// 0 takes all processors. The results don't depend on it.
  int threads = 0;
  /// Goes on from the history that an earlier run has left.
  bool resume = false;
  /// Verifies the whole front from 8 to 16 bits.
  bool pareto = false;
  /// Only builds what this trial of the history has measured; -1 for none.
  int64_t recover = -1;
  /// Judges networks in place of the task; empty for the task. A higher number
  /// is better unless tuning.accuracy_criterion says otherwise, and the seconds
  /// are those of evaluation.timeout.
  ScoreFunction score = {};
  /// Says what to try next, as tuning.custom_command does: it gets the file of
  /// the history and gives changes as JSON, or nothing. Empty for a strategy.
  std::function<std::string(const std::filesystem::path &history)> propose = {};
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_TUNEOPTIONS_H
