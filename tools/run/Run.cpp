//===- Run.cpp - The subcommand `parallax run` ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads cases from folders, executes the float engine and writes the results.
//===----------------------------------------------------------------------===//
#include "Run.h"

#include "../common/NetworkFlags.h"
#include "../common/Subcommand.h"
#include "parallax/Backend/Core/LayerWriter.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Pipeline/LowerLog.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Views.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iostream>

namespace fs = std::filesystem;

namespace parallax {
namespace {

struct RunFlags {
  NetworkOptions network;
  std::string inputDir, outputDir, list, mode, target = "generic";
  bool randomInput = false, perLayer = false, npy = false, serve = false,
       profile = false;
  CommonOptions common;
};

/// One case per line of the list; without a list, the folder itself.
std::vector<std::string> readCases(const std::string &list) {
  if (list.empty())
    return {""};
  std::ifstream file(list);
  if (!file || fs::is_directory(list))
    throw Error(fmt::format("{}: there is no such list", list));
  std::vector<std::string> cases;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && isspace(static_cast<unsigned char>(line.back())))
      line.pop_back();
    if (!line.empty())
      cases.push_back(line);
  }
  if (cases.empty())
    throw Error(fmt::format("{} names no case; write one per line", list));
  return cases;
}

void printProfile(const Executable &executable,
                  const std::vector<double> &seconds, int runs) {
  std::vector<size_t> order(seconds.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  for (size_t i : order)
    fmt::print("{:10.3f} ms  {}  {}\n", seconds[i] * 1e3 / runs,
               executable.steps[i].name,
               executable.steps[i].outputs.empty()
                   ? ""
                   : toString(executable.steps[i].outputs[0].shape));
}

/// Time per step, averaged over runs on random inputs.
int profile(const Executable &executable, int threads) {
  constexpr int runs = 10;
  setThreadCount(threads);
  ExecutionState state(executable);
  std::vector<Tensor> inputs = randomInputs(executable.inputs, 1);
  state.run(inputs);
  state.enableProfile();
  for (int i = 0; i < runs; ++i)
    state.run(inputs);
  printProfile(executable, state.stepSeconds(), runs);
  return 0;
}

/// Answers each line "run" with the time of one inference: the other side of a
/// benchmark alternates with us in one session.
int serve(const Executable &executable, int threads, double prepareSeconds) {
  setThreadCount(threads);
  ExecutionState state(executable);
  std::vector<Tensor> inputs = randomInputs(executable.inputs, 1);
  fmt::print("prepare-time {:.3f}\n", prepareSeconds * 1e3);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    auto start = std::chrono::steady_clock::now();
    state.run(inputs);
    fmt::print("time {:.4f}\n", secondsSince(start) * 1e3);
    std::fflush(stdout);
  }
  return 0;
}

int runCases(const Executable &executable, const RunFlags &options,
             int threads) {
  std::vector<std::string> cases = readCases(options.list);
  fs::path inputDir = options.inputDir, outputDir = options.outputDir;
  SampleCallbacks callbacks;
  callbacks.load = [&](size_t i) {
    if (options.randomInput)
      writeFolder(inputDir / cases[i], executable.inputs,
                  randomInputs(executable.inputs, i + 1), options.npy);
    return readFolder(inputDir / cases[i], executable.inputs);
  };
  if (options.perLayer)
    callbacks.observe = [&](size_t i) -> std::unique_ptr<Observer> {
      return std::make_unique<LayerWriter>(outputDir / cases[i] / "layers",
                                           executable);
    };
  callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
    std::string name = cases[i].empty() ? "0" : cases[i];
    log(LogLevel::Info, ">>> [{}] start", name);
    std::vector<fs::path> paths = writeFolder(
        outputDir / cases[i], executable.outputs, outputs, options.npy);
    for (size_t j = 0; j < paths.size(); ++j)
      log(LogLevel::Info, "write [{}] to [{}] successfully",
          executable.outputs[j].name, paths[j].string());
    log(LogLevel::Info, ">>> [{}] finish", name);
  };
  runSamples(executable, cases.size(), threads, callbacks);
  return 0;
}

