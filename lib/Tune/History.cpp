//===- History.cpp - What was tried, and what came out --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The file is only ever appended to, in whole lines.
//===----------------------------------------------------------------------===//
#include "parallax/Tune/History.h"
#include "HistoryLine.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

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

History::History(fs::path path, const std::string &identity, bool resume)
    : file(std::move(path)) {
  std::error_code error;
  bool exists = fs::exists(file, error);
  if (exists && !resume) {
    fs::rename(file, file.string() + ".bak", error);
    if (error)
      throw Error(fmt::format("cannot rename '{}': {}", file.string(),
                              error.message()));
  }
  bool continues = exists && resume;
  if (continues)
    read(identity);
  else
    writeFileAtomically(file, historyHeader(identity) + "\n");
  descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0)
    fail(errno);
  // The first line of a trial brings this one to the disk as well, but not the
  // name of the file.
  if (!continues)
    syncFolder(file);
}

History::~History() { ::close(descriptor); }

void History::read(const std::string &identity) {
  size_t complete = 0;
  {
    auto mapped = MappedFile::open(file);
    std::string_view text = mapped->text();
    int64_t number = 0;
    for (size_t end; (end = text.find('\n', complete)) != text.npos;
         complete = end + 1) {
      std::string_view line = text.substr(complete, end - complete);
      std::string place = fmt::format("{}:{}", file.string(), ++number);
      if (number > 1) {
        keep(parseHistoryLine(line, place));
        continue;
      }
      std::string before = parseHistoryHeader(line, place);
      if (before != identity)
        throw Error(fmt::format(
            "{}: these trials were made before {} changed; tune without "
            "--resume to start anew",
            file.string(), namesOfChanges(before, identity)));
    }
    if (number == 0)
      throw Error(fmt::format("{}: the file is not a history of tuning; tune "
                              "without --resume to start anew",
                              file.string()));
    if (complete == text.size())
      return;
    log(LogLevel::Warning,
        "{}:{}: the last line is not complete, because an earlier run was "
        "stopped while it wrote it; it is dropped",
        file.string(), number + 1);
  }
  std::error_code error;
  fs::resize_file(file, complete, error);
  if (error)
    throw Error(
        fmt::format("cannot write '{}': {}", file.string(), error.message()));
}

const TrialRecord *History::find(std::span<const ConfigEdit> edits,
                                 int64_t samples) const {
  auto found = latest.find(trialKey(edits, samples));
  return found == latest.end() ? nullptr : found->second;
}

const TrialRecord &History::append(TrialRecord record) {
  std::string line = historyLine(record);
  writeLine(line + "\n");
  return keep(parseHistoryLine(line, file.string()));
}

const TrialRecord &History::keep(TrialRecord record) {
  const TrialRecord &kept = records.emplace_back(std::move(record));
  latest[trialKey(kept.edits, kept.samples)] = &kept;
  return kept;
}

void History::writeLine(const std::string &line) {
  off_t before = ::lseek(descriptor, 0, SEEK_END);
  size_t done = 0;
  while (done < line.size()) {
    ssize_t written =
        ::write(descriptor, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      break;
    done += size_t(written);
  }
  if (done == line.size() && ::fsync(descriptor) == 0)
    return;
  int reason = errno;
  // The next line must not continue half of this one.
  if (before >= 0 && ::ftruncate(descriptor, before) != 0)
    log(LogLevel::Warning, "{}: the last line is not complete", file.string());
  fail(reason);
}

void History::fail(int error) const {
  throw Error(fmt::format("cannot write '{}': {}", file.string(),
                          std::strerror(error)));
}

} // namespace parallax
