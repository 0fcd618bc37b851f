//===- Log.cpp - Messages about the work ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The names of the levels.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Log.h"

namespace parallax {

/// In the order of the enum.
static constexpr std::string_view levelNames[] = {"error", "warning", "info",
                                                  "debug"};

std::string_view nameOf(LogLevel level) { return levelNames[size_t(level)]; }

std::optional<LogLevel> parseLogLevel(std::string_view name) {
  for (size_t level = 0; level < std::size(levelNames); ++level)
    if (name == levelNames[level])
      return LogLevel(level);
  return std::nullopt;
}

std::string withLevel(LogLevel level, std::string_view text) {
  return level == LogLevel::Info ? std::string(text)
                                 : fmt::format("{}: {}", nameOf(level), text);
}

} // namespace parallax
