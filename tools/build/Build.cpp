//===- Build.cpp - The subcommand `parallax build` ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The stages that exist so far: import the model, describe it, and measure the
// float network's accuracy where the configuration brings labelled samples.
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "../common/Network.h"
#include "../common/Subcommand.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Dialect/NN/Cost.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Terminal.h"

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace parallax {
namespace {

struct Options {
  std::string config, input, outputDir, inputShapes;
  CommonOptions common;
};

std::string describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::optional<DType> dtype = toDType(tensor.getElementType());
  return fmt::format("{} {}", dtype ? nameOf(*dtype) : "?",
                     toString(tensor.getShape()));
}

void printSummary(const std::string &path, Network &network,
                  const TableStyle &style) {
  mlir::func::FuncOp function = network.function();
  Table table({Column::label("Model"), Column::text(path)});
  for (mlir::BlockArgument argument : function.getArguments())
    table.addRow({"input", getTensorName(argument) + ": " +
                               describe(argument.getType())});
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name");
    table.addRow({"output", name.str() + ": " + describe(type)});
  }
  std::map<std::string, int> operators;
  for (Operation &op : function.front().without_terminator())
    ++operators[op.getName().stripDialect().str()];
  operators.erase("constant");
  std::string list;
  for (const auto &[name, count] : operators)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, count);
  table.addRow({"layers", list});
  nn::NetworkCost cost = nn::countCost(function);
  table.addRow({"parameters", fmt::format("{} ({:.2f} MB)", cost.parameters,
                                          double(cost.parameterBytes) / 1e6)});
  table.addRow({"MACs", std::to_string(cost.macs)});
  fmt::print("{}", table.render(style));
}

/// The imported network, with weights left out: for reading.
void dumpNetwork(const std::filesystem::path &path, Network &network) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
  flags.enableDebugInfo(true, /*prettyForm=*/true);
  network.module().print(stream, flags);
  AtomicFile file(path);
  file.write(text);
  file.commit();
  log(LogLevel::Info, "save imported network to [{}]", path.string());
}

struct EvaluationSet {
  Tensor images, labels;
};

EvaluationSet readEvaluation(const BuildConfig &config, const PortInfo &input) {
  EvaluationSet set{readNpy(config.evaluationImages),
                    readNpy(config.evaluationLabels)};
  Shape sample = set.images.shape();
  if (sample.empty() || sample[0] == 0)
    throw Error(fmt::format("{} holds no samples", config.evaluationImages));
  sample[0] = 1;
  if (set.images.dtype() != input.dtype || sample != input.shape)
    throw Error(
        fmt::format("{} holds {} {}, but input '{}' takes {} {} at a time",
                    config.evaluationImages, nameOf(set.images.dtype()),
                    toString(set.images.shape()), input.name,
                    nameOf(input.dtype), toString(input.shape)));
  if (set.labels.dtype() != DType::I64 ||
      set.labels.shape() != Shape{set.images.dim(0)})
    throw Error(fmt::format("{} must hold one int64 label for each of the {} "
                            "images",
                            config.evaluationLabels, set.images.dim(0)));
  return set;
}

void printAccuracy(const Executable &executable, const BuildConfig &config,
                   int threads) {
  if (executable.inputs.size() != 1 || executable.outputs.empty() ||
      executable.outputs[0].dtype != DType::F32)
    throw Error("accuracy is measured on networks with one input and a "
                "float32 output of class scores");
  EvaluationSet set = readEvaluation(config, executable.inputs[0]);
  auto count = size_t(set.images.dim(0));
  size_t bytes = set.images.byteSize() / std::max<size_t>(count, 1);
  size_t correct = 0;
  {
    Progress progress("Evaluating float network", int64_t(count));
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) {
      auto *first = static_cast<std::byte *>(set.images.rawData()) + i * bytes;
      return std::vector{
          Tensor(set.images.dtype(), executable.inputs[0].shape, first)};
    };
    callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
      std::span<const float> scores = outputs[0].values<float>();
      auto best = std::max_element(scores.begin(), scores.end());
      correct += best - scores.begin() == set.labels.data<int64_t>()[i];
      progress.advance();
    };
    runSamples(executable, count, threads, callbacks);
  }
  fmt::print("Float accuracy (top-1): {:.4f} ({} of {} samples)\n",
             double(correct) / double(count), correct, count);
}

int build(const Options &options) {
  BuildConfig config = readBuildConfig(options.config);
  if (!options.input.empty())
    config.input = options.input;
  if (!options.outputDir.empty())
    config.outputDir = options.outputDir;
  if (!options.inputShapes.empty())
    config.inputShapes = options.inputShapes;
  if (config.input.empty())
    throw Error("name a model with --input, or in the field 'input' of the "
                "configuration");
  if (config.outputDir.empty())
    throw Error("name an output folder with --output_dir, or in the field "
                "'output_dir' of the configuration");
  if (!config.ignoredFields.empty())
    log(LogLevel::Warning, "these fields have no effect yet: {}",
        fmt::join(config.ignoredFields, ", "));

  int threads =
      options.common.threads > 0 ? options.common.threads : hardwareThreads();
  Network network({config.input, config.inputShapes, {}});
  printSummary(
      config.input, network,
      {options.common.colorFor(STDOUT_FILENO), terminalWidth(STDOUT_FILENO)});
  dumpNetwork(std::filesystem::path(config.outputDir) / "frontend" /
                  "imported.mlir",
              network);
  Executable executable = network.prepare({false, /*takeWeights=*/true});
  if (!config.evaluationImages.empty())
    printAccuracy(executable, config, threads);
  return 0;
}

} // namespace

int runBuild(int argc, char **argv) {
  Options options;
  CLI::App app("Compiles a model as a configuration says.", "parallax build");
  app.add_option("--config", options.config, "the configuration, as JSON")
      ->required()
      ->type_name("FILE");
  app.add_option("--input", options.input, "the model, instead of the file's")
      ->type_name("FILE");
  app.add_option("--output_dir", options.outputDir,
                 "folder for all results, instead of the file's")
      ->type_name("DIR");
  app.add_option("--input_shapes", options.inputShapes,
                 "fixes dynamic shapes: name:1x3x224x224;other:1x10")
      ->type_name("SHAPES");
  app.footer("\nExample:\n  parallax build --config configs/quickstart.json");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return build(options); });
}

} // namespace parallax
