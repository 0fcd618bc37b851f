//===- Conformance.h - The subcommand `parallax conformance` ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Writes vectors for other implementations of docs/numerics.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_CONFORMANCE_CONFORMANCE_H
#define PARALLAX_TOOLS_CONFORMANCE_CONFORMANCE_H

namespace parallax {

/// argv[0] is the name of the command.
int runConformance(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_CONFORMANCE_CONFORMANCE_H
