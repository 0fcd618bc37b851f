//===- Bash.cpp - Completion for bash -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Two tables, written as `case` because that starts no process, and one
// function that reads them.
//===----------------------------------------------------------------------===//
#include "../common/Describe.h"
#include "Completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {

/// How a value is written in the tables. -f and -d are options of compgen.
static std::string bashValue(const OptionValue &value) {
  std::string text;
  if (!value.choices.empty())
    text += fmt::format(" choices='{}'", fmt::join(value.choices, " "));
  if (value.mayBeFile)
    text += " files=-f";
  else if (value.mayBeFolder)
    text += " files=-d";
  return text;
}

static std::string bashCount(OptionValue::Kind kind) {
  switch (kind) {
  case OptionValue::Kind::None:
    return "";
  case OptionValue::Kind::Optional:
    return "least=0 most=1";
  case OptionValue::Kind::One:
    return "least=1 most=1";
  case OptionValue::Kind::Many:
    return "least=1 most=9999";
  }
  return "";
}

/// One line for each command: what can follow it.
static void addBashCommands(const CommandInfo &command, const std::string &path,
                            std::string &text) {
  std::vector<std::string> subcommands, options;
  for (const CommandInfo &subcommand : command.subcommands)
    subcommands.push_back(subcommand.name);
  for (const OptionInfo &option : command.options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  text += fmt::format("  {}) subcommands='{}' options='{}'", shellQuoted(path),
                      fmt::join(subcommands, " "), fmt::join(options, " "));
  // Operands of one command differ in their meaning, not in what they can be.
  if (!command.operands.empty())
    text += bashValue(command.operands[0]);
  text += " ;;\n";
  for (const CommandInfo &subcommand : command.subcommands)
    addBashCommands(subcommand, path + " " + subcommand.name, text);
}

/// One line for each option that takes a value.
static void addBashOptions(const CommandInfo &command, const std::string &path,
                           std::string &text) {
  for (const OptionInfo &option : command.options) {
    if (option.value.kind == OptionValue::Kind::None)
      continue;
    std::vector<std::string> patterns;
    for (const std::string &name : option.names)
      patterns.push_back(shellQuoted(path + " " + name));
    text += fmt::format("  {}) {}{} ;;\n", fmt::join(patterns, " | "),
                        bashCount(option.value.kind), bashValue(option.value));
  }
  for (const CommandInfo &subcommand : command.subcommands)
    addBashOptions(subcommand, path + " " + subcommand.name, text);
}

constexpr std::string_view bashHead =
    R"(# bash completion for parallax; made by `parallax completion bash`.

# Sets what can follow the words of a command.
_parallax_command() {
  subcommands= options= choices= files=
  case $1 in
)";

constexpr std::string_view bashMiddle = R"(  esac
}

# Sets how many values, and which, an option of a command takes.
_parallax_option() {
  least=0 most=0 choices= files=
  case "$1 $2" in
)";

constexpr std::string_view bashTail = R"(  esac
}

_parallax() {
  local word=${COMP_WORDS[COMP_CWORD]} command=parallax first=1 given=0
  local subcommands options choices files least most i
  _parallax_command "$command"
  while ((first < COMP_CWORD)) &&
    [[ " $subcommands " == *" ${COMP_WORDS[first]} "* ]]; do
    command+=" ${COMP_WORDS[first++]}"
    _parallax_command "$command"
  done

  # bash makes words of --option=value: the option, "=" and the value.
  [[ $word != = ]] || word=
  for ((i = COMP_CWORD - 1; i >= first; --i)); do
    [[ ${COMP_WORDS[i]} != -* ]] || break
    [[ ${COMP_WORDS[i]} == = ]] || ((given += 1))
  done
  local words="$subcommands $choices" paths=$files
  if ((i >= first)); then
    _parallax_option "$command" "${COMP_WORDS[i]}"
    if ((given < most)); then
      words=$choices paths=$files
      ((given >= least)) || options=
    fi
  fi
  # Where a file can stand, options are only shown if asked for.
  [[ -n $paths && $word != -* ]] || words+=" $options"

  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ -n $paths ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$paths" -- "$word")
  fi
}

complete -F _parallax parallax
)";

std::string bashCompletion(const CommandInfo &program) {
  std::string text(bashHead);
  addBashCommands(program, program.name, text);
  text += bashMiddle;
  addBashOptions(program, program.name, text);
  return text += bashTail;
}

} // namespace parallax
