//===- Replay.cpp - `parallax case replay` --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options and messages; lib/Case/ReplayCase.cpp does the work.
//===----------------------------------------------------------------------===//
#include "../common/Subcommand.h"
#include "Case.h"
#include "Interruption.h"

#include "parallax/Case/ReplayCase.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sstream>

namespace parallax {
namespace {

struct ReplayFlags {
  std::string path, folder;
  CommonOptions common;
};

int replay(const ReplayFlags &options) {
  ReplayResult result =
      replayCase({options.path,
                  options.folder,
                  {{}, options.common.threads}});
  if (result.difference.empty()) {
    showResult(fmt::format(
        "PASS: {}\n", result.tensors > 0
                          ? fmt::format("all {} integer tensors and all {} "
                                        "rows of metrics are as they were",
                                        result.tensors, result.rows)
                          : "the build fails as it did"));
    return 0;
  }
  std::string text = "FAIL: ";
  std::istringstream lines(result.difference);
  for (std::string line; std::getline(lines, line);)
    text += printable(line) + "\n";
  if (!options.folder.empty())
    text += fmt::format("The case and its build are in {}.\n", options.folder);
  showResult(text);
  return 1;
}

constexpr const char *replayNotes = R"(
Exit code: 0 if everything is as it was, 1 if not, 2 if the case can't be read.

Example:
  parallax case replay wrong-class.plxcase --to wrong-class)";

} // namespace

int runCaseReplay(int argc, char **argv) {
  ReplayFlags options;
  CLI::App app("Unpacks a case, builds it, and compares the result with what "
               "the case expects: every integer of every layer, and every "
               "metric as it is printed.",
               "parallax case replay");
  app.add_option("case", options.path, "a .plxcase file")
      ->required()
      ->type_name("CASE");
  app.add_option("--to", options.folder,
                 "unpack and build in this new folder, and keep it")
      ->type_name("DIR");
  app.footer(replayNotes);
  return runSubcommand(app, options.common, argc, argv, [&] {
    return runInterruptible([&] { return replay(options); });
  });
}

} // namespace parallax
