//===- Conformance.cpp - The subcommand `parallax conformance` ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options; lib/Conformance does the work.
//===----------------------------------------------------------------------===//
#include "Conformance.h"
#include "../common/Subcommand.h"

#include "parallax/Config/Target.h"
#include "parallax/Conformance/Conformance.h"
#include "parallax/Support/Log.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {

int runConformance(int argc, char **argv) {
  CLI::App app("Writes small compiled models with inputs and the bits that "
               "must come out,\nfor other implementations of docs/numerics.md.",
               "parallax conformance");
  std::string target, folder;
  app.add_option("--target", target,
                 "the chip, or a .json file that describes it")
      ->required()
      ->type_name(fmt::format("{}|FILE", fmt::join(targetNames(), "|")));
  app.add_option("-o,--output", folder, "folder for the vectors")
      ->required()
      ->type_name("DIR");
  app.footer("\nThe folder gets an index.json, which lists the vectors of each "
             "statement.\nExample:\n  parallax conformance --target "
             "chips/mine.json -o vectors");
  CommonOptions common;
  return runSubcommand(app, common, argc, argv, [&] {
    ConformanceReport report = writeConformance(findTarget(target), folder);
    for (const auto &[vector, why] : report.skipped)
      log(LogLevel::Warning, "no vector '{}': {}", vector, why);
    showResult(fmt::format("{} vectors for {} statements are in {}\n",
                           report.vectors, report.clauses, folder));
    return 0;
  });
}

} // namespace parallax
