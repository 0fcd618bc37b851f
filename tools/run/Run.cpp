//===- Run.cpp - The subcommand `parallax run` ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options; lib/Pipeline/RunModel.cpp does the work.
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "Measure.h"

#include "../common/NetworkFlags.h"
#include "../common/Subcommand.h"
#include "parallax/Config/Target.h"
#include "parallax/Pipeline/RunModel.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace {

struct RunFlags {
  EngineChoice engine;
  FolderRun folders;
  std::string inputDir, outputDir;
  bool serve = false, profile = false;
  CommonOptions common;
};

int run(RunFlags &options) {
  FolderRun &folders = options.folders;
  folders.threads = options.common.threadsToUse();
  auto start = std::chrono::steady_clock::now();
  PrepareOptions prepareOptions;
  prepareOptions.observe = folders.perLayer;
  prepareOptions.takeWeights = true;
  PreparedModel model = prepareModel(options.engine, prepareOptions);
  const Executable &executable = model.executable;
  double prepareSeconds = secondsSince(start);
  log(LogLevel::Debug,
      "prepared in {:.1f} ms: {} steps, {:.2f} MB working "
      "memory ({:.2f} MB alive at most), {:.2f} MB scratch",
      prepareSeconds * 1e3, executable.steps.size(),
      double(executable.arenaBytes) / 1e6,
      double(executable.peakLiveBytes) / 1e6,
      double(executable.scratchBytes) / 1e6);
  if (options.serve)
    return serveRuns(executable, folders.threads, prepareSeconds);
  if (options.profile)
    return profileSteps(executable, folders.threads);
  if (options.inputDir.empty() || options.outputDir.empty())
    throw Error("give --input_dir and --output_dir");
  folders.inputDir = options.inputDir;
  folders.outputDir = options.outputDir;
  folders.model = options.engine.network.model;
  runFolders(executable, folders);
  return 0;
}

} // namespace

int runRun(int argc, char **argv) {
  RunFlags options;
  CLI::App app("Executes a model.", "parallax run");
  app.add_option("--model", options.engine.network.model,
                 "an ONNX file or a compiled model")
      ->required()
      ->type_name("FILE");
  app.add_option(
         "--input_dir", options.inputDir,
         "folder with <input>.bin, .npy or a picture, with one such folder "
         "per case, or with a picture per case")
      ->type_name("DIR");
  app.add_option("--output_dir", options.outputDir,
                 "folder for <output>.bin or .npy, or for one folder per case")
      ->type_name("DIR");
  app.add_option(
         "--list", options.folders.list,
         "file with one case name per line, if not all folders are cases")
      ->type_name("FILE");
  app.add_option("--config", options.folders.config,
                 "the configuration that says how pictures are prepared; "
                 "without it, that of the build the model comes from")
      ->type_name("FILE");
  addNetworkOptions(app, options.engine.network);
  app.add_option(
         "--mode", options.engine.mode,
         "the engine of a quantized model: Reference, or NPUBackend for "
         "the bits of the machine")
      ->check(CLI::IsMember({"Reference", "NPUBackend"}).description(""))
      ->type_name("Reference|NPUBackend");
  app.add_option("--target_hardware", options.engine.target,
                 "for NPUBackend: the chip, or a .json file that describes it "
                 "(default: generic)")
      ->type_name(fmt::format("{}|FILE", fmt::join(targetNames(), "|")));
  app.add_flag("--random_input", options.folders.randomInput,
               "write random inputs into --input_dir first");
  app.add_flag("--enable_perlayer_output", options.folders.perLayer,
               "write every layer's result to <output_dir>/layers, with "
               "an index.json that says what its codes mean");
  app.add_flag("--npy", options.folders.npy, "write .npy in place of .bin");
  app.add_flag("--verbose", options.folders.verbose, "name every file");
  app.add_flag("--profile", options.profile,
               "print the time of every step on random inputs");
  app.add_flag("--serve", options.serve,
               "for benchmarks: run once per line on standard input");
  app.footer("\nFiles are named after tensors, with '_' for every character "
             "outside of a-z, A-Z, 0-9, '_' and '-'.\n"
             "Example:\n  parallax run --model net.onnx --input_dir in "
             "--output_dir out --random_input");
  options.common.runsNetworks = true;
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return run(options); });
}

} // namespace parallax
