//===- Build.cpp - The subcommand `parallax build` ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The stages that exist so far: import the model, optimize it, and measure the
// float network's accuracy where the configuration brings labelled samples.
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "../common/FloatStage.h"
#include "../common/Subcommand.h"
#include "CalibrateStage.h"
#include "Flags.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/LogFile.h"
#include "parallax/Support/Memory.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/Terminal.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace parallax {
namespace {

struct Options {
  std::string config;
  std::vector<FlagValue> flags;
  bool onlyCheck = false;
  CommonOptions common;
};

struct EvaluationSet {
  Tensor images, labels;
};

EvaluationSet readEvaluation(const BuildConfig &config, const PortInfo &input) {
  EvaluationSet set{readNpy(config.evaluation.images),
                    readNpy(config.evaluation.labels)};
  Shape sample = set.images.shape();
  if (sample.empty() || sample[0] == 0)
    throw Error(fmt::format("{} holds no samples", config.evaluation.images));
  sample[0] = 1;
  if (set.images.dtype() != input.dtype || sample != input.shape)
    throw Error(
        fmt::format("{} holds {} {}, but input '{}' takes {} {} at a time",
                    config.evaluation.images, nameOf(set.images.dtype()),
                    toString(set.images.shape()), input.name,
                    nameOf(input.dtype), toString(input.shape)));
  if (set.labels.dtype() != DType::I64 ||
      set.labels.shape() != Shape{set.images.dim(0)})
    throw Error(fmt::format("{} must hold one int64 label for each of the {} "
                            "images",
                            config.evaluation.labels, set.images.dim(0)));
  return set;
}

/// One image of the set, as a view.
Tensor sampleOf(EvaluationSet &set, size_t index, const PortInfo &input) {
  size_t bytes = set.images.byteSize() / size_t(set.images.dim(0));
  auto *first = static_cast<std::byte *>(set.images.rawData()) + index * bytes;
  return Tensor(set.images.dtype(), input.shape, first);
}

void printAccuracy(const Executable &executable, const BuildConfig &config,
                   int threads) {
  if (executable.inputs.size() != 1 || executable.outputs.empty() ||
      executable.outputs[0].dtype != DType::F32)
    throw Error("accuracy is measured on networks with one input and a "
                "float32 output of class scores");
  EvaluationSet set = readEvaluation(config, executable.inputs[0]);
  auto count = size_t(set.images.dim(0));
  size_t correct = 0;
  {
    Progress progress("Evaluating float network", int64_t(count));
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) {
      return std::vector{sampleOf(set, i, executable.inputs[0])};
    };
    callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
      std::span<const float> scores = outputs[0].values<float>();
      auto best = std::max_element(scores.begin(), scores.end());
      correct += best - scores.begin() == set.labels.data<int64_t>()[i];
      progress.advance();
    };
    runSamples(executable, count, threads, callbacks);
  }
  printResult(fmt::format("Float accuracy (top-1): {:.4f} ({} of {} samples)\n",
                          double(correct) / double(count), correct, count));
}

/// Inputs for the check of the optimized network: the first of the evaluation
/// set, or random ones.
CheckSamples checkSamples(const BuildConfig &config,
                          std::span<const PortInfo> inputs) {
  if (config.evaluation.images.empty() || inputs.size() != 1)
    return randomSamples(inputs);
  EvaluationSet set = readEvaluation(config, inputs[0]);
  CheckSamples result{{}, config.evaluation.images};
  constexpr int64_t count = 8;
  for (int64_t i = 0; i < std::min(count, set.images.dim(0)); ++i)
    result.samples.push_back({sampleOf(set, size_t(i), inputs[0]).clone()});
  return result;
}

void warnAboutInactiveFields(const BuildConfig &config,
                             const CommonOptions &common) {
  std::vector<InactiveField> fields = inactiveFields(config);
  if (fields.empty())
    return;
  Table table({Column::label("Field"), Column::text("Not acted on because")});
  for (const InactiveField &entry : fields)
    table.addRow({entry.field, entry.why});
  std::string text = table.render(
      {common.colorFor(STDERR_FILENO), terminalWidth(STDERR_FILENO)});
  text.pop_back(); // The log ends the line itself.
  log(LogLevel::Warning, "these fields have no effect yet:\n{}", text);
}

