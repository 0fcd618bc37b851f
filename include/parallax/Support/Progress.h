//===- Progress.h - A progress bar for long work ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// People watch a terminal, log files are read later: a terminal gets a bar
// that is redrawn in place, anything else one line at begin and end.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PROGRESS_H
#define PARALLAX_SUPPORT_PROGRESS_H

#include "parallax/Support/Terminal.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace parallax {

class Progress {
public:
  /// `total` steps of work begin now. Nothing is shown if the log level
  /// suppresses information.
  Progress(std::string title, int64_t total,
           Console &console = Console::standardError());

  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// The work has ended; the last line says how far it came.
  ~Progress();

  /// Any thread may call this.
  void advance(int64_t steps = 1);

private:
  using Clock = std::chrono::steady_clock;

  double secondsSince(Clock::time_point begin) const;
  std::string barLine(int64_t done) const;

  const std::string title;
  const int64_t total;
  Console &console;
  const bool visible, onTerminal;
  const Clock::time_point begin = Clock::now();
  std::atomic<int64_t> completed = 0;
  /// When the bar may be drawn again, in ticks of the clock.
  std::atomic<Clock::rep> nextDraw;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_PROGRESS_H
