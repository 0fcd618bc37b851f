//===- NetworkFlags.h - How a model is imported, as flags ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The flags that all subcommands have which import a model.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMMON_NETWORKFLAGS_H
#define PARALLAX_TOOLS_COMMON_NETWORKFLAGS_H

#include "parallax/Pipeline/Network.h"

namespace CLI {
class App;
} // namespace CLI

namespace parallax {

/// Adds --input_shapes and --bake; the model itself is the subcommand's.
void addNetworkOptions(CLI::App &app, NetworkOptions &options);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMMON_NETWORKFLAGS_H
