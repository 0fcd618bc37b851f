//===- Terminal.cpp - Where text for people goes --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each output is one write call, so lines of several processes that share a
// terminal or a log file are not mixed within a line.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Terminal.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace parallax {

bool isTerminal(int descriptor) { return ::isatty(descriptor) != 0; }

int terminalWidth(int descriptor) {
  struct winsize size = {};
  if (!isTerminal(descriptor) || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0)
    return 0;
  return size.ws_col;
}

bool colorAllowed(int descriptor) {
  const char *noColor = std::getenv("NO_COLOR");
  return isTerminal(descriptor) && !isDumbTerminal() && !(noColor && *noColor);
}

bool isDumbTerminal() {
  const char *kind = std::getenv("TERM");
  return kind && kind == std::string_view("dumb");
}

/// Whether a locale such as "de_DE.UTF-8" or "C.utf8" is one of UTF-8.
static bool isUtf8(std::string_view locale) {
  std::string letters;
  for (char symbol : locale)
    if (symbol != '-')
      letters += char(symbol | 0x20);
  return letters.find("utf8") != std::string::npos;
}

bool drawsUnicode(int descriptor) {
  if (!isTerminal(descriptor))
    return true;
  if (isDumbTerminal())
    return false;
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char *locale = std::getenv(name); locale && *locale)
      return isUtf8(locale);
  return true;
}

/// A message that can't be written is lost; there is no other channel.
static void writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return;
    text.remove_prefix(size_t(written));
  }
}

Console &Console::standardError() {
  static Console console(STDERR_FILENO);
  return console;
}

void Console::writeLine(std::string_view text) {
  std::lock_guard lock(mutex);
  std::string output(hasTransient ? "\r\033[K" : "");
  output.append(text).append("\n");
  hasTransient = false;
  writeAll(descriptor, output);
}

void Console::writeTransient(std::string_view text) {
  std::lock_guard lock(mutex);
  hasTransient = true;
  writeAll(descriptor, std::string("\r\033[K").append(text));
}

} // namespace parallax
