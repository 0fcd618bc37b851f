//===- CommonOptions.cpp - Flags that all subcommands share ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The only file of the library that includes CLI11, which is slow to compile.
//===----------------------------------------------------------------------===//
#include "parallax/Support/CommonOptions.h"
#include "parallax/Support/NearestNames.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Terminal.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace parallax {

int CommonOptions::threadsToUse() const {
  return threads > 0 ? threads : hardwareThreads();
}

bool CommonOptions::colorFor(int descriptor) const {
  return console.color && colorAllowed(descriptor);
}

void addCommonOptions(CLI::App &app, CommonOptions &options) {
  const std::string group = "Common options";
  constexpr int maxThreads = 1024;
  app.add_option("--threads", options.threads,
                 "threads to use; 0 means all cores")
      ->type_name("N")
      ->check(CLI::Range(0, maxThreads).description(""))
      ->capture_default_str()
      ->group(group);

  std::vector<std::string> names;
  for (LogLevel level :
       {LogLevel::Error, LogLevel::Warning, LogLevel::Info, LogLevel::Debug})
    names.emplace_back(nameOf(level));
  app.add_option_function<std::string>(
         "--log-level",
         [&options](const std::string &name) {
           options.console.level = *parseLogLevel(name);
         },
         "how much to say; error prints errors alone, and no results")
      ->type_name(CLI::detail::join(names, "|"))
      ->check(CLI::IsMember(names).description(""))
      ->default_str(std::string(nameOf(options.console.level)))
      ->group(group);

  app.add_flag_callback(
         "--no-color", [&options] { options.console.color = false; },
         "no colors, even on a terminal")
      ->group(group);
}

/// What was typed in place of an option of this program; empty if nothing was.
static std::string unknownOption(const CLI::App &app) {
  std::vector<std::string> known;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      if (!option->get_group().empty())
        known.push_back("--" + name);
  for (const std::string &word : app.remaining()) {
    std::string name = word.substr(0, word.find('='));
    if (name.starts_with("-") && name.size() > 1)
      return fmt::format("there is no option '{}'{}", printable(name),
                         didYouMean(name, known));
  }
  return "";
}

int reportParseError(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == 0)
    return app.exit(error);
  // A misspelled option is why another one is missing.
  if (std::string unknown = unknownOption(app); !unknown.empty()) {
    log(LogLevel::Error, "{} '{} --help'",
        unknown + (unknown.ends_with('?') ? " See" : "; see"), app.get_name());
    return 2;
  }
  log(LogLevel::Error, "{}; see '{} --help'", printable(error.what()),
      app.get_name());
  return 2;
}

} // namespace parallax
