//===- Flags.h - Fields of a configuration as flags ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Scalar fields, and lists of them, can be given on the command line under
// their dotted names.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_BUILD_FLAGS_H
#define PARALLAX_TOOLS_BUILD_FLAGS_H

#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace parallax {

struct ConfigOverride;

/// Adds a flag for each field that can have one. Parsing appends those that
/// were given to `given`, which must live as long as `app`.
void addConfigFlags(CLI::App &app, std::vector<ConfigOverride> &given);

} // namespace parallax

#endif // PARALLAX_TOOLS_BUILD_FLAGS_H
