//===- Log.h - Messages about the work -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Short ways to tell the listener of this thread something.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LOG_H
#define PARALLAX_SUPPORT_LOG_H

#include "parallax/Support/Listener.h"

#include <fmt/core.h>
#include <optional>
#include <string_view>
#include <utility>

namespace parallax {

std::string_view nameOf(LogLevel level);
std::optional<LogLevel> parseLogLevel(std::string_view name);

/// The text as a log shows it: every level but Info names itself.
std::string withLevel(LogLevel level, std::string_view text);

template <typename... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args &&...args) {
  Listener &listener = currentListener();
  if (listener.wants(level))
    listener.onMessage(level, fmt::format(format, std::forward<Args>(args)...));
}

/// Shows a part of the results.
inline void showResult(std::string_view text) {
  currentListener().onResult(text);
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_LOG_H
