//===- AppendedFile.cpp - Files that outlive their process ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What can't be written whole is taken back: the next piece must not continue
// half of this one.
//===----------------------------------------------------------------------===//
#include "parallax/Support/AppendedFile.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// "configuration" and "model" of "configuration=1 model=2".
std::map<std::string, std::string> wordsOf(const std::string &identity) {
  std::map<std::string, std::string> words;
  std::istringstream stream(identity);
  for (std::string word; stream >> word;) {
    size_t equals = std::min(word.find('='), word.size());
    words[word.substr(0, equals)] = word.substr(equals);
  }
  return words;
}

void syncFolder(const fs::path &file) {
  fs::path folder = file.parent_path();
  int descriptor = ::open(folder.empty() ? "." : folder.c_str(),
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  // File systems that can't do this keep names safe by themselves.
  ::fsync(descriptor);
  ::close(descriptor);
}

} // namespace

AppendedFile::AppendedFile(fs::path path, size_t size) : file(std::move(path)) {
  std::error_code error;
  fs::resize_file(file, size, error);
  if (error)
    throw Error(
        fmt::format("cannot write '{}': {}", file.string(), error.message()));
  open();
}

AppendedFile::AppendedFile(fs::path path, std::string_view begin)
    : file(std::move(path)) {
  writeFileAtomically(file, begin);
  open();
  // The first piece brings this one to the disk as well, but not the name of
  // the file.
  syncFolder(file);
}

AppendedFile::~AppendedFile() { ::close(descriptor); }

void AppendedFile::open() {
  descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0)
    fail(errno);
}

void AppendedFile::append(std::string_view bytes) {
  off_t before = ::lseek(descriptor, 0, SEEK_END);
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t written =
        ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      break;
    done += size_t(written);
  }
  if (done == bytes.size() && ::fsync(descriptor) == 0)
    return;
  int reason = errno;
  if (before >= 0 && ::ftruncate(descriptor, before) != 0)
    log(LogLevel::Warning, "{}: its end is not complete", file.string());
  fail(reason);
}

void AppendedFile::fail(int error) const {
  throw Error(fmt::format("cannot write '{}': {}", file.string(),
                          std::strerror(error)));
}

std::string namesOfChanges(const std::string &before,
                           const std::string &after) {
  std::map<std::string, std::string> old = wordsOf(before);
  std::vector<std::string> names;
  for (const auto &[name, value] : wordsOf(after)) {
    auto found = old.find(name);
    if (found == old.end() || found->second != value)
      names.push_back(name);
  }
  // What is only in the old one has no name that means anything here.
  return names.empty() ? "something"
                       : fmt::format("{}", fmt::join(names, ", "));
}

} // namespace parallax
