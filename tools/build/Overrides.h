//===- Overrides.h - Fields of a configuration as flags --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Some fields can be given on the command line too, under their dotted names;
// the command line wins.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_BUILD_OVERRIDES_H
#define PARALLAX_TOOLS_BUILD_OVERRIDES_H

#include <optional>

namespace CLI {
class App;
} // namespace CLI

namespace parallax {

struct BuildConfig;

struct BuildOverrides {
  std::optional<bool> disableOnnxOptimization, modelCheck,
      disableTransformationCheck, dumpFrontendGraph;

  /// Sets the fields that were given.
  void apply(BuildConfig &config) const;
};

/// Adds a flag for each override: bare, or with 1, 0, true or false behind it.
void addOverrides(CLI::App &app, BuildOverrides &overrides);

} // namespace parallax

#endif // PARALLAX_TOOLS_BUILD_OVERRIDES_H
