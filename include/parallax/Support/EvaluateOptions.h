//===- EvaluateOptions.h - What an evaluation is asked for -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For programs, which get it from Compiler.h, as for the command line.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_EVALUATEOPTIONS_H
#define PARALLAX_SUPPORT_EVALUATEOPTIONS_H

#include "parallax/Support/CompileOptions.h"
#include "parallax/Support/RunnableNetwork.h"

namespace parallax {

struct EvaluateOptions : ConfigChoice {
  /// Float, quantized or compiled models, of which the first is what the others
  /// are compared with. Empty means the model of the configuration, and what
  /// was built of it.
  std::vector<std::string> models;
  /// 0 takes all processors. The results don't depend on it.
  int threads = 0;
  /// Go on from the answers that an evaluation into the same output folder has
  /// left when it was stopped.
  bool resume = false;
  /// Judges networks in place of the task; empty for the task. A higher number
  /// is better unless evaluation.higher_is_better says otherwise, and the
  /// seconds are those of evaluation.timeout.
  ScoreFunction score = {};
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_EVALUATEOPTIONS_H
