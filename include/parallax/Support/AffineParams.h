//===- AffineParams.h - What a code stands for -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A code q stands for the value (q - zeroPoint) scale. The scale is a 32-bit
// float because that is what files and chips hold.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_AFFINEPARAMS_H
#define PARALLAX_SUPPORT_AFFINEPARAMS_H

#include <cstdint>

namespace parallax {

struct AffineParams {
  float scale = 1;
  int64_t zeroPoint = 0;
  /// The smallest and the greatest code.
  int64_t low = 0, high = 255;

  bool operator==(const AffineParams &) const = default;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_AFFINEPARAMS_H
