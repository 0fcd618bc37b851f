//===- PackCase.h - From a build to a case ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case is built once more from the files that go into it before it is packed:
// what it expects is what those files give.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_CASE_PACKCASE_H
#define PARALLAX_TOOLS_CASE_PACKCASE_H

#include "CaseInputs.h"
#include "ChildProcess.h"
#include "Ticket.h"

namespace parallax {

struct PackRequest {
  FinishedBuild build;
  std::filesystem::path caseFile;
  TicketAnswers answers;
  /// What the user calls the problem, where the analysis sees none.
  std::string problem;
  std::vector<std::string> replaced, reduction;
  int threads = 0;
};

/// Builds in the folder of a case, with its analysis and its evidence in
/// `output` and `evidence` there. Returns the words that it was asked with.
std::vector<std::string> caseBuildWords(const std::string &evidence,
                                        int threads);

/// The longest that a build of a case may take.
inline constexpr int64_t caseSeconds = 24 * 3600;

/// Writes the case, and returns its verdict in one line. Throws Error; nothing
/// is left behind then.
std::string packCase(const PackRequest &request);

/// The analysis that a build left in its folder of results.
std::filesystem::path analysisOf(const std::filesystem::path &outputDir);

/// A folder that is removed with all that is in it.
class ScratchFolder {
public:
  /// Beside a file that will be written.
  explicit ScratchFolder(const std::filesystem::path &beside);
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder();

  const std::filesystem::path &path() const { return folder; }

private:
  InterruptionScope scope;
  std::filesystem::path folder;
};

} // namespace parallax

#endif // PARALLAX_TOOLS_CASE_PACKCASE_H
