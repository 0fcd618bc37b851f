//===- ChildProcess.h - Programs that may fail -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What may crash, hang or be interrupted runs in a process of its own: builds of
// cases, and commands of users.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_CHILDPROCESS_H
#define PARALLAX_SUPPORT_CHILDPROCESS_H

#include <filesystem>
#include <string>
#include <vector>

namespace parallax {

/// How a process ended.
struct ChildResult {
  int exitCode = 0;
  /// The signal that ended it; 0 if it ended by itself.
  int signal = 0;
  /// It was stopped because it took too long.
  bool isTimeout = false;
  /// What it printed, or the end of that.
  std::string text;

  bool isFailure() const { return signal != 0 || exitCode != 0; }
  /// Sanitizers turn signals into exit codes of their own.
  bool isCrash() const { return signal != 0 || exitCode > 2; }
};

/// Runs a program in a folder; what it prints goes to a file. The process ends
/// with this one, and if the listener cancels the work, which throws Cancelled.
ChildResult runChild(const std::vector<std::string> &command,
                     const std::filesystem::path &folder,
                     const std::filesystem::path &log, int64_t maxSeconds);

} // namespace parallax

#endif // PARALLAX_SUPPORT_CHILDPROCESS_H
