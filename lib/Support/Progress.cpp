//===- Progress.cpp - A progress bar for long work ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// advance() is called from inner loops of many threads: it costs an addition
// and a look at the clock, and one thread in a tenth of a second draws.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Progress.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

constexpr auto redrawInterval = std::chrono::milliseconds(100);

std::string formatDuration(double seconds) {
  if (seconds < 60)
    return fmt::format("{:.1f} s", seconds);
  auto whole = int64_t(seconds);
  if (whole < 3600)
    return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::string repeat(std::string_view text, int64_t count) {
  std::string result;
  while (count-- > 0)
    result += text;
  return result;
}

} // namespace

Progress::Progress(std::string name, int64_t steps, Console &output)
    : title(printable(name)), total(std::max<int64_t>(steps, 0)),
      console(output), visible(isLogged(LogLevel::Info)),
      onTerminal(isTerminal(output.file())),
      nextDraw((begin + redrawInterval).time_since_epoch().count()) {
  if (!visible)
    return;
  if (onTerminal)
    console.writeTransient(barLine(0));
  else
    console.writeLine(fmt::format("{}: 0/{}", title, total));
}

Progress::~Progress() {
  if (!visible)
    return;
  int64_t done = completed;
  console.writeLine(fmt::format("{}: {}/{} {} {}", title, done, total,
                                done < total ? "(stopped) after" : "in",
                                formatDuration(secondsSince(begin))));
}

void Progress::advance(int64_t steps) {
  int64_t done = completed += steps;
  if (!visible || !onTerminal)
    return;
  Clock::rep now = Clock::now().time_since_epoch().count();
  Clock::rep due = nextDraw;
  Clock::rep next = now + Clock::duration(redrawInterval).count();
  // The exchange elects one of the threads that see the same due time.
  if (now >= due && nextDraw.compare_exchange_strong(due, next))
    console.writeTransient(barLine(done));
}

double Progress::secondsSince(Clock::time_point start) const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string Progress::barLine(int64_t done) const {
  double fraction =
      total ? std::clamp(double(done) / double(total), 0.0, 1.0) : 1.0;
  std::string numbers =
      fmt::format(" {:3.0f} % {}/{}", std::floor(100 * fraction), done, total);
  if (done > 0 && done < total)
    numbers +=
        fmt::format(", {} left", formatDuration(secondsSince(begin) *
                                                (1 - fraction) / fraction));

  // The last column stays free: some terminals wrap when it is written.
  int width = terminalWidth(console.file());
  int room = (width > 0 ? width : 80) - 1;
  int barWidth =
      std::min(30, room - displayWidth(title) - displayWidth(numbers) - 1);
  if (barWidth < 5)
    return elide(title + numbers, room);
  auto filled = int64_t(fraction * barWidth);
  return fmt::format("{} {}{}{}", title, repeat("█", filled),
                     repeat("░", barWidth - filled), numbers);
}

} // namespace parallax
