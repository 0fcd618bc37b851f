//===- Run.h - The subcommand `parallax run` -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Executes a model on files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_RUN_RUN_H
#define PARALLAX_TOOLS_RUN_RUN_H

namespace parallax {

int runRun(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_RUN_RUN_H
