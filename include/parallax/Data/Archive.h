//===- Archive.h - Files in tar and zip archives ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration sets are archives from unknown sources. Their
// names must not lead out of the folder they are unpacked to, links and devices
// are not followed, and a small file that grows without end is stopped.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_ARCHIVE_H
#define PARALLAX_DATA_ARCHIVE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace parallax {

struct ArchiveLimits {
  uint64_t entries = 1'000'000;
  /// The largest file that is unpacked.
  uint64_t entryBytes = uint64_t(1) << 30;
  /// All files of the archive together: at most `totalBytes`, and beyond
  /// `ratioFloor` at most `ratio` times the size of the archive. Images and
  /// arrays hardly compress; blank ones do, but there are few of them.
  uint64_t totalBytes = uint64_t(1) << 38;
  uint64_t ratio = 200;
  uint64_t ratioFloor = uint64_t(1) << 30;
};

/// A file, by its path inside an archive or folder: relative, with '/' and
/// without '.' or '..'.
struct FileEntry {
  std::string path;
  uint64_t size = 0;
};

struct FileIndex {
  /// In the order of their bytes, each path once.
  std::vector<FileEntry> files;
  /// What was left out and why: "'a' is a symbolic link".
  std::vector<std::string> skipped;
};

/// Takes the files of an archive, one after the other.
class ArchiveVisitor {
public:
  virtual ~ArchiveVisitor() = default;
  virtual void begin(const FileEntry &file) = 0;
  virtual void take(std::span<const std::byte> part) = 0;
  virtual void end() = 0;
};

class Archive {
public:
  /// A tar, tar.gz or zip file, recognized by its contents.
  explicit Archive(std::filesystem::path path, ArchiveLimits limits = {});

  /// The same from memory, which must outlive the archive.
  Archive(std::span<const std::byte> bytes, std::string name,
          ArchiveLimits limits = {});

  /// Reads through the archive once. Throws Error, naming archive and entry,
  /// if it is damaged, if a path is absolute or contains '..', if a path
  /// occurs twice, or if a limit is exceeded.
  FileIndex index() const;

  /// Unpacks the files that are keys of `targets` to their values, streaming.
  /// Throws Error as index() does, and for a file that is not there.
  void
  extract(const std::map<std::string, std::filesystem::path> &targets) const;

  /// Reads all files through, in the order of the archive. Throws Error as
  /// index() does, but does not notice a path that occurs twice.
  void visit(ArchiveVisitor &visitor) const;

  /// One file in memory.
  std::vector<std::byte> read(const std::string &file) const;

private:
  class Reader;

  std::filesystem::path path;
  std::span<const std::byte> bytes;
  std::string name;
  uint64_t size = 0;
  ArchiveLimits limits;
};

} // namespace parallax

#endif // PARALLAX_DATA_ARCHIVE_H
