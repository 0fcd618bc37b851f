//===- Subcommand.h - What all subcommands share ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Parsing of the command line and the one place where errors become messages
// and exit codes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMMON_SUBCOMMAND_H
#define PARALLAX_TOOLS_COMMON_SUBCOMMAND_H

#include "parallax/Support/CommonOptions.h"

#include <functional>
#include <string_view>

namespace parallax {

/// Parses, applies the common options and runs `body`, whose result is the exit
/// code. A user's mistake, whether of the command line or thrown as Error, is
/// printed and gives 2.
int runSubcommand(CLI::App &app, CommonOptions &common, int argc, char **argv,
                  const std::function<int()> &body);

/// Logs an error that may list several problems, one per line. Names out of
/// files lose their control characters.
void reportError(std::string_view message);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMMON_SUBCOMMAND_H
