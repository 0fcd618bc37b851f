//===- Memory.h - How much memory the process has used ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For debug messages, from which tests read whether memory stays in bounds.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_MEMORY_H
#define PARALLAX_SUPPORT_MEMORY_H

#include <cstddef>

namespace parallax {

/// The most that was resident at once, or 0 where the system doesn't tell.
/// (getrusage would count what the parent process had before it started us.)
size_t peakMemoryBytes();

} // namespace parallax

#endif // PARALLAX_SUPPORT_MEMORY_H
