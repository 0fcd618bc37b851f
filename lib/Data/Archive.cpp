//===- Archive.cpp - Files in tar and zip archives ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// libarchive reads the formats. This file adds what it leaves to its users:
// which formats are allowed, which paths are safe, and how much may be
// unpacked.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Archive.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"
#include "parallax/Support/Utf8Scope.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <set>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace parallax {
namespace {

constexpr size_t blockSize = 1 << 16;
constexpr int64_t tarBlock = 512;

struct FreeArchive {
  void operator()(struct archive *handle) const { archive_read_free(handle); }
};

std::string kindOf(struct archive_entry *entry) {
  if (archive_entry_hardlink(entry))
    return "a hard link";
  switch (archive_entry_filetype(entry)) {
  case AE_IFREG:
    return "";
  case AE_IFLNK:
    return "a symbolic link";
  case AE_IFCHR:
  case AE_IFBLK:
    return "a device";
  case AE_IFIFO:
    return "a pipe";
  default:
    return "not a regular file";
  }
}

/// A file that is written in place. Archives hold tens of thousands of them: a
/// temporary name for each would double the work, and whoever unpacks throws
/// all away if one fails.
class UnpackedFile {
public:
  explicit UnpackedFile(const fs::path &path)
      : path(path),
        descriptor(::open(path.c_str(),
                          O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                          0666)) {
    if (descriptor < 0)
      fail();
  }
  UnpackedFile(const UnpackedFile &) = delete;
  UnpackedFile &operator=(const UnpackedFile &) = delete;
  /// Removes the file unless it was closed.
  ~UnpackedFile() {
    if (descriptor < 0)
      return;
    ::close(descriptor);
    ::unlink(path.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR)
        fail();
      bytes = bytes.subspan(size_t(std::max<ssize_t>(written, 0)));
    }
  }

  /// Some file systems only report a full disk here.
  void close() {
    if (::close(std::exchange(descriptor, -1)) != 0)
      fail();
  }

private:
  [[noreturn]] void fail() const {
    throw WriteError(fmt::format("cannot write '{}': {}", path.string(),
                                 std::strerror(errno)));
  }

  const fs::path &path;
  int descriptor;
};

} // namespace

/// One pass over the entries of an archive.
class Archive::Reader {
public:
  explicit Reader(const Archive &archive)
      : owner(archive), handle(archive_read_new()) {
    const ArchiveLimits &limits = owner.limits;
    uint64_t byRatio = 0;
    if (__builtin_mul_overflow(owner.size, limits.ratio, &byRatio))
      byRatio = limits.totalBytes;
    budget = std::min(limits.totalBytes, std::max(limits.ratioFloor, byRatio));
    if (!handle)
      throw std::bad_alloc();
    archive_read_support_filter_gzip(handle.get());
    archive_read_support_format_tar(handle.get());
    archive_read_support_format_zip(handle.get());
    int result = owner.path.empty()
                     ? archive_read_open_memory(
                           handle.get(), owner.bytes.data(), owner.bytes.size())
                     : archive_read_open_filename(
                           handle.get(), owner.path.c_str(), blockSize);
    if (result != ARCHIVE_OK)
      failToRead();
  }

  /// Moves to the next file; `skip(path, reason)` hears about other things.
  template <typename Skip> bool next(Skip &&skip) {
    for (;;) {
      int result = archive_read_next_header(handle.get(), &entry);
      if (result == ARCHIVE_EOF) {
        checkEnd();
        return false;
      }
      if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
        failToRead();
      checkNesting();
      if (++entryCount > owner.limits.entries)
        fail(fmt::format("it has more than {} entries; pack fewer files",
                         owner.limits.entries));
      takePath();
      // libarchive reads over a file that is not wanted, however long.
      declaredSize = std::max<int64_t>(archive_entry_size(entry), 0);
      spend(declaredSize);
      if (archive_entry_filetype(entry) == AE_IFDIR || current.empty())
        continue;
      std::string kind = kindOf(entry);
      if (kind.empty())
        return true;
      skip(current, kind);
    }
  }

