//===- LogFile.cpp - What was on the screen, kept -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Support/LogFile.h"
#include "LogSink.h"
#include "parallax/Support/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <string>

namespace parallax {
namespace {

/// The text without the escape sequences of colors.
std::string withoutColors(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    while (i < text.size() && text[i] != 'm')
      ++i;
  }
  return plain;
}

struct Sink {
  std::mutex mutex;
  std::FILE *file = nullptr;
  /// What came before there was a file; the beginning of it is enough.
  std::string backlog;

  void write(std::string_view text) {
    std::string plain = withoutColors(text);
    std::lock_guard lock(mutex);
    constexpr size_t maxBacklog = 1 << 20;
    if (!file) {
      if (backlog.size() < maxBacklog)
        backlog += plain;
      return;
    }
    std::fwrite(plain.data(), 1, plain.size(), file);
    std::fflush(file);
  }
};

Sink &sink() {
  static Sink instance;
  return instance;
}

} // namespace

void writeToLogFile(std::string_view text) { sink().write(text); }

void openLogFile(const std::filesystem::path &path) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    throw Error(fmt::format("cannot write '{}': {}", path.string(),
                            std::strerror(errno)));
  Sink &target = sink();
  std::lock_guard lock(target.mutex);
  if (target.file)
    std::fclose(target.file);
  target.file = file;
  std::fwrite(target.backlog.data(), 1, target.backlog.size(), file);
  std::fflush(file);
  target.backlog.clear();
}

void closeLogFile() {
  Sink &target = sink();
  std::lock_guard lock(target.mutex);
  if (target.file)
    std::fclose(target.file);
  target.file = nullptr;
  target.backlog.clear();
}

void printResult(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  // Where both streams go to one place, results stay among the log.
  std::fflush(stdout);
  writeToLogFile(text);
}

} // namespace parallax
