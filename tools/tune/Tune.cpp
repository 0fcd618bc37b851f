//===- Tune.cpp - The subcommand `parallax tune` --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options; lib/Tune does the work.
//===----------------------------------------------------------------------===//
#include "Tune.h"
#include "../build/Flags.h"
#include "../common/OnRanks.h"
#include "../common/Subcommand.h"

#include "parallax/Tune/Tune.h"

#include <CLI/CLI.hpp>

namespace parallax {

int runTune(int argc, char **argv) {
  TuneOptions options;
  CommonOptions common;
  common.runsNetworks = true;
  CLI::App app("Finds the cheapest network that keeps the accuracy of float, "
               "as the section 'tuning' of a configuration asks for.",
               "parallax tune");
  app.add_option("--config", options.configFile, "the configuration, as JSON")
      ->required()
      ->type_name("FILE");
  app.add_flag("--resume", options.resume,
               "go on from what an earlier tuning into the same folder left");
  app.add_flag("--pareto", options.pareto,
               "measure the whole front from 8 to 16 bits");
  app.add_option("--recover", options.recover,
                 "only build what a trial of the history has measured")
      ->type_name("TRIAL")
      ->check(CLI::NonNegativeNumber);
  addConfigFlags(app, options.overrides);
  app.footer("\nThe exit code is 1 if no network keeps to the criterion; the "
             "best is built all the same.\n"
             "Example:\n  parallax tune --config config.json "
             "--tuning.accuracy_criterion.tolerable_loss 0.005");
  auto tune = [&] {
    options.threads = common.threadsToUse();
    TuneResult result = tuneNetwork(options);
    return options.recover >= 0 || result.isMet ? 0 : 1;
  };
  return runSubcommand(app, common, argc, argv,
                       [&] { return runOnRanks(common, tune); });
}

} // namespace parallax
