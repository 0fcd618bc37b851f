//===- Accuracy.h - How often a network is right ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A number that people know before they know what a cosine means to them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_ACCURACY_H
#define PARALLAX_ANALYSIS_ACCURACY_H

#include <cstdint>
#include <string>

namespace parallax {

/// How many labelled samples a network classifies correctly.
struct Accuracy {
  /// "float", "quantized" or "NPU".
  std::string network;
  int64_t correct = 0, samples = 0;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_ACCURACY_H
