//===- parallax.cpp - The driver ------------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table of subcommands, nothing else. Under another name the program is the
// subcommand of that name: `build --config …` means `parallax build …`.
//===----------------------------------------------------------------------===//
#include "parallax.h"
#include "../build/Build.h"
#include "../case/Case.h"
#include "../common/Subcommand.h"
#include "../common/SubcommandTable.h"
#include "../compare/Compare.h"
#include "../completion/Completion.h"
#include "../conformance/Conformance.h"
#include "../diff/Diff.h"
#include "../evaluate/Evaluate.h"
#include "../inspect/Inspect.h"
#include "../optimize/Optimize.h"
#include "../report/Report.h"
#include "../run/Run.h"
#include "../tune/Tune.h"

#include "parallax/Case/Manifest.h"
#include "parallax/Support/ProcessGuard.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <malloc.h>

namespace {

int printVersion() {
  std::string commit = parallax::thisTool().commit;
  fmt::print("version: {}{}\n", PARALLAX_VERSION,
             commit.empty() ? "" : fmt::format(" (commit {})", commit));
  return 0;
}

int runVersion(int argc, char **argv) {
  CLI::App app("Prints the version.", "parallax version");
  parallax::CommonOptions common;
  return parallax::runSubcommand(app, common, argc, argv, printVersion);
}

int runCompletion(int argc, char **argv);

constexpr parallax::Subcommand subcommands[] = {
    {"build", "compile a model as a configuration says",
     parallax::runBuildCommand},
    {"run", "execute a model on files", parallax::runRun},
    {"evaluate", "measure how well models do their task",
     parallax::runEvaluateCommand},
    {"tune", "find the cheapest network that keeps its accuracy",
     parallax::runTune},
    {"compare", "compare two tensors or folders of tensors",
     parallax::runCompare},
    {"diff", "compare the precision analyses of two builds", parallax::runDiff},
    {"report", "show all results of builds as one HTML file",
     parallax::runReport},
    {"optimize", "optimize a float model", parallax::runOptimize},
    {"inspect", "show what a model contains", parallax::runInspect},
    {"conformance", "write vectors for other implementations of the numerics",
     parallax::runConformance},
    {"case", "work with reproducible cases of a problem",
     parallax::runCaseCommand},
    {"completion", "print a script that completes commands in a shell",
     runCompletion},
    {"version", "print the version", runVersion},
};

constexpr parallax::SubcommandTable table = {
    "Parallax: an open NPU compiler toolchain for precision analysis",
    "parallax", subcommands};

int runCompletion(int argc, char **argv) {
  return parallax::runCompletion(table, argc, argv);
}

} // namespace

/// A full disk loses results without a word, unless somebody asks.
static bool isPrinted() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  std::fputs("error: not all results could be written to standard output; is "
             "the disk full?\n",
             stderr);
  return false;
}

static int runNamed(int argc, char **argv) {
  std::string_view program = argv[0];
  program.remove_prefix(program.rfind('/') + 1);
  if (const parallax::Subcommand *subcommand = table.find(program))
    return subcommand->run(argc, argv);
  if (argc > 1 && argv[1] == std::string_view("--version"))
    return printVersion();
  return table.dispatch(argc, argv);
}

int parallax::runTool(int argc, char **argv) {
  ProcessGuard guard;
  // Tensors get pages of their own, which go back to the system as soon as a
  // tensor is gone. By default glibc would stop doing so after a while.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  int code = runNamed(argc, argv);
  return isPrinted() ? code : 2;
}
