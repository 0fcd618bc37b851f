//===- Pty.h - A terminal for tests ----------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What only happens on a terminal is tested on a pseudo terminal.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_SUPPORT_PTY_H
#define PARALLAX_TEST_UNIT_SUPPORT_PTY_H

#include <fcntl.h>
#include <cstdlib>
#include <pty.h>
#include <string>
#include <unistd.h>

namespace parallax {

/// The two ends of a terminal of the given width, or of a pipe if it is 0.
class Screen {
public:
  explicit Screen(unsigned short width) {
    // Whatever the terminal is that the tests were started on.
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    struct winsize size = {24, width, 0, 0};
    int ends[2] = {-1, -1};
    if (width > 0)
      opened = ::openpty(&ends[0], &ends[1], nullptr, nullptr, &size) == 0;
    else
      opened = ::pipe(ends) == 0;
    reader = ends[0];
    writer = ends[1];
    ::fcntl(reader, F_SETFL, O_NONBLOCK);
  }
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;
  ~Screen() {
    ::close(reader);
    ::close(writer);
  }

  int file() const { return writer; }
  bool isOpen() const { return opened; }

  /// What was written since the last call.
  std::string output() {
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = ::read(reader, buffer, sizeof(buffer))) > 0;)
      text.append(buffer, size_t(size));
    return text;
  }

private:
  int reader = -1, writer = -1;
  bool opened = false;
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_SUPPORT_PTY_H
