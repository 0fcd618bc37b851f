//===- SubcommandTable.cpp - Programs that are a table of others ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints the table as help, and passes the other words on to the chosen one.
//===----------------------------------------------------------------------===//
#include "SubcommandTable.h"
#include "Describe.h"

#include "parallax/Support/NearestNames.h"
#include "parallax/Support/Unicode.h"

#include <cstdio>
#include <fmt/format.h>
#include <vector>

namespace parallax {

static void printHelp(const SubcommandTable &table, std::FILE *stream) {
  fmt::print(stream, "{}\n\nUsage: {} <subcommand> [options]\n\nSubcommands:\n",
             table.title, table.program);
  for (const Subcommand &subcommand : table.subcommands)
    fmt::print(stream, "  {:<12}{}\n", subcommand.name, subcommand.summary);
  fmt::print(stream, "\n`{} <subcommand> --help` shows the options.\n",
             table.program);
}

static void refuse(const SubcommandTable &table, std::string_view word) {
  std::vector<std::string> names;
  for (const Subcommand &subcommand : table.subcommands)
    names.emplace_back(subcommand.name);
  std::string advice = didYouMean(word, names);
  fmt::print(stderr, "error: '{}' is not a subcommand{}\n", printable(word),
             advice);
  if (!advice.empty())
    return;
  fmt::print(stderr, "\n");
  printHelp(table, stderr);
}

/// `help build` is `build --help`, and `help case pack` is `case pack --help`.
static int helpWith(const SubcommandTable &table, int argc, char **argv) {
  const Subcommand *subcommand = table.find(argv[2]);
  if (!subcommand) {
    refuse(table, argv[2]);
    return 2;
  }
  std::vector<char *> words(argv + 2, argv + argc);
  char help[] = "--help";
  words.push_back(help);
  return subcommand->run(int(words.size()), words.data());
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
  if (word == "help" && argc > 2)
    return helpWith(*this, argc, argv);
  if (word == "--help" || word == "-h" || word == "help") {
    printHelp(*this, stdout);
    return 0;
  }
  if (word.empty())
    printHelp(*this, stderr);
  else
    refuse(*this, word);
  return 2;
}

} // namespace parallax