/// Without a mode, the model is what its file says. In mode Reference its
/// quantized tensors become types, and the engine of quantized networks runs;
/// in mode NPUBackend that network is lowered to integers and simulated.
Executable prepareEngine(Network &network, const RunFlags &choice,
                         const PrepareOptions &options) {
  if (choice.mode.empty())
    return network.prepare(options);
  QdqReport report;
  addQuantizedViewOfQdq(network.function(), &report);
  if (report.tensors == 0)
    throw Error("--mode is for quantized models, but this one has no tensor "
                "that goes through QuantizeLinear and DequantizeLinear");
  if (choice.mode == "Reference")
    return network.prepareView(views::quantized, options);
  LowerReport lowering;
  mlir::func::FuncOp machine = addNpuView(network.view(views::quantized),
                                          findTarget(choice.target), &lowering);
  logLowering(lowering);
  // Integer kernels read weights where they are, and views share them.
  PrepareOptions shared = options;
  shared.takeWeights = false;
  return prepare(machine, npuKernels(), shared);
}

/// A compiled model is what the machine executes; nothing is left to choose.
Executable prepareCompiled(const RunFlags &options,
                           const PrepareOptions &prepareOptions) {
  const NetworkOptions &network = options.network;
  if (options.mode == "Reference")
    throw Error(fmt::format("{} is a compiled model, which only --mode "
                            "NPUBackend executes; run the quantized model in "
                            "mode Reference",
                            network.model));
  if (!network.inputShapes.empty() || !network.bake.empty())
    throw Error(fmt::format("{} is a compiled model, whose inputs are fixed; "
                            "give --input_shapes or --bake when it is built",
                            network.model));
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = readCompiledModel(network.model, context);
  return prepare(module->lookupSymbol<mlir::func::FuncOp>(views::npu),
                 npuKernels(), prepareOptions);
}

int run(const RunFlags &options) {
  int threads = options.common.threadsToUse();
  auto start = std::chrono::steady_clock::now();
  PrepareOptions prepareOptions;
  prepareOptions.observe = options.perLayer;
  prepareOptions.takeWeights = true;
  // Constants of an executable may be views of its network.
  std::optional<Network> network;
  Executable executable = isCompiledModel(options.network.model)
                              ? prepareCompiled(options, prepareOptions)
                              : prepareEngine(network.emplace(options.network),
                                              options, prepareOptions);
  double prepareSeconds = secondsSince(start);
  log(LogLevel::Debug,
      "prepared in {:.1f} ms: {} steps, {:.2f} MB working "
      "memory ({:.2f} MB alive at most), {:.2f} MB scratch",
      prepareSeconds * 1e3, executable.steps.size(),
      double(executable.arenaBytes) / 1e6,
      double(executable.peakLiveBytes) / 1e6,
      double(executable.scratchBytes) / 1e6);
  if (options.serve)
    return serve(executable, threads, prepareSeconds);
  if (options.profile)
    return profile(executable, threads);
  if (options.inputDir.empty() || options.outputDir.empty())
    throw Error("give --input_dir and --output_dir");
  return runCases(executable, options, threads);
}

} // namespace

int runRun(int argc, char **argv) {
  RunFlags options;
  CLI::App app("Executes a model.", "parallax run");
  app.add_option("--model", options.network.model,
                 "an ONNX file or a compiled model")
      ->required()
      ->type_name("FILE");
  app.add_option("--input_dir", options.inputDir,
                 "folder with <input>.bin or .npy, or with one folder per case")
      ->type_name("DIR");
  app.add_option("--output_dir", options.outputDir,
                 "folder for <output>.bin, or for one folder per case")
      ->type_name("DIR");
  app.add_option("--list", options.list, "file with one case name per line")
      ->type_name("FILE");
  addNetworkOptions(app, options.network);
  app.add_option(
         "--mode", options.mode,
         "the engine of a quantized model: Reference, or NPUBackend for "
         "the bits of the machine")
      ->check(CLI::IsMember({"Reference", "NPUBackend"}).description(""))
      ->type_name("Reference|NPUBackend");
  app.add_option("--target_hardware", options.target,
                 "for NPUBackend: the chip, or a .json file that describes it "
                 "(default: generic)")
      ->type_name(fmt::format("{}|FILE", fmt::join(targetNames(), "|")));
  app.add_flag("--random_input", options.randomInput,
               "write random inputs into --input_dir first");
  app.add_flag("--enable_perlayer_output", options.perLayer,
               "write every layer's result to <output_dir>/layers, with "
               "an index.json that says what its codes mean");
  app.add_flag("--npy", options.npy, "write .npy beside every .bin");
  app.add_flag("--profile", options.profile,
               "print the time of every step on random inputs");
  app.add_flag("--serve", options.serve,
               "for benchmarks: run once per line on standard input");
  app.footer("\nFiles are named after tensors, with '_' for every character "
             "outside of a-z, A-Z, 0-9, '_' and '-'.\n"
             "Example:\n  parallax run --model net.onnx --input_dir in "
             "--output_dir out --random_input");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return run(options); });
}

} // namespace parallax
