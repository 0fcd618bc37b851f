//===- CommonOptions.h - Flags that all subcommands share ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One definition of --threads, --log-level and --no-color, so that they mean
// and are called the same everywhere.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_COMMONOPTIONS_H
#define PARALLAX_SUPPORT_COMMONOPTIONS_H

#include "parallax/Support/ConsoleListener.h"
#include "parallax/Support/Log.h"

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace parallax {

struct CommonOptions {
  /// 0 stands for all cores.
  int threads = 0;
  /// --log-level and --no-color; what a stream gets also depends on the stream.
  ConsoleOptions console;
  /// Whether the command spends its time in networks.
  bool runsNetworks = false;

  /// The number of threads that 0 stands for, or the one that was given.
  int threadsToUse() const;
  /// Whether output to `descriptor` is colored.
  bool colorFor(int descriptor) const;
};

/// Adds the flags to `app`; `options` must live until it has parsed.
void addCommonOptions(CLI::App &app, CommonOptions &options);

/// Prints the help that was asked for, or what is wrong with the command line;
/// returns the exit code, 0 or 2.
int reportParseError(const CLI::App &app, const CLI::ParseError &error);

} // namespace parallax

#endif // PARALLAX_SUPPORT_COMMONOPTIONS_H
