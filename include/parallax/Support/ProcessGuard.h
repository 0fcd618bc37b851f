//===- ProcessGuard.h - A message instead of a signal ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For programs, not for libraries: faults that no code of ours can catch end
// with one message and exit code 2. A mapped file that became shorter, memory
// that a library did not get and did not check, a library that calls exit(),
// and the limit on the size of files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PROCESSGUARD_H
#define PARALLAX_SUPPORT_PROCESSGUARD_H

namespace parallax {

/// Guards the process from its construction on; whoever leaves the program
/// before it is destroyed did not mean to succeed.
class ProcessGuard {
public:
  ProcessGuard();
  ProcessGuard(const ProcessGuard &) = delete;
  ProcessGuard &operator=(const ProcessGuard &) = delete;
  ~ProcessGuard();
};

/// Says that there is not enough memory and ends the process with code 2,
/// without any memory. For handlers of libraries that would abort.
[[noreturn]] void endForLackOfMemory() noexcept;

} // namespace parallax

#endif // PARALLAX_SUPPORT_PROCESSGUARD_H
