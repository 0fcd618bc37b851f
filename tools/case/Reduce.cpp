//===- Reduce.cpp - `parallax case reduce` --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options and messages; lib/Case/ReduceCase.cpp does the work.
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

struct ReduceFlags {
  ReduceRequest request;
  std::string path, result;
  std::string bits, layerCosine, message, command;
  std::optional<double> outputCosine;
  bool crash = false;
  CommonOptions common;
};

std::optional<Predicate> predicateOf(const ReduceFlags &options) {
  std::vector<Predicate> found;
  auto add = [&](Predicate::Kind kind) -> Predicate & {
    found.emplace_back().kind = kind;
    return found.back();
  };
  if (!options.bits.empty())
    found.push_back(parsePredicate(Predicate::Kind::Bits, options.bits));
  if (!options.layerCosine.empty())
    found.push_back(
        parsePredicate(Predicate::Kind::LayerCosine, options.layerCosine));
  if (options.outputCosine)
    add(Predicate::Kind::OutputCosine).threshold = *options.outputCosine;
  if (!options.message.empty())
    add(Predicate::Kind::Message).text = options.message;
  if (options.crash)
    add(Predicate::Kind::Crash);
  if (!options.command.empty())
    add(Predicate::Kind::Command).text = options.command;
  if (found.size() > 1)
    throw Error("say only one thing that has to persist");
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

int reduce(ReduceFlags &options) {
  ReduceRequest &request = options.request;
  request.caseFile = options.path;
  request.result = options.result;
  request.predicate = predicateOf(options);
  request.builder.threads = options.common.threads;
  ReduceResult result = reduceCase(request);
  std::string text =
      fmt::format("{}: {}\nIt holds that {}.{}\n{} of {} layers and {} of {} "
                  "bytes of tensors "
                  "are left, after {} tests.\n",
                  printable(options.result), result.verdict, result.predicate,
                  request.predicate ? "" : " Options keep another problem.",
                  result.layersAfter, result.layersBefore, result.bytesAfter,
                  result.bytesBefore, result.tests);
  for (const std::string &line : result.kept)
    text += line + ".\n";
  showResult(text);
  return 0;
}

constexpr const char *reduceNotes = R"(
Without one of the problems above, it is what the analysis of the case shows
first: a layer at which the engines differ, else an output that is bad, else the
layer that loses most by itself.

An interrupted reduction goes on where it was if it is called again: its files
are in RESULT.work until it ends.

Exit code: 0, or 2 if the case does not show the problem.

Examples:
  parallax case reduce wrong-class.plxcase -o small.plxcase
  parallax case reduce wrong-class.plxcase -o small.plxcase \
    --layer-cosine conv1:0.99 --strip-names --replace-weights)";

} // namespace

int runCaseReduce(int argc, char **argv) {
  ReduceFlags options;
  CLI::App app("Makes a case small: takes layers, elements and samples away as "
               "long as its problem persists. Every step is a build from "
               "files.",
               "parallax case reduce");
  app.add_option("case", options.path, "a .plxcase file")
      ->required()
      ->type_name("CASE");
  app.add_option("-o,--output", options.result, "the case to write")
      ->required()
      ->type_name("RESULT");
  auto add = [&](const char *name, auto &value, const char *type,
                 const char *help) {
    app.add_option(name, value, help)->type_name(type)->group("Problem");
  };
  add("--bits", options.bits, "LAYER[:CLASS]",
      "Reference and NPUBackend differ at a layer, in a class such as\n"
      "Rounding, or in any that breaks the specification");
  add("--layer-cosine", options.layerCosine, "LAYER[:COSINE]",
      "a layer keeps less than a cosine by itself; 0.999 if not given");
  add("--output-cosine", options.outputCosine, "COSINE",
      "an output keeps less than a cosine");
  add("--message", options.message, "TEXT", "the build fails and says a text");
  app.add_flag("--crash", options.crash, "the build crashes")->group("Problem");
  add("--predicate", options.command, "COMMAND",
      "a command ends with 0; it runs in the folder of the unpacked case");
  addTicketOptions(app, options.request.answers);
  addConcealOptions(app, options.request.conceal);
  app.add_option("--max-seconds", options.request.maxSeconds,
                 "begin no new step after so many seconds; 3600 if not given")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  app.footer(reduceNotes);
  options.common.runsNetworks = true;
  return runSubcommand(app, options.common, argc, argv, [&] {
    return runInterruptible([&] { return reduce(options); });
  });
}

} // namespace parallax
