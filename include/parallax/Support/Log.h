//===- Log.h - Messages on standard error ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Standard output belongs to results; everything that is said about the work
// goes to standard error, filtered by one level for the whole process.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LOG_H
#define PARALLAX_SUPPORT_LOG_H

#include <fmt/core.h>
#include <optional>
#include <string_view>
#include <utility>

namespace parallax {

enum class LogLevel { Error, Warning, Info, Debug };

std::string_view nameOf(LogLevel level);
std::optional<LogLevel> parseLogLevel(std::string_view name);

/// Messages above the level are dropped; Info is the initial level.
void setLogLevel(LogLevel level);
bool isLogged(LogLevel level);

/// Switches color off, or lets the terminal decide.
void setLogColor(bool allowed);

void logMessage(LogLevel level, std::string_view message);

template <typename... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args &&...args) {
  if (isLogged(level))
    logMessage(level, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_LOG_H
