//===- CaseInputs.cpp - What a build reads, in one folder -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples are written as the network reads them: nobody has to decode, resize
// or normalize them again.
//===----------------------------------------------------------------------===//
#include "parallax/Case/CaseInputs.h"
#include "parallax/Case/Manifest.h"
#include "parallax/Config/Target.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// A word as a shell takes it.
std::string quoted(const std::string &word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@+";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string text = "'";
  for (char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

void makeAbsolute(BuildConfig &config, const fs::path &base) {
  forEachPath(config, [&](const std::string &, std::string &path) {
    if (!path.empty())
      path = (base / path).lexically_normal().string();
  });
}

/// A file, or the files of a folder; at most `mostFolders` folders of it.
void copyTo(const fs::path &from, const fs::path &to,
            size_t mostFolders = SIZE_MAX) {
  if (!fs::exists(from))
    throw Error(fmt::format("'{}' is gone: the build has read it, so the case "
                            "needs it",
                            from.string()));
  createParentDirectories(to);
  if (!fs::is_directory(from)) {
    copyFileAtomically(from, to);
    return;
  }
  std::vector<fs::path> folders;
  fs::create_directories(to);
  for (const fs::directory_entry &entry : fs::directory_iterator(from))
    if (entry.is_directory())
      folders.push_back(entry.path());
    else if (entry.is_regular_file())
      copyFileAtomically(entry.path(), to / entry.path().filename());
  std::sort(folders.begin(), folders.end());
  for (size_t i = 0; i < std::min(folders.size(), mostFolders); ++i)
    copyTo(folders[i], to / folders[i].filename());
}

class InputWriter {
public:
  InputWriter(const FinishedBuild &build, fs::path folder, fs::path scratch)
      : original(build.config), config(build.config), folder(std::move(folder)),
        scratch(std::move(scratch)) {}

  void run() {
    writeModel();
    writeSamples();
    writeTarget();
    config.outputDir = "output";
    config.outputName = BuildConfig().outputName;
    config.workDir.clear();
    config.evaluation = {};
    config.debug = {};
    config.quant.precisionAnalysis = true;
    config.quant.precisionAnalysisDump = false;
    // A case shows both engines, whatever its user looked at.
    config.quant.precisionAnalysisMode = PrecisionAnalysisMode::Both;
    writeFileAtomically(folder / "config.json", toJson(config));
  }

private:
  /// Copies what a path of the configuration names, and lets it name the copy.
  void take(std::string &path, const fs::path &place,
            size_t mostFolders = SIZE_MAX) {
    if (path.empty())
      return;
    copyTo(path, folder / place, mostFolders);
    path = place.generic_string();
  }

  void writeModel() {
    fs::path model = original.input;
    take(config.input, fs::path("model") / model.filename());
    std::set<std::string> external;
    try {
      external = onnx_import::summarizeModel(original.input).externalFiles;
    } catch (const Error &) {
      // A model that can't be read may be what the case is about.
    }
    for (const std::string &location : external) {
      std::string file = fs::path(location).lexically_normal().generic_string();
      if (!problemOfPath(file).empty())
        throw Error(fmt::format("'{}' keeps data in '{}', which is not inside "
                                "the model's folder; put it there",
                                model.string(), location));
      copyTo(model.parent_path() / file, folder / "model" / file);
    }
    for (size_t i = 0; i < config.constProcessors.size(); ++i) {
      std::string &path = config.constProcessors[i].dataPath;
      take(path, fs::path("model") /
                     fmt::format("constant_{}{}", i,
                                 fs::path(path).extension().string()));
    }
  }

  void writeTarget() {
    config.targetHardware = "target.json";
    writeFileAtomically(folder / "target.json",
                        toJson(findTarget(original.targetHardware)));
  }

  void writeSamples() {
    QuantConfig &quant = config.quant;
    take(quant.calibrationCache, "data/calibration.json");
    int64_t analyzed = quant.precisionAnalysisSize;
    take(quant.inputSampleDir, "samples",
         analyzed > 0 ? size_t(analyzed) : SIZE_MAX);
    take(config.compiler.inputSampleDir, "data/compiler_samples");
    for (size_t i = 0; i < config.compiler.subConfigs.size(); ++i)
      take(config.compiler.subConfigs[i].inputSampleDir,
           fmt::format("data/compiler_samples_{}", i));
    std::optional<Network> network;
    try {
      network.emplace(networkOptions(original));
    } catch (const Error &) {
      return copyDatasets();
    }
    std::vector<PortInfo> inputs = network->inputs();
    if (!quant.inputConfigs.empty()) {
      BuildConfig source = original;
      source.workDir = scratch.string();
      CalibrationSet set = openCalibrationSet(*network, source);
      std::vector<std::string> names =
          writeSampleSet(folder / "data", inputs, set.size() + set.heldOut(),
                         [&](size_t i) { return set.load(i); });
      // Those that were held out come last.
      quant.calibrationHoldOut = false;
      for (InputQuantConfig &input : quant.inputConfigs) {
        auto port =
            std::ranges::find(inputs, input.tensorName, &PortInfo::name);
        input.calibrationDataset = port == inputs.end()
                                       ? "data"
                                       : "data/" + names[port - inputs.begin()];
        input.calibrationFormat = DataFormat::Numpy;
        input.calibrationSize = set.heldOut() > 0 ? int64_t(set.size()) : -1;
      }
    } else if (quant.inputSampleDir.empty()) {
      Samples samples = evaluationSamples(original, inputs);
      for (size_t i = 0; i < samples.count; ++i)
        writeNpyFolder(folder / "samples" / fmt::format("{:04}", i), inputs,
                       samples.load(i));
      quant.inputSampleDir = "samples";
    }
  }

  /// As they are: it is not known how the network would read them.
  void copyDatasets() {
    for (size_t i = 0; i < config.quant.inputConfigs.size(); ++i) {
      std::string &path = config.quant.inputConfigs[i].calibrationDataset;
      take(path,
           fs::path("data") / std::to_string(i) / fs::path(path).filename());
    }
  }

  const BuildConfig &original;
  BuildConfig config;
  fs::path folder, scratch;
};

} // namespace

FinishedBuild readAnyBuild(const fs::path &outputDir) {
  fs::path context = OutputFiles(outputDir).context();
  fs::path command = OutputFiles(outputDir).command();
  for (const fs::path &file : {context, command})
    if (!fs::exists(file))
      throw Error(fmt::format("'{}' is not the output folder of a build: there "
                              "is no {} in it",
                              outputDir.string(), file.filename().string()));
  FinishedBuild build{parseBuildConfig(readText(context), context.string()),
                      "parallax build", outputDir};
  auto json = nlohmann::ordered_json::parse(readText(command), nullptr, false);
  try {
    for (const std::string &word :
         json.at("command").get<std::vector<std::string>>())
      build.command += " " + quoted(word);
    makeAbsolute(build.config, json.at("folder").get<std::string>());
  } catch (const nlohmann::json::exception &) {
    throw Error(fmt::format("cannot read '{}': it is not what a build writes; "
                            "build again",
                            command.string()));
  }
  return build;
}

FinishedBuild readFinishedBuild(const fs::path &outputDir) {
  FinishedBuild build = readAnyBuild(outputDir);
  if (!isCompleteBuild(outputDir))
    throw Error(fmt::format(
        "the build in '{}' has not finished: there is no complete "
        "manifest.json in it; build again, with --case if it fails, or name "
        "its configuration with --config",
        outputDir.string()));
  OutputFiles files(outputDir);
  for (const fs::path &file :
       {files.context(), files.command(), files.precisionJson()})
    checkResult(file);
  return build;
}

FinishedBuild plannedBuild(const fs::path &configFile) {
  FinishedBuild build{readBuildConfig(configFile.string()),
                      "parallax build --config " + quoted(configFile.string()),
                      {}};
  makeAbsolute(build.config, fs::current_path());
  return build;
}

BuildConfig readCaseConfig(const fs::path &folder) {
  BuildConfig config = readBuildConfig((folder / "config.json").string());
  auto check = [&](const std::string &path) {
    if (!path.empty() && !problemOfPath(path).empty())
      throw Error(fmt::format("the config.json of the case names '{}', which "
                              "is not a path inside of the case; it is not "
                              "built",
                              elide(path, 80)));
  };
  forEachPath(config,
              [&](const std::string &, std::string &path) { check(path); });
  check(config.outputName);
  makeAbsolute(config, fs::absolute(folder));
  return config;
}

void writeCaseInputs(const FinishedBuild &build, const fs::path &folder,
                     const fs::path &scratch) {
  InputWriter(build, folder, scratch).run();
}

} // namespace parallax
