//===- LogFile.h - What was on the screen, kept ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A build writes build.log: every message and table, for those who look later.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LOGFILE_H
#define PARALLAX_SUPPORT_LOGFILE_H

#include <filesystem>
#include <string_view>

namespace parallax {

/// Everything that is logged or printed by printResult goes to this file too,
/// without colors; what came before it was opened is written first. Throws
/// Error.
void openLogFile(const std::filesystem::path &path);

/// Ends the file, or forgets what was kept for one.
void closeLogFile();

/// Prints on standard output what a command was asked for.
void printResult(std::string_view text);

} // namespace parallax

#endif // PARALLAX_SUPPORT_LOGFILE_H
