//===- PackCase.h - From a build to a case ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case is built once more from the files that go into it before it is packed:
// what it expects is what those files give.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_PACKCASE_H
#define PARALLAX_CASE_PACKCASE_H

#include "parallax/Case/CaseBuilder.h"
#include "parallax/Case/CaseInputs.h"
#include "parallax/Case/Ticket.h"

namespace parallax {

struct PackRequest {
  FinishedBuild build;
  std::filesystem::path caseFile;
  TicketAnswers answers;
  /// What the user calls the problem, where the analysis sees none.
  std::string problem;
  std::vector<std::string> replaced, reduction;
  CaseBuilder builder;
};

/// Writes the case, and returns its verdict in one line. Throws Error; nothing
/// is left behind then.
std::string packCase(const PackRequest &request);

} // namespace parallax

#endif // PARALLAX_CASE_PACKCASE_H
