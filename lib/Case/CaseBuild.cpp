//===- CaseBuild.cpp - Builds of cases ------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The folder of the case is the working directory of its build, so that paths
// in its results do not depend on where the case is.
//===----------------------------------------------------------------------===//
#include "CaseBuild.h"

#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"

#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace parallax {

namespace {

/// What the build says last, as far as it could.
std::string lastError(const ChildResult &built) {
  size_t at = built.text.rfind("error: ");
  if (at == std::string::npos)
    return "";
  std::string line = built.text.substr(at);
  return line.substr(0, line.find('\n'));
}

/// A build that could not write its results shows nothing about its network: a
/// case of it would blame the network for a full disk.
void requireWritten(const ChildResult &built, const fs::path &folder) {
  constexpr int refused = 2;
  if (built.exitCode != refused)
    return;
  std::string error = lastError(built);
  bool isLost = error.empty() || error.starts_with("error: not all results");
  if (isLost)
    error = "error: what it says could not be written; is the disk full?";
  for (std::string_view start : {"error: what it says", "error: cannot write '",
                                 "error: cannot create the folder '"})
    if (error.starts_with(start))
      throw WriteError(fmt::format("cannot build the case in '{}': {}",
                                   folder.string(),
                                   error.substr(error.find(' ') + 1)));
}

} // namespace

ChildResult buildCase(const CaseBuilder &builder, const fs::path &folder,
                      const fs::path &evidence, const fs::path &log,
                      int64_t maxSeconds) {
  fs::path program = builder.program.empty()
                         ? fs::read_symlink("/proc/self/exe")
                         : builder.program;
  std::vector<std::string> command = {
      program.string(),    "build",      "--config",       "config.json",
      "--allow-unmatched", "--evidence", evidence.string()};
  if (builder.threads > 0)
    command.insert(command.end(),
                   {"--threads", std::to_string(builder.threads)});
  ChildResult built = runChild(command, folder, log, maxSeconds);
  requireWritten(built, folder);
  return built;
}

std::string failureVerdict(const ChildResult &built) {
  if (built.signal != 0)
    return fmt::format("the build crashes with signal {}", built.signal);
  std::string error = lastError(built);
  return "the build fails: " +
         (error.empty() ? fmt::format("exit code {}", built.exitCode) : error);
}

fs::path analysisOf(const fs::path &outputDir) {
  return OutputFiles(outputDir).precisionJson();
}

ScratchFolder::ScratchFolder(const fs::path &beside) {
  createParentDirectories(beside);
  fs::path parent = fs::absolute(beside).parent_path();
  removeLeftovers(parent);
  // mkdtemp makes a folder that others can't look into.
  std::string pattern = temporaryPath(parent, "case-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    throw Error(fmt::format("cannot create a folder beside '{}': {}",
                            beside.string(), whyNotWritten(beside, errno)));
  folder = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

} // namespace parallax
