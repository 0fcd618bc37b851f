//===- RunFolders.cpp - Models on samples in files ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples run in parallel, and their results are written in order.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/LayerWriter.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Data/Image.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/RunModel.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>

namespace fs = std::filesystem;

namespace parallax {
namespace {

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

struct RunCase {
  /// The folder of its outputs below the one of all; empty for that itself.
  std::string name;
  fs::path inputs;
  /// The only input, if it is a picture of any name.
  fs::path picture = {};
};

std::vector<RunCase> listedCases(const FolderRun &request) {
  std::ifstream file(request.list);
  if (!file || fs::is_directory(request.list))
    throw Error(fmt::format("{}: there is no such list", request.list));
  std::vector<RunCase> cases;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && isspace(static_cast<unsigned char>(line.back())))
      line.pop_back();
    if (!line.empty())
      cases.push_back({line, request.inputDir / line});
  }
  if (cases.empty())
    throw Error(
        fmt::format("{} names no case; write one per line", request.list));
  return cases;
}

/// A case for each picture of a folder, named after it.
std::vector<RunCase> picturesAsCases(const fs::path &folder) {
  std::vector<RunCase> cases;
  std::multiset<std::string> stems;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file() && isPictureName(entry.path())) {
      cases.push_back({"", folder, entry.path()});
      stems.insert(entry.path().stem().string());
    }
  for (RunCase &each : cases) {
    std::string stem = each.picture.stem().string();
    each.name =
        stems.count(stem) == 1 ? stem : each.picture.filename().string();
  }
  std::ranges::sort(cases, {}, &RunCase::name);
  return cases;
}

std::vector<RunCase> findCases(const FolderRun &request,
                               std::span<const PortInfo> inputs) {
  if (!request.list.empty())
    return listedCases(request);
  RunCase whole{"", request.inputDir};
  if (request.randomInput)
    return {whole};
  std::vector<RunCase> cases;
  std::error_code error;
  for (const fs::path &folder :
       sampleFolders(request.inputDir, inputs, /*pictures=*/true))
    // Results may lie beside the cases.
    if (folder == request.inputDir)
      cases.push_back(whole);
    else if (!fs::equivalent(folder, request.outputDir, error))
      cases.push_back({folder.filename().string(), folder});
  if (cases.empty() && inputs.size() == 1)
    cases = picturesAsCases(request.inputDir);
  // Reading it says what is missing.
  return cases.empty() ? std::vector<RunCase>{whole} : cases;
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

/// Prepares pictures as the configuration of the model's build says.
class PicturePreparation {
public:
  explicit PicturePreparation(const FolderRun &request) : request(request) {}

  /// Any thread may call this.
  Tensor read(const fs::path &picture, const PortInfo &input) {
    // Where no picture is read, no configuration has to be there.
    std::call_once(isFound, [&] { findConfig(); });
    return readImage(MappedFile::open(picture)->bytes(), picture.string(),
                     formOf(picture, input));
  }

private:
  void findConfig() {
    isCompiled = isCompiledModel(request.model);
    fs::path file = request.config;
    fs::path folder = fs::path(request.model).parent_path();
    std::error_code error;
    for (const fs::path &place : {folder, folder / ".."})
      if (file.empty() && fs::exists(OutputFiles(place).context(), error))
        file = OutputFiles(place).context();
    if (!file.empty())
      config = readBuildConfig(file.string());
  }

  ImageForm formOf(const fs::path &picture, const PortInfo &input) const {
    const InputQuantConfig *calibration = nullptr;
    const InputProcessor *processor = nullptr;
    if (config) {
      calibration =
          entryFor<InputQuantConfig>(input.name, config->quant.inputConfigs);
      processor = entryFor<InputProcessor>(input.name, config->inputProcessors);
    }
    if (!calibration && !processor)
      throw Error(fmt::format("nothing says how to make {} the input '{}': "
                              "give --config the configuration of the build, "
                              "or prepare a .npy file",
                              picture.string(), input.name));
    std::vector<float> mean, std;
    ColorSpace order = processor ? processor->tensorFormat : ColorSpace::Auto;
    TensorLayout layout =
        processor ? processor->pictureLayout() : TensorLayout::Default;
    if (isCompiled && processor) {
      // The model does the rest: pixels arrive as they are.
      checkArrives(*processor, picture);
      if (processor->srcFormat != ColorSpace::Auto)
        order = processor->srcFormat;
      layout = processor->srcLayout;
    } else if (calibration) {
      mean.assign(calibration->calibrationMean.begin(),
                  calibration->calibrationMean.end());
      std.assign(calibration->calibrationStd.begin(),
                 calibration->calibrationStd.end());
    }
    ImageForm form = imageFormOf(input.name, input.dtype, input.shape, order,
                                 layout, mean, std);
    if (calibration)
      form.fit = calibration->calibrationResize;
    return form;
  }

  void checkArrives(const InputProcessor &processor,
                    const fs::path &picture) const {
    if (processor.srcFormat > ColorSpace::Rgb || !processor.padding.empty() ||
        !processor.slicing.empty() || processor.scale != 0)
      throw Error(fmt::format("{} can't be made into what arrives at run time "
                              "(src_format, padding, slicing or scale of "
                              "input_processors); prepare a .npy file",
                              picture.string()));
  }

  const FolderRun &request;
  std::once_flag isFound;
  bool isCompiled = false;
  std::optional<BuildConfig> config;
};

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

class FolderRunner {
public:
  FolderRunner(const Executable &executable, const FolderRun &request)
      : executable(executable), request(request),
        cases(findCases(request, executable.inputs)), pictures(request) {}

  void run() {
    Progress progress("Running", int64_t(cases.size()));
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) { return load(i); };
    if (request.perLayer)
      callbacks.observe = [&](size_t i) -> std::unique_ptr<Observer> {
        return std::make_unique<LayerWriter>(outputsOf(i) / "layers",
                                             executable);
      };
    callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
      write(i, outputs);
      progress.advance();
    };
    runSamples(executable, cases.size(), request.threads, callbacks);
    progress.setNote(
        fmt::format("outputs in [{}]", request.outputDir.string()));
  }

