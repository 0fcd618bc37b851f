//===- Evaluate.cpp - The subcommand `parallax evaluate` ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options; lib/Pipeline/EvaluateModels.cpp does the work.
//===----------------------------------------------------------------------===//
#include "Evaluate.h"
#include "../build/Flags.h"
#include "../common/OnRanks.h"
#include "../common/Subcommand.h"

#include "parallax/Pipeline/EvaluateModels.h"

#include <CLI/CLI.hpp>

namespace parallax {

int runEvaluateCommand(int argc, char **argv) {
  EvaluateOptions options;
  CommonOptions common;
  common.runsNetworks = true;
  CLI::App app("Measures how well models do the task that the evaluation of a "
               "configuration describes.",
               "parallax evaluate");
  app.add_option("--config", options.configFile, "the configuration, as JSON")
      ->required()
      ->type_name("FILE");
  app.add_option("--model", options.models,
                 "a float, quantized or compiled model; several are compared "
                 "with the first. By default the model of the configuration, "
                 "and what was built of it")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--resume", options.resume,
               "go on from what an evaluation into the same folder left when "
               "it was stopped");
  addConfigFlags(app, options.overrides);
  app.footer("\nThe exit code is 1 if the last model is bad at it compared "
             "with the first.\n"
             "Example:\n  parallax evaluate --config config.json "
             "--model model.onnx --model output/compiled.axmodel");
  auto evaluate = [&] {
    options.threads = common.threadsToUse();
    Accuracy accuracy = evaluateModels(options);
    return accuracy.verdict == AccuracyVerdict::Bad ? 1 : 0;
  };
  return runSubcommand(app, common, argc, argv,
                       [&] { return runOnRanks(common, evaluate); });
}

} // namespace parallax
