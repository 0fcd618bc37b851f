//===- Optimize.cpp - The subcommand `parallax optimize` ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The float stage of a build by itself, for models that need no configuration.
//===----------------------------------------------------------------------===//
#include "Optimize.h"
#include "../common/NetworkFlags.h"
#include "../common/Subcommand.h"
#include "parallax/Pipeline/FloatStage.h"

#include "parallax/Data/TensorFolder.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Terminal.h"

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace parallax {
namespace {

struct OptimizeFlags {
  NetworkOptions network;
  FloatStageOptions stage;
  std::string output, nameMap, mlir, inputDir;
  bool unchecked = false;
  CommonOptions common;
};

int optimizeModel(OptimizeFlags &options) {
  FloatStageOptions &stage = options.stage;
  stage.onnx = options.output;
  stage.nameMap = options.nameMap;
  stage.optimizedMlir = options.mlir;
  stage.checkRewrites = !options.unchecked;
  stage.threads = options.common.threadsToUse();
  if (!options.inputDir.empty()) {
    stage.checkModel = true;
    stage.samples = [&](std::span<const PortInfo> inputs) {
      return samplesInMemory({readFolder(options.inputDir, inputs)},
                             options.inputDir);
    };
  }
  Network network(options.network);
  runFloatStage(network, stage);
  return 0;
}

} // namespace

int runOptimize(int argc, char **argv) {
  OptimizeFlags options;
  CLI::App app("Optimizes a float model; every rewrite is checked by executing "
               "both sides.",
               "parallax optimize");
  app.add_option("model", options.network.model, "an ONNX file")
      ->required()
      ->type_name("FILE");
  app.add_option("output", options.output, "the optimized ONNX file")
      ->required()
      ->type_name("FILE");
  addNetworkOptions(app, options.network);
  app.add_flag("--model_check", options.stage.checkModel,
               "compare the outputs of both networks on random inputs too");
  app.add_option("--input_dir", options.inputDir,
                 "folder with <input>.bin or .npy: compare on these inputs")
      ->type_name("DIR");
  app.add_flag("--disable_transformation_check", options.unchecked,
               "do not check the rewrites");
  app.add_option("--name_map", options.nameMap,
                 "write which layer each node has become, as JSON")
      ->type_name("FILE");
  app.add_option("--mlir", options.mlir,
                 "write the network in MLIR, without weights")
      ->type_name("FILE");
  app.footer("\nExample:\n  parallax optimize model.onnx optimized.onnx "
             "--input_shapes images:1x3x640x640");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return optimizeModel(options); });
}

} // namespace parallax