private:
  fs::path outputsOf(size_t i) const {
    return request.outputDir / cases[i].name;
  }
  TensorFormat format() const {
    return request.npy ? TensorFormat::Npy : TensorFormat::Raw;
  }

  std::vector<Tensor> load(size_t i) {
    const RunCase &each = cases[i];
    const std::vector<PortInfo> &inputs = executable.inputs;
    if (!each.picture.empty())
      return {pictures.read(each.picture, inputs[0])};
    if (request.randomInput)
      writeFolder(each.inputs, inputs, randomInputs(inputs, i + 1), format());
    std::vector<std::string> names = fileNamesOf(inputs);
    std::vector<Tensor> tensors;
    for (size_t j = 0; j < inputs.size(); ++j) {
      fs::path picture = holdsTensor(each.inputs, names[j])
                             ? fs::path()
                             : pictureOf(each.inputs, names[j]);
      tensors.push_back(picture.empty()
                            ? readPort(each.inputs, inputs[j], names[j])
                            : pictures.read(picture, inputs[j]));
    }
    return tensors;
  }

  void write(size_t i, std::span<const Tensor> outputs) const {
    std::vector<fs::path> paths =
        writeFolder(outputsOf(i), executable.outputs, outputs, format());
    if (!request.verbose)
      return;
    std::string name = cases[i].name.empty() ? "0" : cases[i].name;
    log(LogLevel::Info, ">>> [{}] start", name);
    for (size_t j = 0; j < paths.size(); ++j)
      log(LogLevel::Info, "write [{}] to [{}] successfully",
          executable.outputs[j].name, paths[j].string());
    log(LogLevel::Info, ">>> [{}] finish", name);
  }

  const Executable &executable;
  const FolderRun &request;
  std::vector<RunCase> cases;
  PicturePreparation pictures;
};

} // namespace

void runFolders(const Executable &executable, const FolderRun &request) {
  FolderRunner(executable, request).run();
}

} // namespace parallax
