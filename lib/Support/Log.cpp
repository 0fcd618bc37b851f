//===- Log.cpp - Messages on standard error -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Information is the normal voice of the tools and carries no prefix; the
// other levels name themselves, as compilers do.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Log.h"
#include "LogSink.h"
#include "parallax/Support/Terminal.h"

#include <atomic>
#include <string>

namespace parallax {
namespace {

struct LevelInfo {
  std::string_view name, color;
};

// In the order of the enum.
constexpr LevelInfo levels[] = {{"error", ansi::red},
                                {"warning", ansi::yellow},
                                {"info", ""},
                                {"debug", ansi::dim}};

std::atomic<LogLevel> currentLevel = LogLevel::Info;
std::atomic<bool> colorEnabled = true;

} // namespace

std::string_view nameOf(LogLevel level) { return levels[size_t(level)].name; }

std::optional<LogLevel> parseLogLevel(std::string_view name) {
  for (size_t level = 0; level < std::size(levels); ++level)
    if (name == levels[level].name)
      return LogLevel(level);
  return std::nullopt;
}

void setLogLevel(LogLevel level) { currentLevel = level; }

bool isLogged(LogLevel level) { return level <= currentLevel; }

void setLogColor(bool allowed) { colorEnabled = allowed; }

void logMessage(LogLevel level, std::string_view message) {
  if (!isLogged(level))
    return;
  Console &console = Console::standardError();
  const LevelInfo &info = levels[size_t(level)];
  if (level == LogLevel::Info) {
    writeToLogFile(fmt::format("{}\n", message));
    return console.writeLine(message);
  }
  writeToLogFile(fmt::format("{}: {}\n", info.name, message));
  bool color = colorEnabled && colorAllowed(console.file());
  console.writeLine(fmt::format("{}{}:{} {}", color ? info.color : "",
                                info.name, color ? ansi::reset : "", message));
}

} // namespace parallax
