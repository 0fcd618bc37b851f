//===- WriteReport.cpp - Output folders as a page to look at --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files go into the page as they are; only what is too large is summarized.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/WriteReport.h"
#include "ReportSummaries.h"

#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Report/HtmlReport.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Ranks.h"

#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace parallax {
namespace {

constexpr int reportFormat = 1;

/// What the page knows how to show.
constexpr fs::path (OutputFiles::*shownFiles[])() const = {
    &OutputFiles::context,          &OutputFiles::target,
    &OutputFiles::lowering,         &OutputFiles::profile,
    &OutputFiles::precisionJson,    &OutputFiles::floatChanges,
    &OutputFiles::layerConfigAudit, &OutputFiles::sharedScales,
    &OutputFiles::accuracyJson,     &OutputFiles::changedAnswers,
    &OutputFiles::profilingTable,
};
/// What a tuning leaves. Builds don't remove it, since it takes hours.
constexpr fs::path (OutputFiles::*tuningFiles[])() const = {
    &OutputFiles::tuningHistory,
    &OutputFiles::tuningFront,
    &OutputFiles::tunedConfig,
};
/// Without one of these there is nothing to look at.
constexpr fs::path (OutputFiles::*results[])() const = {
    &OutputFiles::precisionJson,
    &OutputFiles::accuracyJson,
    &OutputFiles::tuningHistory,
};

class FolderReader {
public:
  FolderReader(fs::path given, bool checks,
               const Calibration *calibration = nullptr)
      : folder(std::move(given)), files(folder), checks(checks),
        calibration(calibration) {}

  ReportedBuild collect() {
    addFiles(shownFiles);
    addTuning();
    bool hasResult = std::ranges::any_of(results, [&](auto path) {
      std::string name = nameOf((files.*path)());
      return std::ranges::find(build, name, &ReportedFile::name) != build.end();
    });
    if (!hasResult)
      throw Error(fmt::format(
          "{} has nothing to show: build there with quant.precision_analysis, "
          "evaluate or tune",
          folder.string()));
    addCalibration();
    addWeights();
    build.insert(build.begin(), {"report.json", about()});
    return std::move(build);
  }

private:
  void addFiles(std::span<fs::path (OutputFiles::*const)() const> paths) {
    for (auto path : paths)
      if (fs::path file = (files.*path)(); exists(file))
        build.push_back({nameOf(file), readText(file)});
  }

  fs::path model() const {
    return folder / objectIn(files.context()).value("output_name", "");
  }

  /// Which trial of the tuning has given the model in this folder. None if
  /// another configuration was built here since.
  std::optional<int64_t> builtTrial() const {
    std::string digest = sha256OfFile(model());
    std::istringstream lines(readText(files.tuningHistory()));
    for (std::string line; std::getline(lines, line);) {
      Json trial = Json::parse(line, nullptr, false);
      if (trial.is_object() && trial.value("digest", Json()) == Json(digest))
        return trial.value("number", int64_t(0));
    }
    return std::nullopt;
  }

  void addTuning() {
    if (!exists(files.tuningHistory()))
      return;
    if (exists(model()) && !(trial = builtTrial()))
      return;
    addFiles(tuningFiles);
  }

  void addCalibration() {
    fs::path file = files.calibration();
    if (!calibration && exists(file)) {
      try {
        calibration = &ownCalibration.emplace(readCalibration(file));
      } catch (const Error &error) {
        unreadable.push_back(
            {{"name", nameOf(file)}, {"reason", error.what()}});
      }
    }
    if (calibration)
      build.push_back(
          {"quant/calibration_summary.json", calibrationSummary(*calibration)});
  }

  void addWeights() {
    fs::path file = files.quantizedParameters();
    if (!exists(file))
      return;
    if (std::string summary = weightsSummary(readText(file)); !summary.empty())
      build.push_back({"quant/weights_summary.json", std::move(summary)});
    else
      unreadable.push_back({{"name", nameOf(file)},
                            {"reason", "it is not what Parallax has written"}});
  }

  /// As it was given; "." gets its real name, by which the page finds out
  /// whether it still lies there.
  fs::path shownFolder() const {
    fs::path path = folder.lexically_normal();
    if (!path.has_filename())
      path = path.parent_path();
    bool isNamed = path.filename() != "." && path.filename() != "..";
    return isNamed ? path : fs::weakly_canonical(folder).filename();
  }

  std::string nameOf(const fs::path &file) const {
    return file.lexically_relative(folder).generic_string();
  }

  bool exists(const fs::path &file) const {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      return false;
    if (checks)
      checkResult(file);
    return true;
  }

  /// An empty object if there is no such file.
  Json objectIn(const fs::path &file) const {
    Json json;
    if (exists(file))
      json = Json::parse(readText(file), nullptr, false);
    return json.is_object() ? json : Json::object();
  }

  std::string about() const {
    Json context = objectIn(files.context());
    auto setting = [&](const char *name) {
      return context.value(name, std::string());
    };
    Json named = Json::object();
    auto addFile = [&](const char *key, const fs::path &file) {
      if (exists(file))
        named[key] = nameOf(file);
    };
    addFile("compiled", model());
    addFile("qdq", files.quantizedModel());
    addFile("optimized", files.optimizedModel());
    Json cycles = objectIn(files.lowering()).value("cycles", Json());
    Json json{
        {"format", reportFormat},
        {"total_cycles", cycles},
        {"tool", PARALLAX_VERSION},
        {"folder", shownFolder().generic_string()},
        {"model", fs::path(setting("input")).filename().string()},
        {"files", named},
        {"trial", trial ? Json(*trial) : Json()},
        {"unreadable", unreadable},
        {"pictures", picturesOf({folder, context, objectIn(files.command())},
                                objectIn(files.accuracyJson()), calibration)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  fs::path folder;
  OutputFiles files;
  bool checks;
  const Calibration *calibration;
  std::optional<Calibration> ownCalibration;
  std::optional<int64_t> trial;
  /// Files that are there, but not in the page, and why.
  Json unreadable = Json::array();
  ReportedBuild build;
};

} // namespace

void writeReport(const fs::path &folder, const Calibration *calibration) {
  if (!ranks().isFirst())
    return;
  if (!hasReportPage()) {
    log(LogLevel::Info, "no report.html: {}", whyNoReportPage());
    return;
  }
  fs::path file = OutputFiles(folder).report();
  ReportedBuild build =
      FolderReader(folder, /*checks=*/false, calibration).collect();
  writeFileAtomically(file, htmlReport(std::span(&build, 1)));
  log(LogLevel::Info, "save report to [{}]; open it in a browser",
      file.string());
}

void writeReport(std::span<const fs::path> folders, const fs::path &file) {
  if (!hasReportPage())
    throw Error(whyNoReportPage());
  std::vector<ReportedBuild> builds;
  for (const fs::path &folder : folders) {
    if (!fs::is_directory(folder))
      throw Error(fmt::format("{} is not an output folder", folder.string()));
    requireNoWriter(folder);
    builds.push_back(FolderReader(folder, /*checks=*/true).collect());
  }
  writeFileAtomically(file, htmlReport(builds));
}

} // namespace parallax
