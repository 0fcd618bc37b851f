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
  return runChild(command, folder, log, maxSeconds);
}

std::string failureVerdict(const ChildResult &built) {
  if (built.signal != 0)
    return fmt::format("the build crashes with signal {}", built.signal);
  size_t at = built.text.rfind("error: ");
  std::string line = at == std::string::npos
                         ? fmt::format("exit code {}", built.exitCode)
                         : built.text.substr(at);
  return "the build fails: " + line.substr(0, line.find('\n'));
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
