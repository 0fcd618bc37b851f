//===- DataFiles.cpp - What a configuration reads -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folders have no order, so names give them one.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/DataFiles.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Support/Digest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace fs = std::filesystem;

namespace parallax {
std::string
digestOfFiles(BuildConfig config,
              const std::function<bool(std::string_view field)> &isWanted) {
  std::vector<std::string> lines;
  auto add = [&](const fs::path &file) {
    std::error_code ignored;
    lines.push_back(fmt::format(
        "{} {} {}", file.string(), fs::file_size(file, ignored),
        fs::last_write_time(file, ignored).time_since_epoch().count()));
  };
  std::vector<fs::path> results;
  for (const std::string &folder : {config.outputDir, config.workDir})
    if (std::error_code ignored; !folder.empty())
      results.push_back(fs::weakly_canonical(folder, ignored));
  auto isResult = [&](const fs::path &path) {
    return std::ranges::any_of(results, [&](const fs::path &folder) {
      return isWithin(path, folder);
    });
  };
  forEachPath(config, [&](const std::string &field, std::string &path) {
    std::error_code error;
    if (path.empty() || !isWanted(field))
      return;
    if (!fs::is_directory(path, error))
      return add(path);
    for (fs::recursive_directory_iterator
             entry(fs::weakly_canonical(path, error), error),
         end;
         !error && entry != end; entry.increment(error))
      if (isResult(entry->path()))
        entry.disable_recursion_pending();
      else if (!entry->is_directory(error))
        add(entry->path());
  });
  std::ranges::sort(lines);
  return sha256Of(fmt::format("{}", fmt::join(lines, "\n")));
}

} // namespace parallax
