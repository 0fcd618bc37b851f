//===- NetworkFlags.cpp - How a model is imported, as flags ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the values mean, the importer knows.
//===----------------------------------------------------------------------===//
#include "NetworkFlags.h"

#include <CLI/CLI.hpp>

namespace parallax {

void addNetworkOptions(CLI::App &app, NetworkOptions &options) {
  app.add_option("--input_shapes", options.inputShapes,
                 "fixes dynamic shapes: name:1x3x224x224;other:1x10")
      ->type_name("SHAPES");
  app.add_option("--bake", options.bake,
                 "makes an input a constant: name=file.npy or name=number; for "
                 "inputs that only parameterize operators")
      ->type_name("NAME=VALUE");
}

} // namespace parallax
