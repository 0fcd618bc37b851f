//===- Clock.h - How long something took -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One word for what every measurement writes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_CLOCK_H
#define PARALLAX_SUPPORT_CLOCK_H

#include <chrono>

namespace parallax {

inline double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_CLOCK_H
