//===- Build.h - The subcommand `parallax build` ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Compiles a model as a configuration says.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_BUILD_BUILD_H
#define PARALLAX_TOOLS_BUILD_BUILD_H

namespace parallax {

int runBuildCommand(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_BUILD_BUILD_H
