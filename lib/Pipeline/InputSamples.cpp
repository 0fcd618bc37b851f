//===- InputSamples.cpp - Samples that are only analyzed ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folders of tensors are tried first; all else is read as calibration data.
//===----------------------------------------------------------------------===//
#include "InputSamples.h"

#include "parallax/Data/Dataset.h"
#include "parallax/Data/Preflight.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Support/Error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

[[noreturn]] void refuse(const fs::path &path, std::string_view why) {
  throw Error(fmt::format("quant.input_sample_dir: {} {}", path.string(), why));
}

bool holds(const CalibrationSource &source, std::span<const PortInfo> inputs) {
  try {
    Dataset dataset(source, archiveLimitsFor(inputs));
    return true;
  } catch (const Error &) {
    return false;
  }
}

/// The sources of the calibration with other files; their format may be another
/// one, too.
std::vector<CalibrationSource> sourcesIn(const fs::path &path,
                                         const std::vector<PortInfo> &inputs,
                                         const BuildConfig &config) {
  std::vector<CalibrationSource> sources = calibrationSources(inputs, config);
  if (sources.empty())
    sources.emplace_back();
  for (CalibrationSource &source : sources) {
    source.dataset = path;
    source.size = -1;
    DataFormat configured = source.format;
    bool isFound = false;
    for (DataFormat format : {configured, DataFormat::Image, DataFormat::Numpy,
                              DataFormat::Binary}) {
      source.format = format;
      if ((isFound = holds(source, inputs)))
        break;
    }
    if (!isFound)
      refuse(path, fmt::format("holds neither a file of input '{}', nor "
                               "folders with one, nor pictures or arrays as "
                               "calibration takes them",
                               inputs.empty() ? "" : inputs[0].name));
  }
  return sources;
}

std::vector<fs::path> tensorFolders(const fs::path &path,
                                    const std::vector<PortInfo> &inputs) {
  if (!fs::exists(path))
    refuse(path, "does not exist");
  return fs::is_directory(path) ? sampleFolders(path, inputs)
                                : std::vector<fs::path>();
}

} // namespace

Samples inputSamples(const std::vector<PortInfo> &inputs,
                     const BuildConfig &config) {
  fs::path path = config.quant.inputSampleDir;
  std::vector<fs::path> folders = tensorFolders(path, inputs);
  if (!folders.empty())
    return {
        folders.size(),
        [folders, inputs](size_t i) { return readFolder(folders[i], inputs); },
        path.string()};
  auto set = std::make_shared<CalibrationSet>(CalibrationSet::open(
      inputs, sourcesIn(path, inputs, config),
      config.workDir.empty() ? config.outputDir : config.workDir,
      "input_samples"));
  return {set->size(), [set](size_t i) { return set->load(i); }, path.string()};
}

void checkInputSamples(const std::vector<PortInfo> &inputs,
                       const BuildConfig &config) {
  fs::path path = config.quant.inputSampleDir;
  std::vector<fs::path> folders = tensorFolders(path, inputs);
  if (!folders.empty()) {
    readFolder(folders.front(), inputs);
    return;
  }
  PreflightReport report = preflight(inputs, sourcesIn(path, inputs, config));
  if (!report.ok())
    refuse(path, fmt::format("can't be used:\n  {}",
                             fmt::join(report.problems, "\n  ")));
}

} // namespace parallax
