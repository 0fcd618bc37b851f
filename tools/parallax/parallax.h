//===- parallax.h - The driver ---------------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All that `main` does, for a test program that does something before it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_PARALLAX_PARALLAX_H
#define PARALLAX_TOOLS_PARALLAX_PARALLAX_H

namespace parallax {

/// Runs the subcommand that the arguments name; returns the exit code.
int runTool(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_PARALLAX_PARALLAX_H