  const std::string &path() const { return current; }
  uint64_t size() const { return declaredSize; }

  /// Passes the contents of the current file on in pieces.
  template <typename Sink> void copyTo(Sink &&sink) {
    if (declaredSize > owner.limits.entryBytes)
      failOnSize();
    std::array<std::byte, blockSize> buffer;
    for (uint64_t total = 0;;) {
      la_ssize_t count =
          archive_read_data(handle.get(), buffer.data(), buffer.size());
      if (count < 0)
        failToRead();
      if (count == 0)
        return;
      uint64_t before = std::max(total, declaredSize);
      total += uint64_t(count);
      if (total > owner.limits.entryBytes)
        failOnSize();
      // The declared size is already accounted for, and need not be true.
      spend(std::max(total, declaredSize) - before);
      sink(std::span<const std::byte>(buffer).first(size_t(count)));
    }
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw Error(fmt::format("cannot unpack '{}': {}", owner.name, reason));
  }

private:
  [[noreturn]] void failToRead() const {
    const char *message = archive_error_string(handle.get());
    std::string reason = printable(message ? message : "unknown error");
    if (entryCount == 0)
      fail(fmt::format("it is not a readable tar, tar.gz or zip file ({})",
                       reason));
    fail(fmt::format("it is damaged or truncated at '{}' ({})",
                     elide(current, 80), reason));
  }

  [[noreturn]] void failOnSize() const {
    fail(fmt::format("'{}' in it is larger than {} bytes", elide(current, 80),
                     owner.limits.entryBytes));
  }

  void spend(uint64_t bytes) {
    if (bytes > budget)
      fail(fmt::format("its files are far larger than an archive of {} bytes "
                       "should hold (at '{}'); unpack it yourself and give the "
                       "folder, if you trust it",
                       owner.size, elide(current, 80)));
    budget -= bytes;
  }

  /// A tar file ends with blocks of zeros. libarchive takes one that is cut off
  /// between two files for a whole one, with fewer samples than it had.
  void checkEnd() const {
    bool isTar = (archive_format(handle.get()) & ARCHIVE_FORMAT_BASE_MASK) ==
                 ARCHIVE_FORMAT_TAR;
    bool isPlain = archive_filter_count(handle.get()) == 1;
    if (!isTar || !isPlain)
      return;
    la_int64_t end = archive_filter_bytes(handle.get(), 0);
    // Behind the first block of zeros, or in front of it.
    if (!isZeroBlock(end - tarBlock) && !isZeroBlock(end))
      fail(fmt::format("it is cut off behind '{}': the end of a tar file is "
                       "missing; copy or pack it again",
                       elide(current, 80)));
  }

  bool isZeroBlock(int64_t offset) const {
    std::array<char, tarBlock> block;
    if (offset < 0)
      return false;
    if (owner.path.empty()) {
      std::span<const std::byte> bytes = owner.bytes;
      if (bytes.size() < size_t(offset) + tarBlock)
        return false;
      std::memcpy(block.data(), bytes.data() + offset, tarBlock);
    } else {
      std::ifstream file(owner.path, std::ios::binary);
      file.seekg(offset);
      if (!file.read(block.data(), tarBlock))
        return false;
    }
    return std::ranges::count(block, 0) == tarBlock;
  }

  /// Compression inside compression multiplies what a bomb can do.
  void checkNesting() const {
    // The last filter is the file itself.
    int filters = archive_filter_count(handle.get()) - 1;
    bool isZip = (archive_format(handle.get()) & ARCHIVE_FORMAT_BASE_MASK) ==
                 ARCHIVE_FORMAT_ZIP;
    if (filters > (isZip ? 0 : 1))
      fail("it is compressed more than once");
  }

