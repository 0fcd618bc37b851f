//===- SubcommandTable.h - Programs that are a table of others -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// `parallax` and some of its subcommands do nothing but choose another one by
// the first word.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMMON_SUBCOMMANDTABLE_H
#define PARALLAX_TOOLS_COMMON_SUBCOMMANDTABLE_H

#include <span>
#include <string_view>

namespace parallax {

struct Subcommand {
  std::string_view name, summary;
  int (*run)(int argc, char **argv);
};

struct SubcommandTable {
  /// What the table is for, and the words that a user typed to get here.
  std::string_view title, program;
  std::span<const Subcommand> subcommands;

  /// Null if there is none.
  const Subcommand *find(std::string_view name) const;

  /// Runs the subcommand that the first argument names and returns its exit
  /// code. Prints the table if it asks for help, or names none, which gives 2.
  int dispatch(int argc, char **argv) const;
};

} // namespace parallax

#endif // PARALLAX_TOOLS_COMMON_SUBCOMMANDTABLE_H
