//===- Diff.h - The subcommand `parallax diff` -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tells a script that builds a network every day whether it became worse.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_DIFF_DIFF_H
#define PARALLAX_TOOLS_DIFF_DIFF_H

namespace parallax {

/// argv[0] is the name of the command. Returns 0 if no output is worse than it
/// may be, 1 if there is a regression, 2 if an analysis is missing or can't be
/// read, or if the command line is wrong.
int runDiff(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_DIFF_DIFF_H
