//===- CaseInputs.h - What a build reads, in one folder --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case has no path that leads out of it, and no sample that the build did not
// use.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_CASEINPUTS_H
#define PARALLAX_CASE_CASEINPUTS_H

#include "parallax/Config/BuildConfig.h"

#include <filesystem>

namespace parallax {

/// A build that was done: its configuration with absolute paths, and how a user
/// asked for it.
struct FinishedBuild {
  BuildConfig config;
  std::string command;
  /// Where its results are.
  std::filesystem::path folder;
};

/// Reads what a build was asked to do, whether it has finished or not. Throws
/// Error if that was not a build, or one of another version.
FinishedBuild readAnyBuild(const std::filesystem::path &outputDir);

/// The same of a build that has finished. Throws Error if it has not, or if its
/// files are those of several builds.
FinishedBuild readFinishedBuild(const std::filesystem::path &outputDir);

/// A build that is still to be done.
FinishedBuild plannedBuild(const std::filesystem::path &configFile);

/// The configuration of an unpacked case, with absolute paths. Throws Error if
/// one of them leads out of the case: anybody may have written it.
BuildConfig readCaseConfig(const std::filesystem::path &folder);

/// Copies all that the build reads below `folder`, and writes config.json there
/// with paths into it. Archives are unpacked to `scratch`.
void writeCaseInputs(const FinishedBuild &build,
                     const std::filesystem::path &folder,
                     const std::filesystem::path &scratch);

} // namespace parallax

#endif // PARALLAX_CASE_CASEINPUTS_H
