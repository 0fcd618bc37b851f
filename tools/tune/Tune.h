//===- Tune.h - The subcommand `parallax tune` -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Finds the cheapest network that keeps its accuracy.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_TUNE_TUNE_H
#define PARALLAX_TOOLS_TUNE_TUNE_H

namespace parallax {

/// argv[0] is the name of the command.
int runTune(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_TUNE_TUNE_H
