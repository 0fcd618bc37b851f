//===- Memory.cpp - How much memory the process has used ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the peak resident size from /proc/self/status, which only Linux has.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Memory.h"

#include <fstream>
#include <string>

namespace parallax {

size_t peakMemoryBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

} // namespace parallax