/// The time of each phase, for the last line of a build.
class PhaseClock {
public:
  void finish(std::string_view phase) {
    text += fmt::format("{}{} {:.2f} s", text.empty() ? "" : ", ", phase,
                        secondsSince(start));
    start = std::chrono::steady_clock::now();
  }
  const std::string &summary() const { return text; }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  std::string text;
};

BuildConfig readConfig(const Options &options) {
  std::vector<std::string> warnings;
  BuildConfig config =
      readBuildConfig(options.config, options.flags, &warnings);
  for (const std::string &warning : warnings)
    log(LogLevel::Warning, "{}", printable(warning));
  if (config.input.empty())
    throw Error("name a model with --input, or in the field 'input' of the "
                "configuration");
  if (config.outputDir.empty())
    throw Error("name an output folder with --output_dir, or in the field "
                "'output_dir' of the configuration");
  warnAboutInactiveFields(config, options.common);
  return config;
}

int build(const Options &options) {
  PhaseClock clock;
  BuildConfig config = readConfig(options);
  int threads =
      options.common.threads > 0 ? options.common.threads : hardwareThreads();
  Network network({config.input,
                   config.inputShapes,
                   {},
                   config.opProcessors,
                   config.constProcessors});

  clock.finish("import");
  // Before anything that takes time.
  if (hasCalibration(config))
    checkCalibration(network, config);
  clock.finish("check");
  if (options.onlyCheck) {
    fmt::print("The configuration, the model and the data fit together.\n");
    return 0;
  }
  openLogFile(std::filesystem::path(config.outputDir) / "build.log");

  TableStyle style{options.common.colorFor(STDOUT_FILENO),
                   terminalWidth(STDOUT_FILENO)};
  FloatStageOptions stage;
  stage.optimize = !config.onnxOpt.disableOnnxOptimization;
  stage.checkRewrites = !config.onnxOpt.disableTransformationCheck;
  stage.checkModel = config.onnxOpt.modelCheck;
  stage.samples = [&](std::span<const PortInfo> inputs) {
    return config.quant.inputConfigs.empty()
               ? checkSamples(config, inputs)
               : calibrationSamples(network, config);
  };
  stage.threads = threads;
  std::filesystem::path folder =
      std::filesystem::path(config.outputDir) / "frontend";
  stage.onnx = folder / "optimized.onnx";
  stage.nameMap = folder / "name_map.json";
  if (config.debug.dumpFrontendGraph) {
    stage.importedMlir = folder / "imported.mlir";
    stage.optimizedMlir = folder / "optimized.mlir";
  }
  runFloatStage(network, stage, style);
  clock.finish("optimize");
  if (hasCalibration(config)) {
    runCalibrateStage(network, config, threads, style);
    if (config.debug.dumpFrontendGraph)
      writeMlir(std::filesystem::path(config.outputDir) / "quant" /
                    "calibrated.mlir",
                network, "calibrated network");
    clock.finish("calibrate");
  }

  writeFileAtomically(std::filesystem::path(config.outputDir) /
                          "build_context.json",
                      toJson(config));

  if (!config.evaluation.images.empty()) {
    printAccuracy(network.prepare({false, /*takeWeights=*/true}), config,
                  threads);
    clock.finish("evaluate");
  }
  log(LogLevel::Info, "time: {}", clock.summary());
  log(LogLevel::Debug, "peak memory {:.1f} MB",
      double(peakMemoryBytes()) / 1e6);
  return 0;
}

} // namespace

int runBuild(int argc, char **argv) {
  Options options;
  CLI::App app("Compiles a model as a configuration says.", "parallax build");
  app.add_option("--config", options.config, "the configuration, as JSON")
      ->required()
      ->type_name("FILE");
  app.add_flag("--check", options.onlyCheck,
               "only check that configuration, model and data fit together");
  addConfigFlags(app, options.flags);
  app.footer("\nExample:\n  parallax build --config configs/quickstart.json");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return build(options); });
}

} // namespace parallax
