//===- Trials.h - Builds of candidates -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Asks whether a candidate shows the problem. The answer is looked up if the
// same files were tried before, by this process or by one that was interrupted.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CASE_TRIALS_H
#define PARALLAX_LIB_CASE_TRIALS_H

#include "Candidate.h"
#include "parallax/Case/CaseBuilder.h"
#include "parallax/Case/Predicate.h"

#include <map>

namespace parallax {

class Trials {
public:
  struct Settings {
    /// The text of the chip's file.
    std::string target;
    CaseBuilder builder;
    /// For one build.
    int64_t maxSeconds = 600;
  };

  /// Keeps its files below `folder`.
  Trials(std::filesystem::path folder, Settings settings);

  /// Writes the candidate, builds it and asks.
  bool shows(const Candidate &candidate, const Predicate &predicate);

  /// The last candidate that showed the problem, with its results in `output`.
  std::filesystem::path best() const { return folder / "best"; }

  size_t count() const { return tests; }
  Settings settings;

private:
  std::string keyOf(const std::filesystem::path &files,
                    const Predicate &predicate) const;
  bool build(const std::filesystem::path &files, const Predicate &predicate);
  void remember(const std::string &key, bool answer);

  std::filesystem::path folder;
  std::map<std::string, bool> answers;
  size_t tests = 0;
};

} // namespace parallax

#endif // PARALLAX_LIB_CASE_TRIALS_H
