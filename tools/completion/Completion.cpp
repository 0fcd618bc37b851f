//===- Completion.cpp - The subcommand `parallax completion` --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The option for the shell; Bash.cpp and Zsh.cpp write the scripts.
//===----------------------------------------------------------------------===//
#include "Completion.h"
#include "../common/Describe.h"
#include "../common/Subcommand.h"
#include "../common/SubcommandTable.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace parallax {

std::string shellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

int runCompletion(const SubcommandTable &table, int argc, char **argv) {
  std::string shell;
  CommonOptions common;
  CLI::App app("Prints a script by which a shell completes the command lines "
               "of Parallax.",
               "parallax completion");
  app.add_option("shell", shell, "the shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}).description(""))
      ->type_name("bash|zsh");
  app.footer("\nAn installed Parallax has both scripts where the shells look "
             "for them.\nExample, in bash:\n  source <(parallax completion "
             "bash)");
  return runSubcommand(app, common, argc, argv, [&] {
    CommandInfo program = describe(std::string(table.program), table);
    fmt::print("{}", shell == "bash" ? bashCompletion(program)
                                     : zshCompletion(program));
    return 0;
  });
}

} // namespace parallax
