//===- Diff.cpp - The subcommand `parallax diff` --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Finds the analyses of two builds and shows what changed between them.
//===----------------------------------------------------------------------===//
#include "Diff.h"

#include "../common/Subcommand.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Terminal.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

struct DiffFlags {
  std::string a, b, json;
  double tolerance = 0.0005;
  bool all = false;
  CommonOptions common;
};

fs::path analysisIn(const fs::path &path) {
  if (!fs::is_directory(path))
    return path;
  fs::path ofBuild = OutputFiles(path).precisionJson();
  for (const fs::path &file : {ofBuild, path / ofBuild.filename()})
    if (fs::exists(file))
      return file;
  throw Error(fmt::format("{} has no {}: build it with "
                          "--quant.precision_analysis",
                          path.string(),
                          ofBuild.lexically_relative(path).string()));
}

PrecisionReport readAnalysis(const fs::path &path) {
  fs::path file = analysisIn(path);
  checkResult(file);
  return readPrecisionJson(file);
}

int diff(const DiffFlags &options) {
  PrecisionReport before = readAnalysis(options.a);
  PrecisionReport after = readAnalysis(options.b);
  PrecisionDiff diff = diffPrecision(before, after, options.tolerance);
  if (!options.json.empty())
    writeFileAtomically(options.json, std::string_view(diffJson(diff)));
  TableStyle style = currentListener().style();
  showResult(fmt::format("A: {}\nB: {}\n{}", printable(options.a),
                         printable(options.b),
                         renderDiff(diff, options.all, style)));
  return diff.regressions.empty() ? 0 : 1;
}

constexpr const char *diffNotes = R"(
Exit code: 0 if there is no regression, 1 if there is, 2 if an analysis is
missing or unreadable or the command line is wrong. It is a regression if the
end-to-end cosine of an output falls by more than the tolerance or below 0.98,
if an output is no longer compared or can't be judged any more, or if a layer
of the machine breaks its specification that did not before.

Examples:
  parallax diff output_before output_after
  parallax diff before.json after.json --tolerance 0.001 --json diff.json)";

} // namespace

int runDiff(int argc, char **argv) {
  DiffFlags options;
  CLI::App app("Compares the precision analyses of two builds, layer by layer.",
               "parallax diff");
  app.footer(diffNotes);
  app.add_option("A", options.a,
                 "the output folder of a build, or the file\n"
                 "precision_analysis_table.json of its analysis")
      ->required()
      ->type_name("");
  app.add_option("B", options.b, "the same of the build that came later")
      ->required()
      ->type_name("");
  app.add_option("--tolerance", options.tolerance,
                 "how much the cosine of an output may fall;\n"
                 "0.0005 if not given")
      ->type_name("X")
      ->check(CLI::Range(0.0, 2.0));
  app.add_option("--json", options.json, "write all changes to this file")
      ->type_name("FILE");
  app.add_flag("--all", options.all,
               "show all layers, also those that did not change");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return diff(options); });
}

} // namespace parallax
