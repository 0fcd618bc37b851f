//===- SubcommandTable.cpp - Programs that are a table of others ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints the table as help, and passes the other words on to the chosen one.
//===----------------------------------------------------------------------===//
#include "SubcommandTable.h"
#include "Describe.h"

#include <cstdio>
#include <fmt/format.h>

namespace parallax {

static void printHelp(const SubcommandTable &table, std::FILE *stream) {
  fmt::print(stream, "{}\n\nUsage: {} <subcommand> [options]\n\nSubcommands:\n",
             table.title, table.program);
  for (const Subcommand &subcommand : table.subcommands)
    fmt::print(stream, "  {:<12}{}\n", subcommand.name, subcommand.summary);
  fmt::print(stream, "\n`{} <subcommand> --help` shows the options.\n",
             table.program);
}

const Subcommand *SubcommandTable::find(std::string_view name) const {
  for (const Subcommand &subcommand : subcommands)
    if (subcommand.name == name)
      return &subcommand;
  return nullptr;
}

int SubcommandTable::dispatch(int argc, char **argv) const {
  if (CommandInfo *command = describedCommand()) {
    describeSubcommands(*this, *command);
    return 0;
  }
  std::string_view word = argc > 1 ? argv[1] : "";
  if (const Subcommand *subcommand = find(word))
    return subcommand->run(argc - 1, argv + 1);
  if (word == "--help" || word == "-h" || word == "help") {
    printHelp(*this, stdout);
    return 0;
  }
  if (!word.empty())
    fmt::print(stderr, "error: '{}' is not a subcommand\n\n", word);
  printHelp(*this, stderr);
  return 2;
}

} // namespace parallax
