//===- DataFiles.cpp - What a configuration reads -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folders have no order, so names give them one.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/DataFiles.h"
#include "parallax/Evaluate/EvaluationData.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Support/Digest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// Names, sizes and times of files.
class FileList {
public:
  /// What lies in one of these folders is not listed with a folder around it.
  explicit FileList(std::vector<fs::path> results)
      : results(std::move(results)) {}

  void add(const fs::path &path) {
    std::error_code error;
    if (fs::is_directory(path, error))
      addFolder(fs::weakly_canonical(path, error), /*followsLinks=*/true);
    else
      addFile(path);
  }

  std::string digest() {
    std::ranges::sort(lines);
    return sha256Of(fmt::format("{}", fmt::join(lines, "\n")));
  }

private:
  void addFile(const fs::path &file) {
    std::error_code ignored;
    lines.push_back(fmt::format(
        "{} {} {}", file.string(), fs::file_size(file, ignored),
        fs::last_write_time(file, ignored).time_since_epoch().count()));
  }

  void addFolder(const fs::path &folder, bool followsLinks) {
    std::error_code error, unreadable;
    for (fs::recursive_directory_iterator entry(folder, error), end;
         !error && entry != end; entry.increment(error)) {
      if (isResult(entry->path(), folder))
        entry.disable_recursion_pending();
      else if (!entry->is_directory(unreadable))
        addFile(entry->path());
      else if (followsLinks && entry.depth() == 0 &&
               entry->is_symlink(unreadable))
        // The folder of a class may be a link; others could lead in circles.
        addFolder(entry->path(), /*followsLinks=*/false);
    }
  }

  /// Data that itself lies below the results is data nevertheless.
  bool isResult(const fs::path &path, const fs::path &data) const {
    return std::ranges::any_of(results, [&](const fs::path &folder) {
      return isWithin(path, folder) && !isWithin(data, folder);
    });
  }

  std::vector<fs::path> results;
  std::vector<std::string> lines;
};

} // namespace

std::string
digestOfFiles(BuildConfig config,
              const std::function<bool(std::string_view field)> &isWanted) {
  std::vector<fs::path> results;
  for (const std::string &folder : {config.outputDir, config.workDir})
    if (std::error_code ignored; !folder.empty())
      results.push_back(fs::weakly_canonical(folder, ignored));
  FileList files(std::move(results));
  forEachPath(config, [&](const std::string &field, std::string &path) {
    if (!path.empty() && isWanted(field))
      files.add(path);
  });
  if (isWanted("evaluation.images"))
    for (const fs::path &picture : listedPictures(config.evaluation))
      files.add(picture);
  return files.digest();
}

} // namespace parallax
