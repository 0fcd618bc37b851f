//===- Pack.cpp - `parallax case pack` ------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options and messages; lib/Case/PackCase.cpp does the work.
//===----------------------------------------------------------------------===//
#include "../common/Subcommand.h"
#include "Case.h"
#include "CaseOptions.h"
#include "Interruption.h"

#include "parallax/Case/ReduceCase.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace parallax {
namespace {

struct PackFlags {
  std::string from, config, file;
  TicketAnswers answers;
  Concealment conceal;
  CommonOptions common;
};

int pack(const PackFlags &options) {
  PackRequest request;
  if (options.from.empty() == options.config.empty())
    throw Error("name either the output folder of a build with --from, or a "
                "configuration with --config");
  request.build = options.from.empty() ? plannedBuild(options.config)
                                       : readFinishedBuild(options.from);
  request.caseFile = options.file;
  request.answers = options.answers;
  request.builder = {{}, options.common.threads};
  std::string verdict = options.conceal.isAnything()
                            ? packConcealed(request, options.conceal)
                            : packCase(request);
  showResult(fmt::format("{}: {}\n", printable(options.file), verdict));
  return 0;
}

constexpr const char *packNotes = R"(
Exit code: 0, or 2 if there is nothing to pack. The case is built once more from
the files that go into it, so what it expects is what it gives.

Examples:
  parallax case pack --from output -o wrong-class.plxcase
  parallax case pack --from output -o wrong-class.plxcase \
    --board-accuracy "61.2 % top-1" --strip-names --replace-images)";

} // namespace

void addTicketOptions(CLI::App &app, TicketAnswers &answers) {
  auto add = [&](const char *name, std::string &answer, const char *help) {
    app.add_option(name, answer, help)->type_name("TEXT")->group("Ticket");
  };
  add("--note", answers.note, "what you want to say about the problem");
  add("--other-platforms", answers.otherPlatforms,
      "where else it runs: maker, chip, version of the toolchain");
  add("--other-files", answers.otherFiles,
      "scripts, configuration and commands that were used there");
  add("--float-accuracy", answers.floatAccuracy,
      "accuracy of the float model on a data set, and the metric");
  add("--board-accuracy", answers.boardAccuracy, "the same on the board");
}

void addConcealOptions(CLI::App &app, Concealment &conceal) {
  auto add = [&](const char *name, bool &flag, const char *help) {
    app.add_flag(name, flag, help)->group("Privacy");
  };
  add("--strip-names", conceal.names,
      "numbers in place of the names of layers and tensors");
  add("--replace-weights", conceal.weights,
      "random weights of the same shapes and ranges by channel");
  add("--replace-images", conceal.samples,
      "random samples of the same shapes and ranges; each of these\n"
      "is only done if the problem is still there afterwards");
}

int runCasePack(int argc, char **argv) {
  PackFlags options;
  CLI::App app("Packs all that it takes to see a problem again into one file.",
               "parallax case pack");
  app.add_option("--from", options.from, "the output folder of a build")
      ->type_name("DIR");
  app.add_option("--config", options.config,
                 "a configuration, for a build that fails before it has\n"
                 "an output folder")
      ->type_name("FILE");
  app.add_option("-o,--output", options.file, "the case to write")
      ->required()
      ->type_name("FILE");
  addTicketOptions(app, options.answers);
  addConcealOptions(app, options.conceal);
  app.footer(packNotes);
  return runSubcommand(app, options.common, argc, argv, [&] {
    return runInterruptible([&] { return pack(options); });
  });
}

} // namespace parallax
