//===- Terminal.h - Where text for people goes -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Log lines and a progress bar share one screen. The console keeps them apart:
// the last, transient line is erased before anything else is printed.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_TERMINAL_H
#define PARALLAX_SUPPORT_TERMINAL_H

#include <mutex>
#include <string_view>

namespace parallax {

/// The escape sequences that we use; each ends with `reset`.
namespace ansi {
inline constexpr std::string_view bold = "\033[1m", dim = "\033[2m",
                                  red = "\033[31m", green = "\033[32m",
                                  yellow = "\033[33m", reset = "\033[0m";
} // namespace ansi

bool isTerminal(int descriptor);

/// The columns of a terminal, or 0 (no limit) for files and pipes.
int terminalWidth(int descriptor);

/// One that can neither color nor go back in a line (TERM=dumb).
bool isDumbTerminal();

/// False for a terminal that is dumb, or whose locale has another encoding than
/// UTF-8; where no locale is set, nearly all have it. Files are UTF-8.
bool drawsUnicode(int descriptor);

/// True for a terminal, unless it is dumb or the environment sets NO_COLOR.
bool colorAllowed(int descriptor);

class Console {
public:
  explicit Console(int descriptor) : descriptor(descriptor) {}
  static Console &standardError();

  int file() const { return descriptor; }

  /// Prints whole lines; `text` gets a line feed. Safe to call from any
  /// thread.
  void writeLine(std::string_view text);

  /// Shows `text` until the next output replaces it; for terminals only.
  void writeTransient(std::string_view text);

private:
  int descriptor;
  std::mutex mutex;
  bool hasTransient = false;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_TERMINAL_H
