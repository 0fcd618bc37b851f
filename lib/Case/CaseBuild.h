//===- CaseBuild.h - Builds of cases -----------------------------*- C++
//-*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What packing, replaying and reducing have in common.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CASE_CASEBUILD_H
#define PARALLAX_LIB_CASE_CASEBUILD_H

#include "parallax/Case/CaseBuilder.h"
#include "parallax/Support/ChildProcess.h"

namespace parallax {

/// The longest that a build of a case may take.
inline constexpr int64_t caseSeconds = 24 * 3600;

/// Builds in the folder of a case, with its results in `output` there and its
/// evidence in another folder. What the build prints goes to the file `log`.
/// Throws WriteError if the build fails because a file could not be written.
ChildResult buildCase(const CaseBuilder &builder,
                      const std::filesystem::path &folder,
                      const std::filesystem::path &evidence,
                      const std::filesystem::path &log,
                      int64_t maxSeconds = caseSeconds);

/// The verdict of a case whose build has failed, in one line.
std::string failureVerdict(const ChildResult &built);

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
  std::filesystem::path folder;
};

} // namespace parallax

#endif // PARALLAX_LIB_CASE_CASEBUILD_H
