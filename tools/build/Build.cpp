//===- Build.cpp - The subcommand `parallax build` ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The command line of a build, and the case that can be made of it.
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "../case/Interruption.h"
#include "../common/OnRanks.h"
#include "../common/Subcommand.h"
#include "Flags.h"

#include "parallax/Case/PackCase.h"
#include "parallax/Pipeline/Build.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Ranks.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace {

struct BuildFlags {
  BuildOptions options;
  std::string caseFile;
  CommonOptions common;
};

void packIfAsked(const BuildFlags &flags, const std::string &outputDir) {
  if (flags.caseFile.empty() || outputDir.empty())
    return;
  PackRequest request;
  request.build = readAnyBuild(outputDir);
  request.caseFile = flags.caseFile;
  request.builder.threads = flags.common.threads;
  runInterruptible([&] {
    log(LogLevel::Info, "save case to [{}]: {}", flags.caseFile,
        packCase(request));
    return 0;
  });
}

/// The case of a build that has failed; what is wrong with it comes first.
void packFailure(const BuildFlags &flags, const std::string &outputDir) {
  try {
    packIfAsked(flags, outputDir);
  } catch (const Error &error) {
    log(LogLevel::Error, "there is no case: {}", error.what());
  }
}

/// A build that fails is worth a case as well. Packing is the work of one
/// process, and takes so long that no others may wait for it: the first rank
/// does it when the job is over.
int buildAndPack(BuildFlags &flags) {
  constexpr int failure = 2;
  BuildResult result;
  bool isFirst = true;
  int code = failure;
  try {
    code = runOnRanks(flags.common, [&] {
      isFirst = ranks().isFirst();
      flags.options.threads = flags.common.threadsToUse();
      runBuild(flags.options, result);
      return result.isTooImprecise ? 1 : 0;
    });
  } catch (const Error &) {
    packFailure(flags, result.outputDir);
    throw;
  }
  if (!isFirst)
    return code;
  if (code == failure)
    packFailure(flags, result.outputDir);
  else
    packIfAsked(flags, result.outputDir);
  return code;
}

void addPhaseFlags(CLI::App &app, BuildOptions &options) {
  std::vector<std::string> names;
  std::vector<std::string_view> phases;
  for (const Phase &phase : buildPhases()) {
    phases.push_back(phase.name);
    names.push_back(fmt::format("{} ({})", phase.name, phase.does));
  }
  std::string choice = fmt::format("{}", fmt::join(phases, "|"));
  app.add_option("--phase-from", options.phaseFrom,
                 fmt::format("go on from the checkpoint in front of a phase: "
                             "{}",
                             fmt::join(names, ", ")))
      ->type_name(choice);
  app.add_option("--phase-to", options.phaseTo,
                 "stop after a phase and leave a checkpoint in "
                 "<output_dir>/phases")
      ->type_name(choice);
}

} // namespace

int runBuildCommand(int argc, char **argv) {
  BuildFlags flags;
  BuildOptions &options = flags.options;
  options.command.assign(argv + 1, argv + argc);
  CLI::App app("Compiles a model as a configuration says.", "parallax build");
  app.add_option("--config", options.configFile, "the configuration, as JSON")
      ->required()
      ->type_name("FILE");
  app.add_flag("--check", options.onlyCheck,
               "only check that configuration, model and data fit together");
  app.add_flag("--allow-unmatched", options.allowUnmatched,
               "only warn about rules of quant.layer_configs that match no "
               "layer, and of quant.tensor_configs that match no tensor");
  app.add_option("--fail-under", options.failUnder,
                 "give exit code 1 if the precision analysis finds an output "
                 "with a smaller cosine, for example 0.98")
      ->type_name("COSINE");
  // For cases: digests of what every layer gives for one sample.
  app.add_option("--evidence", options.evidenceDir)->group("");
  app.add_option("--apply-suggestions", options.applySuggestions,
                 "apply so many of the first suggestions of the precision "
                 "analysis, build and analyze again, and compare what was "
                 "predicted with what came of it")
      ->type_name("N")
      ->check(CLI::Range(1, 99));
  app.add_option("--apply-suggestion", options.applySuggestion,
                 "the same with one suggestion, by its number in the list")
      ->type_name("K")
      ->check(CLI::Range(1, 99))
      ->excludes("--apply-suggestions");
  app.add_option("--case", flags.caseFile,
                 "pack all that it takes to see the result again, as "
                 "'parallax case pack' does")
      ->type_name("FILE");
  addPhaseFlags(app, options);
  addConfigFlags(app, options.overrides);
  app.footer("\nExample:\n  parallax build --config configs/quickstart.json");
  flags.common.runsNetworks = true;
  return runSubcommand(app, flags.common, argc, argv,
                       [&] { return buildAndPack(flags); });
}

} // namespace parallax
