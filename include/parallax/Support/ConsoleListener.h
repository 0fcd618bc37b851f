//===- ConsoleListener.h - The listener of the tools -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Standard output belongs to results; everything that is said about the work
// goes to standard error. People watch a terminal, log files are read later: a
// terminal gets a progress bar that is redrawn in place, anything else one line
// at the beginning and one at the end.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_CONSOLELISTENER_H
#define PARALLAX_SUPPORT_CONSOLELISTENER_H

#include "parallax/Support/Listener.h"
#include "parallax/Support/Terminal.h"

#include <atomic>
#include <chrono>
#include <cstdio>

namespace parallax {

struct ConsoleOptions {
  /// Messages above the level are dropped.
  LogLevel level = LogLevel::Info;
  /// False switches color off; otherwise the terminal decides.
  bool color = true;
};

class ConsoleListener : public Listener {
public:
  explicit ConsoleListener(const ConsoleOptions &options = {},
                           Console &messages = Console::standardError(),
                           std::FILE *results = stdout);

  bool wants(LogLevel level) const override { return level <= options.level; }
  void onMessage(LogLevel level, std::string_view text) override;
  void onResult(std::string_view text) override;
  void onProgress(const ProgressEvent &event) override;
  TextStyle style() const override;

private:
  using Clock = std::chrono::steady_clock;

  double secondsSoFar() const;
  std::string barLine(const ProgressEvent &event) const;

  ConsoleOptions options;
  Console &console;
  std::FILE *results;
  const bool onTerminal;
  /// Of the work that is being watched. One is at a time.
  std::atomic<Clock::rep> begin = 0;
  /// When the bar may be drawn again.
  std::atomic<Clock::rep> nextDraw = 0;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_CONSOLELISTENER_H