  void takePath() {
    const char *raw = archive_entry_pathname_utf8(entry);
    // Names from before UTF-8 are kept as they are.
    if (!raw)
      raw = archive_entry_pathname(entry);
    current = raw ? raw : "";
    std::string_view rest = current;
    if (!raw || rest.empty())
      fail("an entry has no readable name");
    bool escapes = rest.starts_with('/');
    std::string clean;
    while (!rest.empty()) {
      std::string_view part = rest.substr(0, rest.find('/'));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      escapes |= part == "..";
      if (!part.empty() && part != ".")
        clean.append(clean.empty() ? "" : "/").append(part);
    }
    if (escapes)
      fail(fmt::format("'{}' in it leads out of the folder it is unpacked to; "
                       "pack the files with relative names",
                       elide(current, 80)));
    current = std::move(clean);
  }

  const Archive &owner;
  Utf8Scope utf8;
  std::unique_ptr<struct archive, FreeArchive> handle;
  struct archive_entry *entry = nullptr;
  std::string current;
  uint64_t declaredSize = 0, entryCount = 0;
  /// How many more bytes all files together may have.
  uint64_t budget = 0;
};

Archive::Archive(fs::path file, ArchiveLimits limits)
    : path(std::move(file)), name(path.string()), limits(limits) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw Error(fmt::format("cannot read '{}': {}", name,
                            error || !fs::exists(path, error)
                                ? std::strerror(ENOENT)
                                : "it is not a regular file"));
  size = fs::file_size(path, error);
}

Archive::Archive(std::span<const std::byte> bytes, std::string name,
                 ArchiveLimits limits)
    : bytes(bytes), name(std::move(name)), size(bytes.size()), limits(limits) {}

FileIndex Archive::index() const {
  FileIndex index;
  Reader reader(*this);
  auto skip = [&](const std::string &file, const std::string &kind) {
    // The first few are enough for a message, however many there are.
    if (index.skipped.size() < 10)
      index.skipped.push_back(fmt::format("'{}' is {}", elide(file, 80), kind));
  };
  while (reader.next(skip))
    index.files.push_back({reader.path(), reader.size()});
  std::sort(
      index.files.begin(), index.files.end(),
      [](const FileEntry &a, const FileEntry &b) { return a.path < b.path; });
  auto twice = std::adjacent_find(
      index.files.begin(), index.files.end(),
      [](const FileEntry &a, const FileEntry &b) { return a.path == b.path; });
  if (twice != index.files.end())
    reader.fail(
        fmt::format("it holds '{}' more than once", elide(twice->path, 80)));
  return index;
}

void Archive::extract(const std::map<std::string, fs::path> &targets) const {
  std::set<std::string> missing;
  for (const auto &[file, target] : targets)
    missing.insert(file);
  fs::path folder;
  Reader reader(*this);
  while (!missing.empty() &&
         reader.next([](const std::string &, const std::string &) {})) {
    if (missing.erase(reader.path()) == 0)
      continue;
    const fs::path &target = targets.at(reader.path());
    if (target.parent_path() != folder) {
      createParentDirectories(target);
      folder = target.parent_path();
    }
    UnpackedFile output(target);
    reader.copyTo([&](std::span<const std::byte> part) { output.write(part); });
    output.close();
  }
  if (!missing.empty())
    reader.fail(fmt::format("'{}' is not in it", elide(*missing.begin(), 80)));
}

void Archive::visit(ArchiveVisitor &visitor) const {
  Reader reader(*this);
  while (reader.next([](const std::string &, const std::string &) {})) {
    visitor.begin({reader.path(), reader.size()});
    reader.copyTo([&](std::span<const std::byte> part) { visitor.take(part); });
    visitor.end();
  }
}

std::vector<std::byte> Archive::read(const std::string &file) const {
  Reader reader(*this);
  while (reader.next([](const std::string &, const std::string &) {})) {
    if (reader.path() != file)
      continue;
    std::vector<std::byte> contents;
    reader.copyTo([&](std::span<const std::byte> part) {
      contents.insert(contents.end(), part.begin(), part.end());
    });
    return contents;
  }
  reader.fail(fmt::format("'{}' is not in it", elide(file, 80)));
}

} // namespace parallax
