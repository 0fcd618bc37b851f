//===- Random.h - Reproducible random numbers ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For inputs and checks that must be the same on every run and every computer.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_RANDOM_H
#define PARALLAX_SUPPORT_RANDOM_H

#include <cstdint>

namespace parallax {

/// SplitMix64: a few instructions per number.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// In [0, 1).
  float real() { return float(next() >> 40) * 0x1p-24f; }

private:
  uint64_t state;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_RANDOM_H
