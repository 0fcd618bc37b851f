//===- AtomicFile.cpp - Files that appear complete or not at all ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The temporary file is in the folder of its target, because a rename is only
// atomic within one file system.
//===----------------------------------------------------------------------===//
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/HostName.h"
#include "parallax/Support/MappedFile.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace parallax {

bool isCurrentFolderGone() {
  std::error_code error;
  (void)fs::current_path(error);
  return error == std::errc::no_such_file_or_directory;
}

/// The folder that a path lies in, or would lie in, as far as it exists.
static fs::path existingFolderOf(fs::path path) {
  std::error_code ignored;
  do
    path = path.parent_path();
  while (path.has_relative_path() && !fs::exists(path, ignored));
  return path.empty() ? "." : path;
}

std::string whyNotWritten(const fs::path &path, int error) {
  std::string folder = existingFolderOf(path).string();
  switch (error) {
  case EACCES:
  case EPERM:
    return fmt::format("you may not write to the folder '{}' ({})", folder,
                       std::strerror(error));
  case EROFS:
    return fmt::format("the folder '{}' is on a read-only file system", folder);
  case ENOENT:
    // The folder is there, or was made: it takes no files, like /proc.
    return isCurrentFolderGone() && path.is_relative()
               ? "the current folder was deleted"
               : fmt::format("the folder '{}' takes no new files", folder);
  default:
    return std::strerror(error);
  }
}

std::string whyNoFolder(const fs::path &path) {
  std::error_code ignored;
  fs::path folder = fs::exists(path, ignored) ? path : existingFolderOf(path);
  if (!fs::is_directory(folder, ignored))
    return fmt::format("'{}' is not a folder", folder.string());
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return whyNotWritten(folder / "file", errno);
  return "";
}

void createParentDirectories(const fs::path &path) {
  fs::path parent = path.parent_path();
  std::error_code error;
  if (parent.empty())
    return;
  fs::create_directories(parent, error);
  std::error_code ignored;
  if (!fs::is_directory(parent, ignored))
    throw WriteError(fmt::format(
        "cannot create the folder '{}': {}", parent.string(),
        error ? whyNotWritten(parent, error.value()) : "Not a directory"));
}

static constexpr std::string_view temporaryPrefix = ".parallax-";

/// What follows the number of a process. Machines that share a file system may
/// have processes of the same number, and know nothing of each other's.
static const std::string &placeOfProcess() {
  static const std::string place = [] {
    std::string name = "@" + hostName();
    for (char &c : name)
      if (c == '/')
        c = '_';
    return name + "-";
  }();
  return place;
}

fs::path temporaryPath(const fs::path &folder, std::string_view kind) {
  static std::atomic<unsigned> counter = 0;
  // A short name of its own: one derived from a target could exceed the longest
  // name that the file system allows.
  return folder / fmt::format("{}{}{}{}.{}", temporaryPrefix, ::getpid(),
                              placeOfProcess(), counter++, kind);
}

/// Whether a name is that of something temporary whose process is gone. Only
/// this machine knows of its processes.
static bool isLeftover(std::string_view name) {
  if (!name.starts_with(temporaryPrefix))
    return false;
  name.remove_prefix(temporaryPrefix.size());
  pid_t process = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc() && process > 0 &&
         name.substr(size_t(end - name.data())).starts_with(placeOfProcess()) &&
         ::kill(process, 0) != 0 && errno == ESRCH;
}

void removeLeftovers(const fs::path &folder) {
  std::error_code error, ignored;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (isLeftover(entry->path().filename().native()))
      leftovers.push_back(entry->path());
  for (const fs::path &leftover : leftovers)
    fs::remove_all(leftover, ignored);
}

AtomicFile::AtomicFile(const fs::path &path) : target(path) {
  std::error_code error;
  // Renaming onto a symbolic link would replace the link; follow it instead.
  if (fs::is_symlink(path, error)) {
    fs::path resolved = fs::weakly_canonical(path, error);
    if (!error)
      target = resolved;
  }
  fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(fmt::format(
        "cannot write '{}': it exists and is {}; choose another name",
        path.string(),
        fs::is_directory(status) ? "a folder" : "not a regular file"));
  createParentDirectories(target);

  do {
    temporary = temporaryPath(target.parent_path(), "tmp");
    descriptor = ::open(temporary.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0)
    fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    // What is written may be mapped from another file, which is gone.
    if (written < 0 && errno == EFAULT)
      if (const char *source = mappedPathAt(bytes.data()))
        throw Error(fmt::format("'{}' became shorter while it was read; try "
                                "again when nothing writes to it",
                                source));
    if (written < 0)
      fail(errno);
    bytes = bytes.subspan(size_t(written));
  }
}

void AtomicFile::commit() {
  // Some file systems only report a full disk when the file is closed.
  int closed = ::close(descriptor);
  descriptor = -1;
  if (closed != 0 || std::rename(temporary.c_str(), target.c_str()) != 0)
    fail(errno);
  temporary.clear();
}

void AtomicFile::fail(int error) const {
  throw WriteError(fmt::format("cannot write '{}': {}", target.string(),
                               whyNotWritten(target, error)));
}

void writeFileAtomically(const fs::path &path,
                         std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void writeFileAtomically(const fs::path &path, std::string_view text) {
  writeFileAtomically(path, std::as_bytes(std::span(text)));
}

void copyFileAtomically(const fs::path &from, const fs::path &to) {
  writeFileAtomically(to, MappedFile::open(from)->bytes());
}

} // namespace parallax
