//===- Describe.cpp - The commands and options of the tool ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A subcommand knows its options only while it runs. So it is called, and
// leaves them here in place of doing its work.
//===----------------------------------------------------------------------===//
#include "Describe.h"
#include "SubcommandTable.h"

#include "parallax/Support/Error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace parallax {

static CommandInfo *beingDescribed = nullptr;

CommandInfo *describedCommand() { return beingDescribed; }

/// The first sentence of a help text, in one line.
static std::string firstSentence(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = text.substr(0, text.find(". "));
  if (text.ends_with('.'))
    text.pop_back();
  return text;
}

/// Help shows a value as "FILE", "INT ...", "[BOOL]" or "AX650|generic|FILE":
/// alternatives are words, a name by itself stands for something else.
static OptionValue describeValue(const CLI::Option &option) {
  constexpr std::string_view many = " ...";
  constexpr std::string_view numbers[] = {"INT", "FLOAT",  "N",
                                          "X",   "COSINE", "MIN"};
  OptionValue value;
  if (option.get_expected_max() == 0)
    return value;
  value.kind = option.get_expected_min() == 0   ? OptionValue::Kind::Optional
               : option.get_expected_max() == 1 ? OptionValue::Kind::One
                                                : OptionValue::Kind::Many;
  // What the validators say about themselves comes behind a colon.
  std::string name = option.get_type_name();
  value.name = name.substr(0, name.find(':'));
  if (value.name.ends_with(many))
    value.name.resize(value.name.size() - many.size());
  if (value.name == "[BOOL]") {
    value.choices = {"true", "false"};
    return value;
  }
  std::vector<std::string> words = CLI::detail::split(value.name, '|');
  for (const std::string &word : words) {
    if (word == "DIR")
      value.mayBeFolder = true;
    else if (std::ranges::find(numbers, word) != std::end(numbers))
      continue;
    else if (words.size() == 1 || word == "FILE")
      value.mayBeFile = true;
    else
      value.choices.push_back(word);
  }
  return value;
}

void describeOptions(const CLI::App &app, CommandInfo &command) {
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_positional()) {
      command.operands.push_back(describeValue(*option));
      continue;
    }
    if (option->get_group().empty())
      continue; // It is in no help either.
    OptionInfo info;
    for (const std::string &name : option->get_lnames())
      info.names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      info.names.push_back("-" + name);
    info.summary = firstSentence(option->get_description());
    info.value = describeValue(*option);
    command.options.push_back(std::move(info));
  }
}

static CommandInfo describeOne(const Subcommand &subcommand) {
  CommandInfo command{std::string(subcommand.name),
                      std::string(subcommand.summary),
                      {},
                      {},
                      {}};
  CommandInfo *outer = std::exchange(beingDescribed, &command);
  std::string name = command.name;
  char *words[] = {name.data(), nullptr};
  subcommand.run(1, words);
  beingDescribed = outer;
  if (command.options.empty() && command.subcommands.empty())
    throw Error(fmt::format("'{}' has run in place of describing its options; "
                            "let it call runSubcommand",
                            name));
  return command;
}

void describeSubcommands(const SubcommandTable &table, CommandInfo &command) {
  for (const Subcommand &subcommand : table.subcommands)
    command.subcommands.push_back(describeOne(subcommand));
}

CommandInfo describe(std::string name, const SubcommandTable &table) {
  CommandInfo command{std::move(name), "", {}, {}, {}};
  describeSubcommands(table, command);
  return command;
}

} // namespace parallax
