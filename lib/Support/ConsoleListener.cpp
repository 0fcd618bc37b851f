//===- ConsoleListener.cpp - The listener of the tools --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Progress is reported from inner loops of many threads: an event costs a look
// at the clock, and one thread in a tenth of a second draws.
//===----------------------------------------------------------------------===//
#include "parallax/Support/ConsoleListener.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/SafeText.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

constexpr auto redrawInterval = std::chrono::milliseconds(100);

std::string_view colorOf(LogLevel level) {
  switch (level) {
  case LogLevel::Error:
    return ansi::red;
  case LogLevel::Warning:
    return ansi::yellow;
  case LogLevel::Debug:
    return ansi::dim;
  case LogLevel::Info:
    break;
  }
  return "";
}

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

std::string noteOf(const ProgressEvent &event) {
  return event.note.empty() ? "" : fmt::format(", {}", event.note);
}

} // namespace

ConsoleListener::ConsoleListener(const ConsoleOptions &options,
                                 Console &messages, std::FILE *results)
    : options(options), console(messages), results(results),
      onTerminal(isTerminal(messages.file()) && !isDumbTerminal()) {}

void ConsoleListener::onMessage(LogLevel level, std::string_view text) {
  if (!wants(level))
    return;
  bool color =
      level != LogLevel::Info && options.color && colorAllowed(console.file());
  std::string safe = safeText(TextKind::Lines, text);
  if (!drawsUnicode(console.file()))
    safe = asciiText(safe);
  console.writeLine(color ? fmt::format("{}{}:{} {}", colorOf(level),
                                        nameOf(level), ansi::reset, safe)
                          : withLevel(level, safe));
}

void ConsoleListener::onResult(std::string_view text) {
  if (!wants(LogLevel::Warning))
    return;
  std::string safe = safeText(TextKind::Lines, text);
  if (!drawsUnicode(::fileno(results)))
    safe = asciiText(safe);
  std::fwrite(safe.data(), 1, safe.size(), results);
  // Where both streams go to one place, results stay among the messages.
  std::fflush(results);
}

TextStyle ConsoleListener::style() const {
  int file = ::fileno(results);
  return {options.color && colorAllowed(file), terminalWidth(file)};
}

void ConsoleListener::onProgress(const ProgressEvent &event) {
  if (!wants(LogLevel::Info))
    return;
  Clock::rep now = Clock::now().time_since_epoch().count();
  Clock::rep next = now + Clock::duration(redrawInterval).count();
  if (event.hasEnded)
    return console.writeLine(
        fmt::format("{}: {}/{} {} {}{}", event.title, event.done, event.total,
                    event.done < event.total ? "(stopped) after" : "in",
                    formatDuration(secondsSoFar()), noteOf(event)));
  if (event.done == 0) {
    begin = now;
    nextDraw = next;
    if (onTerminal)
      console.writeTransient(barLine(event));
    else
      console.writeLine(fmt::format("{}: 0/{}", event.title, event.total));
    return;
  }
  Clock::rep due = nextDraw;
  // The exchange elects one of the threads that see the same due time.
  if (onTerminal && now >= due && nextDraw.compare_exchange_strong(due, next))
    console.writeTransient(barLine(event));
}

double ConsoleListener::secondsSoFar() const {
  Clock::duration passed =
      Clock::now().time_since_epoch() - Clock::duration(begin);
  return std::chrono::duration<double>(passed).count();
}

std::string ConsoleListener::barLine(const ProgressEvent &event) const {
  double fraction =
      event.total
          ? std::clamp(double(event.done) / double(event.total), 0.0, 1.0)
          : 1.0;
  std::string numbers = fmt::format(
      " {:3.0f} % {}/{}", std::floor(100 * fraction), event.done, event.total);
  if (event.done > 0 && event.done < event.total)
    numbers +=
        fmt::format(", {} left",
                    formatDuration(secondsSoFar() * (1 - fraction) / fraction));
  numbers += noteOf(event);

  // The last column stays free: some terminals wrap when it is written.
  int width = terminalWidth(console.file());
  int room = (width > 0 ? width : 80) - 1;
  int barWidth = std::min(30, room - displayWidth(event.title) -
                                  displayWidth(numbers) - 1);
  if (barWidth < 5)
    return elide(std::string(event.title) + numbers, room);
  auto filled = int64_t(fraction * barWidth);
  bool isUnicode = drawsUnicode(console.file());
  return fmt::format("{} {}{}{}", event.title,
                     repeat(isUnicode ? "█" : "#", filled),
                     repeat(isUnicode ? "░" : ".", barWidth - filled), numbers);
}

} // namespace parallax
