//===- Evaluate.h - The subcommand `parallax evaluate` ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Measures how well models do the task of a configuration.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_EVALUATE_EVALUATE_H
#define PARALLAX_TOOLS_EVALUATE_EVALUATE_H

namespace parallax {

int runEvaluateCommand(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_EVALUATE_EVALUATE_H
