//===- Build.cpp - The subcommand `parallax build` ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the configuration, runs the phases that it asks for, and measures
// accuracy where it brings labelled samples.
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "../../lib/Pipeline/Apply.h"
#include "../../lib/Pipeline/CompileStage.h"
#include "../../lib/Pipeline/QuantizeStage.h"
#include "../case/PackCase.h"
#include "../common/Subcommand.h"
#include "Flags.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Pipeline/FloatStage.h"
#include "parallax/Pipeline/Phases.h"

#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/LogFile.h"
#include "parallax/Support/Memory.h"
#include "parallax/Support/Terminal.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace parallax {
namespace {

struct BuildFlags {
  /// As it was typed.
  std::vector<std::string> command;
  std::string config;
  std::vector<FlagValue> flags;
  bool onlyCheck = false;
  bool allowUnmatched = false;
  std::optional<double> failUnder;
  int64_t applySuggestions = 0;
  std::string evidenceDir;
  std::string caseFile;
  /// Set once there are results that a case can be made of.
  std::string outputDir;
  std::string phaseFrom, phaseTo;
  CommonOptions common;
};

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

BuildConfig readConfig(const BuildFlags &options) {
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

/// Everything that can be found out before something expensive starts.
void check(BuildState &state) {
  checkTarget(state.config);
  checkProcessors(state);
  if (state.config.modelType == ModelType::Onnx && hasCalibration(state.config))
    checkCalibration(*state.network, state.config);
}

void dump(BuildState &state, const Phase &phase) {
  if (state.config.debug.dumpPhases)
    writeMlir(std::filesystem::path(state.config.outputDir) / "phases" /
                  fmt::format("{}.mlir", phase.name),
              *state.network, fmt::format("network after {}", phase.name));
}

void evaluate(BuildState &state) {
  auto print = [&](const Executable &executable, std::string_view what) {
    printAccuracy(executable, what, state.config, state.threads);
  };
  PrepareOptions last;
  last.takeWeights = true;
  if (!state.network->view("quantized")) {
    print(state.network->prepare(last), "float");
    return;
  }
  print(state.network->prepare({}), "float");
  print(state.network->prepareView("quantized", {}), "quantized");
  print(prepare(machineOf(state), npuKernels(), {}), "NPU");
}

/// What a case needs to do the same again.
void writeContext(const BuildFlags &options, const BuildConfig &config) {
  std::filesystem::path folder = config.outputDir;
  writeFileAtomically(folder / "build_context.json", toJson(config));
  nlohmann::ordered_json command{
      {"folder", std::filesystem::current_path().string()},
      {"command", options.command}};
  writeFileAtomically(
      folder / "build_command.json",
      command.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
}

int build(BuildFlags &options, LogFile &logFile) {
  PhaseClock clock;
  std::span<const Phase> phases =
      phasesBetween(options.phaseFrom, options.phaseTo);
  BuildState state;
  state.config = readConfig(options);
  const BuildConfig &config = state.config;
  state.threads = options.common.threadsToUse();
  state.style = currentListener().style();
  state.allowUnmatched = options.allowUnmatched;
  state.failUnder = options.failUnder;
  state.configPath = options.config;
  state.suggestionsToApply = options.applySuggestions;
  if (state.suggestionsToApply > 0)
    checkApplies(config, options.phaseTo);
  state.evidenceDir = options.evidenceDir;
  bool resumes = &phases.front() != &buildPhases().front();
  if (resumes)
    restoreBefore(phases.front(), state);

  bool isChecked = resumes;
  for (const Phase &phase : phases) {
    if (!phase.isWanted(config))
      continue;
    phase.run(state);
    clock.finish(phase.name);
    // The model is known now, and nothing expensive has been done yet.
    if (!isChecked) {
      isChecked = true;
      check(state);
      clock.finish("check");
      if (options.onlyCheck) {
        fmt::print("The configuration, the model and the data fit together.\n");
        return 0;
      }
      logFile.open(std::filesystem::path(config.outputDir) / "build.log");
      writeContext(options, config);
      options.outputDir = config.outputDir;
    }
    dump(state, phase);
  }
  if (state.suggestionsToApply > 0) {
    applySuggestions(state);
    clock.finish("apply");
  }
  writeContext(options, config);

  if (!options.phaseTo.empty()) {
    std::filesystem::path checkpoint = checkpointOf(config, phases.back());
    state.network->save(checkpoint);
    log(LogLevel::Info, "save checkpoint to [{}]", checkpoint.string());
  } else if (!config.evaluation.images.empty()) {
    evaluate(state);
    clock.finish("evaluate");
  }
  log(LogLevel::Info, "time: {}", clock.summary());
  log(LogLevel::Debug, "peak memory {:.1f} MB",
      double(peakMemoryBytes()) / 1e6);
  return state.isTooImprecise ? 1 : 0;
}

/// A build that fails is worth a case as well.
int buildAndPack(BuildFlags &options) {
  LogFile logFile(currentListener());
  ListenerScope scope(logFile);
  auto pack = [&] {
    if (options.caseFile.empty() || options.outputDir.empty())
      return;
    logFile.close(); // It is part of the case.
    PackRequest request;
    request.build = readFinishedBuild(options.outputDir);
    request.caseFile = options.caseFile;
    request.threads = options.common.threads;
    log(LogLevel::Info, "save case to [{}]: {}", options.caseFile,
        packCase(request));
  };
  int code = 0;
  try {
    code = build(options, logFile);
  } catch (const Error &) {
    try {
      pack();
    } catch (const Error &error) {
      log(LogLevel::Error, "there is no case: {}", error.what());
    }
    throw;
  }
  pack();
  return code;
}

} // namespace

int runBuild(int argc, char **argv) {
  BuildFlags options;
  options.command.assign(argv + 1, argv + argc);
  CLI::App app("Compiles a model as a configuration says.", "parallax build");
  app.add_option("--config", options.config, "the configuration, as JSON")
      ->required()
      ->type_name("FILE");
  app.add_flag("--check", options.onlyCheck,
               "only check that configuration, model and data fit together");
  app.add_flag("--allow-unmatched", options.allowUnmatched,
               "only warn about rules of quant.layer_configs that match no "
               "layer");
  app.add_option("--fail-under", options.failUnder,
                 "give exit code 1 if the precision analysis finds an output "
                 "with a smaller cosine, for example 0.98")
      ->type_name("COSINE");
  // For cases: digests of what every layer gives for one sample.
  app.add_option("--evidence", options.evidenceDir)->group("");
  app.add_option("--apply-suggestions", options.applySuggestions,
                 "apply so many of the first suggestions of the precision "
                 "analysis, build and analyze again, and compare what was "
                 "predicted with what came of it")
      ->type_name("N")
      ->check(CLI::Range(1, 99));
  app.add_option("--case", options.caseFile,
                 "pack all that it takes to see the result again, as "
                 "'parallax case pack' does")
      ->type_name("FILE");
  std::vector<std::string> names;
  std::vector<std::string_view> phases;
  for (const Phase &phase : buildPhases()) {
    phases.push_back(phase.name);
    names.push_back(fmt::format("{} ({})", phase.name, phase.does));
  }
  std::string phaseChoice = fmt::format("{}", fmt::join(phases, "|"));
  app.add_option("--phase-from", options.phaseFrom,
                 fmt::format("go on from the checkpoint in front of a phase: "
                             "{}",
                             fmt::join(names, ", ")))
      ->type_name(phaseChoice);
  app.add_option("--phase-to", options.phaseTo,
                 "stop after a phase and leave a checkpoint in "
                 "<output_dir>/phases")
      ->type_name(phaseChoice);
  addConfigFlags(app, options.flags);
  app.footer("\nExample:\n  parallax build --config configs/quickstart.json");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return buildAndPack(options); });
}

} // namespace parallax
