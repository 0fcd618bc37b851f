//===- Report.cpp - The subcommand `parallax report` ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options; lib/Pipeline/WriteReport.cpp does the work.
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "../common/Subcommand.h"

#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/WriteReport.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace parallax {
namespace {

struct ReportFlags {
  std::string a, b, output;
  CommonOptions common;
};

int writePage(const ReportFlags &flags) {
  std::vector<std::filesystem::path> folders = {flags.a};
  if (!flags.b.empty())
    folders.emplace_back(flags.b);
  std::filesystem::path file = flags.output.empty()
                                   ? OutputFiles(flags.a).report()
                                   : std::filesystem::path(flags.output);
  writeReport(folders, file);
  showResult(fmt::format("{}\n", printable(file.string())));
  return 0;
}

} // namespace

int runReport(int argc, char **argv) {
  ReportFlags flags;
  CLI::App app("Writes one HTML file that shows all results of a build, or of "
               "two builds side by side.",
               "parallax report");
  app.add_option("DIR", flags.a,
                 "the output folder of a build, an evaluation or a tuning")
      ->required()
      ->type_name("");
  app.add_option("DIR_B", flags.b, "another one to compare it with")
      ->type_name("");
  app.add_option("-o,--output", flags.output,
                 "the file to write; report.html in the first folder if not "
                 "given")
      ->type_name("FILE");
  app.footer("\nThe file needs no server and no network.\n"
             "Examples:\n  parallax report output\n"
             "  parallax report output_before output_after -o compared.html");
  return runSubcommand(app, flags.common, argc, argv,
                       [&] { return writePage(flags); });
}

} // namespace parallax
