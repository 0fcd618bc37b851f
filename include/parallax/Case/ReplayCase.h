//===- ReplayCase.h - A case built again -------------------------*- C++
//-*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Says whether a case still gives what it expects.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_REPLAYCASE_H
#define PARALLAX_CASE_REPLAYCASE_H

#include "parallax/Case/CaseBuilder.h"

namespace parallax {

struct ReplayRequest {
  std::filesystem::path caseFile;
  /// Where the case is unpacked and built; one that is removed again if it is
  /// empty. It must not exist.
  std::filesystem::path folder;
  CaseBuilder builder;
};

struct ReplayResult {
  /// The first difference in words, which may have lines; empty if there is
  /// none.
  std::string difference;
  /// What was compared; no tensor if the build fails as it did.
  size_t tensors = 0, rows = 0;
};

/// Unpacks a case, shows what it is about, builds it, and compares every
/// integer of every layer and every metric as it is printed. Throws Error if
/// the case can't be read.
ReplayResult replayCase(const ReplayRequest &request);

} // namespace parallax

#endif // PARALLAX_CASE_REPLAYCASE_H
