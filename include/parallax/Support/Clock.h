//===- Clock.h - How long something took -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Seconds since a point in time, for everything that is measured.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_CLOCK_H
#define PARALLAX_SUPPORT_CLOCK_H

#include <chrono>
#include <fmt/format.h>
#include <string>

namespace parallax {

inline double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The time of each phase of something, in one line.
class PhaseClock {
public:
  void finish(std::string_view phase) {
    text += fmt::format("{}{} {:.2f} s", text.empty() ? "" : ", ", phase,
                        secondsSince(start));
    start = std::chrono::steady_clock::now();
  }
  const std::string &summary() const { return text; }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  std::string text;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_CLOCK_H
