//===- DataFiles.cpp - What a configuration reads -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folders have no order, so names give them one.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/DataFiles.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace parallax {

std::vector<fs::path>
filesNamedIn(BuildConfig config,
             const std::function<bool(std::string_view field)> &isWanted) {
  std::vector<fs::path> files;
  forEachPath(config, [&](const std::string &field, std::string &path) {
    std::error_code error;
    if (path.empty() || !isWanted(field))
      return;
    if (!fs::is_directory(path, error)) {
      files.emplace_back(path);
      return;
    }
    for (fs::recursive_directory_iterator entry(path, error), end;
         !error && entry != end; entry.increment(error))
      if (!entry->is_directory(error))
        files.push_back(entry->path());
  });
  std::ranges::sort(files);
  return files;
}

} // namespace parallax
