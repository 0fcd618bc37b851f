//===- Dataset.cpp - The files of a calibration set -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples are read by several threads in any order, which no compressed archive
// allows: what is needed of it is unpacked first, beside its final place, so
// that an interrupted run leaves no half of a dataset to the next one.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Dataset.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// Files of a format, by their extension in lower case.
std::span<const std::string_view> extensionsOf(DataFormat format) {
  static constexpr std::string_view images[] = {".jpg", ".jpeg", ".png",
                                                ".bmp"},
                                    arrays[] = {".npy"}, raw[] = {".bin"};
  switch (format) {
  case DataFormat::Image:
    return images;
  case DataFormat::Binary:
    return raw;
  case DataFormat::Numpy:
  case DataFormat::NumpyObject:
    break;
  }
  return arrays;
}

std::string extensionOf(std::string_view path) {
  std::string extension = fs::path(path).extension().string();
  for (char &symbol : extension)
    if (symbol >= 'A' && symbol <= 'Z')
      symbol = char(symbol | 0x20);
  return extension;
}

/// What file managers leave behind: .DS_Store, ._1.jpg, __MACOSX/1.jpg.
bool isHidden(const fs::path &path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path &part) {
    return part.native().starts_with('.') || part == "__MACOSX";
  });
}

FileIndex indexFolder(const fs::path &folder, uint64_t maxEntries) {
  FileIndex index;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    fs::path file = entry->path().lexically_relative(folder);
    std::error_code unreadable;
    fs::file_status status = entry->status(unreadable);
    // A link to a file is how people choose samples; one to a folder could
    // lead around in circles.
    bool isLink = entry->is_symlink(unreadable);
    if (fs::is_directory(status) && !isLink)
      continue;
    if (!fs::is_regular_file(status)) {
      index.skipped.push_back(fmt::format(
          "'{}' is {}", elide(file.string(), 80),
          fs::is_directory(status) ? "a linked folder" : "no readable file"));
      continue;
    }
    if (index.files.size() == maxEntries)
      throw Error(fmt::format("'{}' has more than {} files", folder.string(),
                              maxEntries));
    index.files.push_back(
        {file.generic_string(), entry->file_size(unreadable)});
  }
  if (error)
    throw Error(fmt::format("cannot read the folder '{}': {}", folder.string(),
                            error.message()));
  std::sort(
      index.files.begin(), index.files.end(),
      [](const FileEntry &a, const FileEntry &b) { return a.path < b.path; });
  return index;
}

/// A folder that disappears unless it is put into its place.
class StagedFolder {
public:
  explicit StagedFolder(const fs::path &target)
      : target(target), staging(temporaryPath(target.parent_path(), "new")),
        previous(temporaryPath(target.parent_path(), "old")) {
    createParentDirectories(target);
    fs::remove_all(staging);
  }
  StagedFolder(const StagedFolder &) = delete;
  StagedFolder &operator=(const StagedFolder &) = delete;
  ~StagedFolder() {
    std::error_code ignored;
    fs::remove_all(staging, ignored);
    fs::remove_all(previous, ignored);
  }

  const fs::path &path() const { return staging; }

  void commit() {
    // A folder can't be renamed onto one that holds files.
    bool replaces = fs::exists(fs::symlink_status(target));
    if (replaces)
      fs::rename(target, previous);
    std::error_code error, ignored;
    fs::rename(staging, target, error);
    if (error && replaces)
      fs::rename(previous, target, ignored);
    if (error)
      throw fs::filesystem_error("rename", target, error);
  }

private:
  fs::path target, staging, previous;
};

bool isInside(const fs::path &file, const fs::path &folder) {
  fs::path relative = fs::weakly_canonical(file).lexically_relative(
      fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

} // namespace

ArchiveLimits archiveLimitsFor(std::span<const PortInfo> inputs) {
  ArchiveLimits limits;
  uint64_t sampleBytes = 0;
  for (const PortInfo &input : inputs)
    sampleBytes += byteSizeOf(input.dtype, input.shape).value_or(0);
  limits.entryBytes = std::max(limits.entryBytes, 2 * sampleBytes);
  return limits;
}

Dataset::Dataset(const CalibrationSource &source, ArchiveLimits limits)
    : path(source.dataset), limits(limits) {
  if (path.empty())
    throw Error(fmt::format("no calibration_dataset is given for '{}'",
                            source.tensorName));
  std::error_code error;
  isFolder = fs::is_directory(path, error);
  if (!isFolder && !fs::exists(path, error))
    throw Error(fmt::format("the calibration_dataset '{}' of '{}' does not "
                            "exist; paths are relative to the current folder",
                            path.string(), source.tensorName));
  index = isFolder ? indexFolder(path, limits.entries)
                   : Archive(path, limits).index();
  keepUsable(source.format);
}

void Dataset::keepUsable(DataFormat format) {
  std::erase_if(index.files,
                [](const FileEntry &file) { return isHidden(file.path); });
  std::string otherExample;
  size_t others = std::erase_if(index.files, [&](const FileEntry &file) {
    auto allowed = extensionsOf(format);
    if (std::find(allowed.begin(), allowed.end(), extensionOf(file.path)) !=
        allowed.end())
      return false;
    if (otherExample.empty())
      otherExample = elide(file.path, 80);
    return true;
  });
  std::string reason =
      fmt::format("{} files are not of format {}, such as '{}'", others,
                  configName(format), otherExample);
  if (index.files.empty())
    throw Error(fmt::format(
        "'{}' holds no file of calibration_format {} ({}){}", path.string(),
        configName(format), fmt::join(extensionsOf(format), ", "),
        others > 0 ? fmt::format("; {}: check calibration_format", reason)
                   : ""));
  if (others > 0)
    index.skipped.push_back(reason);
}

std::vector<std::byte> Dataset::read(const std::string &file) const {
  if (!isFolder)
    return Archive(path, limits).read(file);
  auto mapped = MappedFile::open(path / file);
  return {mapped->bytes().begin(), mapped->bytes().end()};
}

fs::path Dataset::provide(std::span<const std::string> wanted,
                          const fs::path &target) const {
  if (isFolder)
    return path;
  log(LogLevel::Info, "extract [{}] to [{}]...", path.string(),
      target.string());
  try {
    if (isInside(path, target))
      throw Error(fmt::format("'{}' lies in '{}', which is replaced by its "
                              "contents; move it elsewhere",
                              path.string(), target.string()));
    StagedFolder folder(target);
    std::map<std::string, fs::path> targets;
    for (const std::string &file : wanted)
      targets.emplace(file, folder.path() / file);
    Archive(path, limits).extract(targets);
    folder.commit();
  } catch (const fs::filesystem_error &error) {
    throw Error(fmt::format("cannot unpack '{}' to '{}': {}", path.string(),
                            target.string(), error.code().message()));
  }
  return target;
}

} // namespace parallax
