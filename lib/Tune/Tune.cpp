//===- Tune.cpp - The cheapest network that keeps its accuracy ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The search looks at one part of the samples, the final figure comes from the
// other. What is returned is built once more from its configuration, and has to
// be the very model that was measured.
//===----------------------------------------------------------------------===//
#include "parallax/Tune/Tune.h"
#include "Allowed.h"
#include "Outcome.h"
#include "Present.h"

#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/DataFiles.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Pipeline/RankFolder.h"
#include "parallax/Pipeline/WriteReport.h"
#include "parallax/Report/HtmlReport.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Ranks.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>
#include <limits>

namespace fs = std::filesystem;

namespace parallax {
namespace {

struct TuneFiles {
  explicit TuneFiles(const BuildConfig &config)
      : output(config.outputDir), folder(output.tuningFolder()) {}

  fs::path history() const { return output.tuningHistory(); }
  fs::path tunedConfig() const { return output.tunedConfig(); }
  fs::path outcome() const { return folder / "outcome.json"; }
  fs::path work() const { return folder / "work"; }
  fs::path trial(int64_t number) const {
    return folder / fmt::format("trial_{}", number);
  }

  OutputFiles output;
  fs::path folder;
};

void checkTunable(const BuildConfig &config) {
  if (config.modelType != ModelType::Onnx)
    throw Error("a model that came quantized has nothing to tune; set "
                "model_type to ONNX and give its float form");
  if (!hasCalibration(config))
    throw Error("there is nothing to calibrate on: fill in "
                "quant.input_configs");
  if (config.outputDir.empty())
    throw Error("output_dir: a tuning needs a folder for its history");
}

/// Of samples and labels, and of whatever else is read beside the model. Ranks
/// may have copies, which are of other times.
std::string digestOfData(const BuildConfig &config) {
  return ranks().fromFirst("the data", [&] {
    return digestOfFiles(config, [](std::string_view field) {
      return field != "input" && field != "output_dir" && field != "work_dir";
    });
  });
}

/// What trials depend on. More time or more trials change none of them.
std::string identityOf(BuildConfig config) {
  config.tuning.exitPolicy = {};
  return fmt::format("configuration={} model={} data={} version={}",
                     sha256Of(toJson(config)), digestOfModel(config.input),
                     digestOfData(config), PARALLAX_VERSION);
}

/// The configuration as the user wrote it, or with all fields where flags have
/// changed some.
std::string configText(const TuneOptions &options, const BuildConfig &config) {
  if (!options.overrides.empty())
    return toJson(config);
  return options.configText.empty() ? readText(options.configFile)
                                    : options.configText;
}

/// Builds a configuration with changes into a folder, and makes sure that it
/// gives what was measured.
void buildTrial(const std::string &text, const TrialRecord &trial,
                const fs::path &configFile, const std::string &outputDir,
                int threads, const std::string &lastPhase) {
  writeFileAtomically(configFile, text);
  BuildOptions build;
  build.configText = text;
  if (!outputDir.empty())
    build.overrides.push_back({"output_dir", {outputDir}});
  build.threads = threads;
  build.phaseTo = lastPhase;
  build.command = {"--config", configFile.string()};
  BuildResult result;
  runBuild(build, result);
  fs::path model = fs::path(result.config.outputDir) / result.config.outputName;
  if (ranks().isFirst() && sha256OfFile(model) != trial.digest)
    throw Error(fmt::format(
        "'{}' is not the model that trial {} has measured: the model, the "
        "samples or the tool have changed since then; tune again",
        model.string(), trial.number));
}

/// The history that all ranks know: the first one has it in its folder.
void bringHistory(const fs::path &file) {
  if (!ranks().areSeveral())
    return;
  std::string text = ranks().fromFirst("the history", [&] {
    return fs::exists(file) ? readText(file) : std::string();
  });
  if (!ranks().isFirst() && !text.empty())
    writeFileAtomically(file, text);
}

int64_t recoverTrial(const TuneOptions &options, const BuildConfig &config,
                     const std::string &identity, int threads) {
  TuneFiles files(config);
  History history(files.history(), identity, /*resume=*/true);
  for (const TrialRecord &trial : history.trials())
    if (trial.number == options.recover && trial.failure.empty()) {
      fs::path folder = files.trial(trial.number);
      buildTrial(editedText(configText(options, config), trial.edits), trial,
                 folder / "config.json", folder.string(), threads, "compile");
      return trial.number;
    }
  throw Error(fmt::format("{} has no trial {} with a result; it has {}",
                          files.history().string(), options.recover,
                          history.trials().size()));
}

/// Nothing if it can't be measured: the search must not have been in vain.
std::optional<ValidatedMetric> validate(Search &search,
                                        const TrialRecord &trial) {
  search.bench.build(search.ownEdits(trial));
  try {
    Measured found =
        search.metric.measure(search.bench.machine(), search.split.validation,
                              std::numeric_limits<double>::infinity());
    return ValidatedMetric{found.floats, found.metric, found.loss,
                           int64_t(search.split.validation.size())};
  } catch (const Cancelled &) {
    throw;
  } catch (const DataChanged &) {
    throw;
  } catch (const Error &error) {
    ranks().requireSameFailure(error.what());
    log(LogLevel::Warning, "trial {} has no final figure: {}", trial.number,
        error.what());
    return std::nullopt;
  }
}

void runStrategy(Search &search, const TuneOptions &options,
                 TuneResult &result) {
  try {
    if (options.propose)
      searchByProposals(search, options.propose);
    else if (options.pareto)
      searchFront(search);
    else
      strategyOf(search.config.strategy)(search);
  } catch (const SearchEnded &end) {
    result.ended = end.reason;
  }
  const TrialRecord *best = search.best();
  if (!best)
    throw Error("no trial could be measured; the history says why");
  result.base = *search.first();
  result.best = *best;
  result.isMet = search.holds(*best);
  result.tolerableLoss = search.tolerableLoss();
  result.metric = search.metric.title();
  search.bench.build(search.ownEdits(result.best));
  showResult(renderMixedPrecision(
      countTypes(search.bench.calibrated().network->view(views::quantized)),
      currentListener().style()));
  if (!search.split.validation.empty()) {
    result.baseValidated = validate(search, result.base);
    result.bestValidated = result.best.number == result.base.number
                               ? result.baseValidated
                               : validate(search, result.best);
  }
}

/// Another command may have come to the folder meanwhile; it has the results.
void reportTuning(const fs::path &outputDir) {
  try {
    OutputFolder output(outputDir);
    writeReport(outputDir);
  } catch (const Error &error) {
    log(LogLevel::Warning, "no report is written: {}", error.what());
  }
}

/// The page of the result, which is written if there is none.
fs::path reportOf(const TuneFiles &files, const BuildConfig &config) {
  // The build has written one only if it was to be analyzed.
  if (!fs::exists(files.output.report()))
    reportTuning(config.outputDir);
  return fs::exists(files.output.report()) ? files.output.report() : fs::path();
}

/// What an earlier run of the same tuning has come to, if that is all there.
std::optional<TuneResult> earlierResult(const TuneFiles &files,
                                        const BuildConfig &config,
                                        const TuningRun &run,
                                        const History &history) {
  std::optional<TuneResult> result = readOutcome(
      files.outcome(), run, {history.trials().begin(), history.trials().end()});
  fs::path model = fs::path(config.outputDir) / config.outputName;
  if (!result || !isCompleteBuild(config.outputDir) || !fs::exists(model) ||
      sha256OfFile(model) != result->best.digest)
    return std::nullopt;
  result->history = files.history();
  result->tunedConfig = files.tunedConfig();
  result->compiledModel = model;
  return result;
}

/// Shows such a result. Only the first rank has the files that tell.
bool findEarlierResult(const TuneFiles &files, const BuildConfig &config,
                       const TuningRun &run, const History &history,
                       TuneResult &result) {
  std::string found = ranks().fromFirst("the outcome", [&] {
    std::optional<TuneResult> known =
        earlierResult(files, config, run, history);
    if (!known)
      return std::string();
    result = std::move(*known);
    log(LogLevel::Info, "this tuning has ended already; without --resume it "
                        "starts anew");
    result.report = reportOf(files, config);
    log(LogLevel::Info,
        "the tuned configuration is [{}], all trials are in [{}]{}",
        result.tunedConfig.string(), result.history.string(),
        result.report.empty()
            ? std::string()
            : fmt::format(", the report is [{}]", result.report.string()));
    showResult(describeResult(result));
    return std::string(result.isMet ? "met" : "missed");
  });
  if (!ranks().isFirst())
    result.isMet = found == "met";
  return !found.empty();
}

} // namespace

TuneResult tuneNetwork(const TuneOptions &options) {
  BuildConfig config = readConfiguration(options);
  checkTunable(config);
  int threads = options.threads > 0 ? options.threads : hardwareThreads();
  std::string identity = identityOf(config);
  RankFolder folder(config);
  TuneFiles files(config);
  TuneResult result;
  OutputFolder lock(files.folder);
  if (options.resume || options.recover >= 0)
    bringHistory(files.history());
  if (options.recover >= 0) {
    recoverTrial(options, config, identity, threads);
    return result;
  }
  TuningRun run{identity, options.pareto, config.tuning.exitPolicy.maxTrials};
  History history(files.history(), run.identity, options.resume);
  // A program may say something else this time.
  bool isOurs = !options.propose && !options.score &&
                config.tuning.strategy != TuningStrategy::Custom;
  if (isOurs && findEarlierResult(files, config, run, history, result))
    return result;
  fs::remove(files.outcome());
  {
    Workbench bench(config, files.work(), threads);
    bench.calibrate({});
    bench.require(
        requiredTypes(config.tuning, bench.calibrated().network->function()));
    std::unique_ptr<TuneMetric> metric =
        makeMetric(bench.calibrated(), threads, options.score);
    log(LogLevel::Info, "tuning {} on {} samples; {}", metric->title(),
        metric->split.tuning.size(),
        metric->split.validation.empty()
            ? "there are no others for a final figure"
            : fmt::format("the final figure comes from {} others",
                          metric->split.validation.size()));
    Search search(bench, *metric, history, files.history());
    runStrategy(search, options, result);
    run.asked = search.count();
    result.trials.assign(history.trials().begin(), history.trials().end());
    result.history = files.history();
    result.tunedConfig = files.tunedConfig();
    presentResult(search, result, options.pareto);
  }
  buildTrial(editedText(configText(options, config), result.best.edits),
             result.best, files.tunedConfig(), "", threads, "");
  log(LogLevel::Info,
      "save the tuned configuration to [{}], all trials to [{}]",
      files.tunedConfig().string(), files.history().string());
  writeOutcome(files.outcome(), run, result);
  result.report = reportOf(files, config);
  showResult(describeResult(result));
  result.compiledModel = fs::path(config.outputDir) / config.outputName;
  return result;
}

} // namespace parallax
