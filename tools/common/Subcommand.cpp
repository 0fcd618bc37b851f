//===- Subcommand.cpp - What all subcommands share ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Everything that can go wrong ends here: one message, and exit code 2.
//===----------------------------------------------------------------------===//
#include "Subcommand.h"
#include "Describe.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <filesystem>

namespace parallax {

int runSubcommand(CLI::App &app, CommonOptions &common, int argc, char **argv,
                  const std::function<int()> &body) {
  addCommonOptions(app, common);
  ConsoleListener standard;
  ListenerScope standardScope(standard);
  if (CommandInfo *command = describedCommand()) {
    describeOptions(app, *command);
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return reportParseError(app, error);
  }
  setThreadCount(common.threadsToUse());
  ConsoleListener console(common.console);
  ListenerScope scope(console);
  if (common.runsNetworks)
    startWithPatience();
  try {
    if (isCurrentFolderGone())
      throw Error("the current folder was deleted; change to another one");
    startThreads();
    return body();
  } catch (const std::bad_alloc &) {
    log(LogLevel::Error, "there is not enough memory for this");
  } catch (const std::filesystem::filesystem_error &error) {
    // The library's own words name a function of C++.
    reportError("cannot use '" + error.path1().string() +
                "': " + error.code().message());
  } catch (const std::exception &error) {
    reportError(error.what());
  }
  return 2;
}

void reportError(std::string_view message) {
  std::string text;
  for (size_t end = message.find('\n'); end != std::string_view::npos;
       end = message.find('\n')) {
    text += printable(message.substr(0, end)) + "\n";
    message.remove_prefix(end + 1);
  }
  log(LogLevel::Error, "{}", text + printable(message));
}

} // namespace parallax
