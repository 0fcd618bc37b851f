//===- Completion.h - The subcommand `parallax completion` -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints a script by which a shell completes command lines.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMPLETION_COMPLETION_H
#define PARALLAX_TOOLS_COMPLETION_COMPLETION_H

#include <string>
#include <string_view>

namespace parallax {

struct CommandInfo;
struct SubcommandTable;

/// `table` has all that can be completed.
int runCompletion(const SubcommandTable &table, int argc, char **argv);

std::string bashCompletion(const CommandInfo &program);
std::string zshCompletion(const CommandInfo &program);

/// A word for either shell that stands for itself.
std::string shellQuoted(std::string_view text);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMPLETION_COMPLETION_H
