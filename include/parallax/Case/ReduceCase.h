//===- ReduceCase.h - The smallest case of a problem -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Takes layers, elements and samples away as long as the problem persists.
// Every step is proved by a build from files. What was found out is kept, so
// that a reduction that was interrupted goes on where it was.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_REDUCECASE_H
#define PARALLAX_CASE_REDUCECASE_H

#include "parallax/Case/PackCase.h"
#include "parallax/Case/Predicate.h"

namespace parallax {

/// What is to be replaced, each only if the problem persists.
struct Concealment {
  bool names = false, weights = false, samples = false;

  bool isAnything() const { return names || weights || samples; }
};

struct ReduceRequest {
  std::filesystem::path caseFile, result;
  /// The one that the case itself shows if there is none.
  std::optional<Predicate> predicate;
  Concealment conceal;
  TicketAnswers answers;
  /// Whether the network may lose layers, elements and samples.
  bool shrinks = true;
  /// No new step after so many seconds.
  int64_t maxSeconds = 3600;
  CaseBuilder builder;
};

struct ReduceResult {
  std::string verdict, predicate;
  size_t layersBefore = 0, layersAfter = 0, tests = 0;
  int64_t bytesBefore = 0, bytesAfter = 0;
  /// What could not be replaced, in words.
  std::vector<std::string> kept;
};

/// Writes a case of its own. Throws Error if the case does not show the
/// problem.
ReduceResult reduceCase(const ReduceRequest &request);

/// Packs a build with replacements instead of what is private. Returns the
/// verdict in one line.
std::string packConcealed(const PackRequest &request,
                          const Concealment &conceal);

} // namespace parallax

#endif // PARALLAX_CASE_REDUCECASE_H
