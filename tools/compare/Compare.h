//===- Compare.h - The subcommand `parallax compare` -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Everybody who moves a network to an NPU ends up writing a script that diffs
// two folders of tensors; this is that script, with honest metrics.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMPARE_COMPARE_H
#define PARALLAX_TOOLS_COMPARE_COMPARE_H

namespace parallax {

/// argv[0] is the name of the command. Returns 0 if all tensors are equal
/// within the tolerance, 1 if some differ, 2 if a file is missing or can't be
/// read, or if the command line is wrong.
int runCompare(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMPARE_COMPARE_H
