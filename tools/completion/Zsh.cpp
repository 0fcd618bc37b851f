//===- Zsh.cpp - Completion for zsh ---------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One function for each command, which hands its options to zsh's _arguments.
//===----------------------------------------------------------------------===//
#include "../common/Describe.h"
#include "Completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {

/// Text within a specification, in which some characters have a meaning.
static std::string zshEscaped(std::string_view text, std::string_view special) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\' || special.find(c) != std::string_view::npos)
      escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// ":NAME:ACTION", with a second colon in front of a value that may be missing.
static std::string zshValue(const OptionValue &value) {
  if (value.kind == OptionValue::Kind::None)
    return "";
  std::string files = value.mayBeFile     ? "_files"
                      : value.mayBeFolder ? "_files -/"
                                          : " ";
  std::string choices = fmt::format("{}", fmt::join(value.choices, " "));
  std::string action = choices.empty() ? files
                       : files == " "
                           ? fmt::format("({})", choices)
                           : fmt::format("{{compadd {}; {}}}", choices, files);
  // Choices are shown anyway.
  bool isNamed = choices.empty() && !value.name.empty();
  return fmt::format("{}:{}:{}",
                     value.kind == OptionValue::Kind::Optional ? ":" : "",
                     isNamed ? zshEscaped(value.name, ":") : "value", action);
}

static std::string zshOption(const OptionInfo &option, std::string_view name) {
  bool hasValue = option.value.kind != OptionValue::Kind::None;
  return fmt::format("{}{}{}[{}]{}",
                     option.value.kind == OptionValue::Kind::Many ? "*" : "",
                     name, hasValue && name.starts_with("--") ? "=" : "",
                     zshEscaped(option.summary, "[]"), zshValue(option.value));
}

static std::string zshArguments(const CommandInfo &command) {
  std::string text = "  _arguments";
  for (const OptionInfo &option : command.options)
    for (const std::string &name : option.names)
      text += " \\\n    " + shellQuoted(zshOption(option, name));
  for (size_t i = 0; i < command.operands.size(); ++i)
    text +=
        " \\\n    " +
        shellQuoted(fmt::format("{}{}", i + 1, zshValue(command.operands[i])));
  return text + "\n";
}

/// Chooses the function of the subcommand, which sees itself as first word.
static std::string zshSubcommands(const CommandInfo &command,
                                  const std::string &function) {
  std::string names, cases;
  for (const CommandInfo &subcommand : command.subcommands) {
    names += "\n    " + shellQuoted(zshEscaped(subcommand.name, ":") + ":" +
                                    subcommand.summary);
    cases += fmt::format("  {0}) {1}_{0} ;;\n", subcommand.name, function);
  }
  return fmt::format("  local -a subcommands\n"
                     "  subcommands=({})\n"
                     "  if ((CURRENT == 2)); then\n"
                     "    _describe subcommand subcommands\n"
                     "    return\n"
                     "  fi\n"
                     "  shift words\n"
                     "  ((CURRENT -= 1))\n"
                     "  case ${{words[1]}} in\n{}  esac\n",
                     names, cases);
}

static void addZshFunctions(const CommandInfo &command,
                            const std::string &function, std::string &text) {
  text += fmt::format("\n{}() {{\n{}}}\n", function,
                      command.subcommands.empty()
                          ? zshArguments(command)
                          : zshSubcommands(command, function));
  for (const CommandInfo &subcommand : command.subcommands)
    addZshFunctions(subcommand, function + "_" + subcommand.name, text);
}

std::string zshCompletion(const CommandInfo &program) {
  std::string text = "#compdef parallax\n"
                     "# zsh completion for parallax; made by `parallax "
                     "completion zsh`.\n";
  addZshFunctions(program, "_parallax", text);
  // zsh calls the file itself as the function, unless a user sources it.
  return text + "\nif [[ ${funcstack[1]} == _parallax ]]; then\n"
                "  _parallax \"$@\"\n"
                "else\n"
                "  compdef _parallax parallax\n"
                "fi\n";
}

} // namespace parallax
