//===- RankFolder.cpp - Where a rank writes -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The name is that of temporary files, so a later build removes the folder of a
// rank that was killed.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/RankFolder.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Ranks.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {

RankFolder::RankFolder(BuildConfig &config) : original(config.outputDir) {
  requireSameConfig(config);
  if (ranks().isFirst())
    return;
  std::error_code error;
  // What is there already is of a process that this machine does not know.
  do
    own = temporaryPath(fs::temp_directory_path(), "rank");
  while (!fs::create_directory(own, error) && !error);
  if (error)
    throw Error(fmt::format("cannot create the folder '{}': {}; set TMPDIR to "
                            "a folder on a disk of this machine",
                            own.string(), error.message()));
  config.outputDir = own / "output";
  config.workDir.clear();
}

RankFolder::~RankFolder() {
  std::error_code ignored;
  if (!own.empty())
    fs::remove_all(own, ignored);
}

void RankFolder::bring(const fs::path &file) const {
  if (own.empty())
    return;
  fs::path from = original / file, to = own / "output" / file;
  std::error_code error;
  // What is not there is reported by whoever reads it.
  if (!fs::exists(from, error))
    return;
  copyFileAtomically(from, to);
}

void requireSameConfig(BuildConfig config) {
  if (!ranks().areSeveral())
    return;
  config.outputDir = config.workDir = "";
  ranks().requireSame("configuration", toJson(config));
}

} // namespace parallax
