//===- LogFile.cpp - What was shown, kept in a file -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Lines are flushed one by one: a build that crashes leaves what it has said.
//===----------------------------------------------------------------------===//
#include "parallax/Support/LogFile.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/SafeText.h"

#include <cerrno>
#include <fmt/format.h>

namespace parallax {

/// The text without the escape sequences of colors.
static std::string withoutColors(std::string_view text) {
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

LogFile::~LogFile() { close(); }

void LogFile::close() {
  std::lock_guard lock(mutex);
  isClosed = true;
  if (file)
    std::fclose(file);
  file = nullptr;
}

void LogFile::open(const std::filesystem::path &path) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::FILE *opened = std::fopen(path.c_str(), "wb");
  if (!opened)
    throw Error(fmt::format("cannot write '{}': {}", path.string(),
                            whyNotWritten(path, errno)));
  std::lock_guard lock(mutex);
  if (file)
    std::fclose(file);
  file = opened;
  std::fwrite(backlog.data(), 1, backlog.size(), file);
  std::fflush(file);
  backlog.clear();
}

void LogFile::onMessage(LogLevel level, std::string_view text) {
  write(withLevel(level, text) + "\n");
  next.onMessage(level, text);
}

void LogFile::onResult(std::string_view text) {
  write(text);
  next.onResult(text);
}

void LogFile::write(std::string_view text) {
  std::string plain = withoutColors(safeText(TextKind::Lines, text));
  std::lock_guard lock(mutex);
  constexpr size_t maxBacklog = 1 << 20;
  if (isClosed)
    return;
  if (!file) {
    if (backlog.size() < maxBacklog)
      backlog += plain;
    return;
  }
  std::fwrite(plain.data(), 1, plain.size(), file);
  std::fflush(file);
}

} // namespace parallax
