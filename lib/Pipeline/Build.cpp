//===- Build.cpp - From a configuration to a compiled model ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the configuration and runs the phases that it asks for.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Build.h"
#include "Apply.h"
#include "CompileStage.h"
#include "EvaluateStage.h"
#include "InputSamples.h"
#include "QuantizeStage.h"
#include "Suggestions.h"

#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Pipeline/RankFolder.h"
#include "parallax/Pipeline/WriteReport.h"
#include "parallax/Report/Precision.h"
#include "parallax/Report/Summary.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/LogFile.h"
#include "parallax/Support/Memory.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Unicode.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {
namespace {

void warnAboutInactiveFields(const BuildConfig &config) {
  std::vector<InactiveField> fields = inactiveFields(config);
  if (fields.empty())
    return;
  Table table({Column::label("Field"), Column::text("Not acted on because")});
  for (const InactiveField &entry : fields)
    table.addRow({entry.field, entry.why});
  std::string text = table.render(currentListener().style());
  text.pop_back(); // The log ends the line itself.
  log(LogLevel::Warning, "these fields have no effect yet:\n{}", text);
}

BuildConfig readBuild(const CompileOptions &options) {
  BuildConfig config = readConfiguration(options);
  if (config.input.empty())
    throw Error("name a model with --input, or in the field 'input' of the "
                "configuration");
  if (config.outputDir.empty())
    throw Error("name an output folder with --output_dir, or in the field "
                "'output_dir' of the configuration");
  return config;
}

/// Files and folders that nothing else has looked at yet.
void checkPaths(BuildConfig config) {
  std::vector<std::string> missing;
  forEachPath(config, [&](const std::string &field, std::string &path) {
    std::error_code error;
    bool isResult = field == "output_dir" || field == "work_dir";
    // Ranges that are there already need no samples.
    bool isUnused = field.starts_with("quant.input_configs") &&
                    !config.quant.calibrationCache.empty() &&
                    !config.quant.precisionAnalysis;
    if (!isResult && !isUnused && !path.empty() && !fs::exists(path, error))
      missing.push_back(fmt::format("{}: {} does not exist", field, path));
    if (isResult && !path.empty())
      if (std::string why = whyNoFolder(path); !why.empty())
        throw Error(fmt::format("{}: {}", field, why));
  });
  if (!missing.empty())
    throw Error(fmt::format("{}; paths are relative to the current folder",
                            fmt::join(missing, "\n")));
}

/// Everything that can be found out before something expensive starts.
void checkAll(BuildState &state) {
  checkTarget(state.config);
  checkProcessors(state);
  if (state.config.modelType == ModelType::Onnx && hasCalibration(state.config))
    checkCalibration(*state.network, state.config);
  checkEvaluation(state);
  if (!state.config.quant.inputSampleDir.empty())
    checkInputSamples(state.network->inputs(), state.config);
  checkPaths(state.config);
}

/// What a case needs to do the same again.
void writeContext(const BuildState &state) {
  OutputFiles files = state.files();
  writeFileAtomically(files.context(), toJson(state.config));
  nlohmann::ordered_json command{{"folder", fs::current_path().string()},
                                 {"command", state.options.command}};
  writeFileAtomically(
      files.command(),
      command.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
}

/// From here on the folder is that of this build.
void beginOutput(BuildState &state, std::optional<OutputFolder> &output,
                 std::string_view firstPhase) {
  if (!output)
    output.emplace(state.config.outputDir);
  output->clear(state.config, state.options.configFile, firstPhase);
}

/// Other ranks than the first need what earlier phases have left, too.
void bringCheckpoint(const RankFolder &folder, const BuildState &state) {
  const Phase &first =
      phasesBetween(state.options.phaseFrom, state.options.phaseTo).front();
  if (&first == buildPhases().data())
    return;
  fs::path checkpoint = checkpointOf(state.config, *(&first - 1));
  for (const fs::path &file : {checkpoint, state.files().calibration()})
    folder.bring(file.lexically_relative(state.config.outputDir));
}

/// Runs the phases; false if the build ends with its check.
bool runPhases(BuildState &state, std::optional<OutputFolder> &output,
               LogFile &logFile, PhaseClock &clock) {
  const BuildOptions &options = state.options;
  std::span<const Phase> phases =
      phasesBetween(options.phaseFrom, options.phaseTo);
  bool isChecked = restoreBefore(phases.front(), state);
  if (isChecked)
    beginOutput(state, output, phases.front().name);
  for (const Phase &phase : phases) {
    if (!phase.isWanted(state.config))
      continue;
    stopIfCancelled();
    phase.run(state);
    state.result->phases.push_back(phase.name);
    clock.finish(phase.name);
    // The model is known now, and nothing expensive has been done yet.
    if (!isChecked) {
      isChecked = true;
      checkAll(state);
      clock.finish("check");
      if (options.onlyCheck)
        return false;
      beginOutput(state, output, phases.front().name);
      logFile.open(state.files().log());
      writeContext(state);
      state.result->outputDir = state.config.outputDir;
    }
    if (state.config.debug.dumpPhases)
      writeMlir(state.files().phaseDump(phase.name), *state.network,
                fmt::format("network after {}", phase.name));
  }
  return true;
}

/// After the last analysis: is it good enough?
void judge(BuildState &state) {
  const std::optional<double> &failUnder = state.options.failUnder;
  BuildResult &result = *state.result;
  if (!failUnder || !result.report)
    return;
  if (passes(*result.report, *failUnder))
    return;
  result.isTooImprecise = true;
  std::string unjudged = whyNotJudged(*result.report);
  if (unjudged.empty())
    log(LogLevel::Error, "the network is less precise than --fail-under {}",
        *failUnder);
  else
    log(LogLevel::Error, "--fail-under {} can't judge the network: {}",
        *failUnder, printable(unjudged));
}

/// Nothing would be judged, and all would pass.
void checkJudges(const BuildConfig &config, const BuildOptions &options) {
  if (!config.quant.precisionAnalysis)
    throw Error("--fail-under needs a precision analysis: set "
                "quant.precision_analysis");
  const Phase &last = phasesBetween(options.phaseFrom, options.phaseTo).back();
  if (last.name != buildPhases().back().name)
    throw Error(fmt::format("--fail-under needs a precision analysis, but "
                            "--phase-to {} ends before it; leave --phase-to "
                            "out",
                            last.name));
  if (!last.isWanted(config))
    throw Error("--fail-under needs a quantized network to analyze: give "
                "calibration samples in quant.input_configs");
}

void showSummary(const BuildState &state) {
  const BuildResult &result = *state.result;
  if (!result.report)
    return;
  showResult(renderSummary(*result.report,
                           result.accuracy ? &*result.accuracy : nullptr,
                           state.files().precisionText().string()));
}

void finish(BuildState &state, PhaseClock &clock) {
  const BuildOptions &options = state.options;
  if (asksToApply(options)) {
    applySuggestions(state);
    clock.finish("apply");
  }
  judge(state);
  showSummary(state);
  writeContext(state);
  if (mlir::func::FuncOp machine = state.network->view(views::npu))
    state.result->cycles = cyclesOf(machine, state.config);
  if (state.result->report) {
    writeReport(state.config.outputDir,
                state.calibration ? &*state.calibration : nullptr);
    clock.finish("report");
  }
  if (!options.phaseTo.empty()) {
    fs::path checkpoint = checkpointOf(
        state.config, phasesBetween(options.phaseFrom, options.phaseTo).back());
    state.network->save(checkpoint, state.modelDigest);
    log(LogLevel::Info, "save checkpoint to [{}]", checkpoint.string());
  }
}

} // namespace

BuildConfig readConfiguration(const ConfigChoice &choice) {
  std::vector<std::string> warnings;
  BuildConfig config =
      choice.configText.empty()
          ? readBuildConfig(choice.configFile, choice.overrides, &warnings)
          : parseBuildConfig(choice.configText, "the configuration",
                             choice.overrides, &warnings);
  for (const std::string &warning : warnings)
    log(LogLevel::Warning, "{}", printable(warning));
  warnAboutInactiveFields(config);
  return config;
}

void runBuild(BuildOptions options, BuildResult &result) {
  LogFile logFile(currentListener());
  ListenerScope scope(logFile);
  PhaseClock clock;
  // A wrong name of a phase is found before the configuration is read.
  phasesBetween(options.phaseFrom, options.phaseTo);
  BuildState state;
  state.config = readBuild(options);
  state.options = std::move(options);
  if (state.options.threads <= 0)
    state.options.threads = hardwareThreads();
  state.result = &result;
  if (state.options.failUnder)
    checkJudges(state.config, state.options);
  if (asksToApply(state.options))
    checkApplies(state.config, state.options.phaseTo);
  RankFolder folder(state.config);
  bringCheckpoint(folder, state);
  std::optional<OutputFolder> output;
  if (!runPhases(state, output, logFile, clock)) {
    showResult("The configuration, the model and the data fit together.\n");
    return;
  }
  finish(state, clock);
  checkModelIsSame(state);
  output->finish(state.config, result.phases);
  result.config = state.config;
  log(LogLevel::Info, "time: {}", clock.summary());
  log(LogLevel::Debug, "peak memory {:.1f} MB",
      double(peakMemoryBytes()) / 1e6);
}

} // namespace parallax
