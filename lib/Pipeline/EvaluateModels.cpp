//===- EvaluateModels.cpp - Models in files on a task ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each model is what its file says: float, quantized or compiled.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/EvaluateModels.h"
#include "AnswerJournal.h"

#include "parallax/Backend/Core/ConcurrentRuns.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Pipeline/Build.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Pipeline/OutputFolder.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Pipeline/RankFolder.h"
#include "parallax/Pipeline/RunModel.h"
#include "parallax/Pipeline/WriteReport.h"
#include "parallax/Report/Accuracy.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Ranks.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

struct EvaluatedModel {
  std::string name;
  EngineChoice engine;
};

EngineChoice choiceOf(const std::string &model, const BuildConfig &config) {
  EngineChoice choice;
  choice.network.model = model;
  choice.target = config.targetHardware;
  // A compiled model has its shapes already.
  if (!isCompiledModel(model)) {
    choice.network.inputShapes = config.inputShapes;
    if (model == config.input)
      choice.network = networkOptions(config);
  }
  return choice;
}

/// The model of the configuration, and those that its build has left.
std::vector<EvaluatedModel> builtModels(const BuildConfig &config) {
  std::vector<EvaluatedModel> models = {
      {"Float", choiceOf(config.input, config)}};
  if (config.outputDir.empty())
    return models;
  fs::path quantized = OutputFiles(config.outputDir).quantizedModel(),
           compiled = fs::path(config.outputDir) / config.outputName;
  if (fs::exists(quantized)) {
    models.push_back({"Reference", choiceOf(quantized.string(), config)});
    models.back().engine.mode = "Reference";
  }
  if (fs::exists(compiled))
    models.push_back({"NPUBackend", choiceOf(compiled.string(), config)});
  if (models.size() == 1)
    log(LogLevel::Info,
        "nothing was built in {}, so only the float model is evaluated",
        config.outputDir);
  return models;
}

std::vector<EvaluatedModel> chosenModels(const EvaluateOptions &options,
                                         const BuildConfig &config) {
  if (options.models.empty())
    return builtModels(config);
  std::vector<EvaluatedModel> models;
  for (const std::string &model : options.models)
    models.push_back({model, choiceOf(model, config)});
  return models;
}

/// What arrives at run time, where the model takes that and it can be made.
InputForm formOf(const EvaluatedModel &model, const BuildConfig &config,
                 const Evaluator &evaluator) {
  bool hasProcessors = isCompiledModel(model.engine.network.model) &&
                       !config.inputProcessors.empty();
  if (!hasProcessors)
    return InputForm::Model;
  if (!evaluator.canUseSource())
    throw Error(fmt::format(
        "{} takes its input as it arrives at run time, but the samples can't "
        "be made into that; evaluate while building, or without "
        "input_processors",
        model.engine.network.model));
  return InputForm::Source;
}

PreparedModel prepareToRun(const EvaluatedModel &model) {
  stopIfCancelled();
  PrepareOptions preparing;
  preparing.takeWeights = true;
  return prepareModel(model.engine, preparing);
}

/// A program judges all models, with samples that only it knows.
Accuracy scoreModels(const EvaluateOptions &options, BuildConfig config,
                     int threads) {
  config.evaluation.task = EvaluationTask::Custom;
  std::vector<NetworkAnswers> networks;
  for (const EvaluatedModel &model : chosenModels(options, config)) {
    PreparedModel prepared = prepareToRun(model);
    ConcurrentRuns runs(prepared.executable, threads);
    double score = options.score(runs, config.evaluation.timeout);
    MetricResult metric{"score",
                        "score",
                        config.evaluation.higherIsBetter,
                        {score, score, score}};
    networks.push_back({model.name, {}, {metric}});
  }
  Accuracy accuracy = judgeNumbers(config.evaluation, 0, networks);
  showResult(renderAccuracy(accuracy, currentListener().style()));
  return accuracy;
}

/// With external data.
std::string digestOfFile(const std::string &model) {
  try {
    if (!isCompiledModel(model))
      return digestOfModel(model);
  } catch (const Error &) { // Running it says what is wrong with it.
  }
  return sha256OfFile(model);
}

std::string digestOfModels(const std::vector<EvaluatedModel> &models) {
  std::string digests;
  for (const EvaluatedModel &model : models)
    digests += fmt::format("{} {}\n", model.name,
                           digestOfFile(model.engine.network.model));
  ranks().requireSame("model", digests);
  return sha256Of(digests);
}

/// Where answers are kept until there are results. A command scores all outputs
/// together, so there is nothing to keep.
std::unique_ptr<AnswerJournal> openJournal(const EvaluateOptions &options,
                                           const BuildConfig &config,
                                           const std::string &modelDigest,
                                           const Evaluator &evaluator) {
  bool hasAnswers = config.evaluation.task != EvaluationTask::Custom;
  if (options.resume && (config.outputDir.empty() || !hasAnswers))
    throw Error(hasAnswers
                    ? "--resume needs the output folder of the evaluation that "
                      "was stopped: set output_dir"
                    : "--resume: a command scores all samples together, so no "
                      "answers are kept; evaluate without it");
  if (config.outputDir.empty() || !hasAnswers)
    return nullptr;
  BuildConfig placeless = config;
  placeless.outputDir = placeless.workDir = "";
  // Ranks may have copies of the data, which are of other times.
  std::string identity = ranks().fromFirst("the data", [&] {
    return fmt::format("configuration={} models={} data={} version={}",
                       sha256Of(toJson(placeless)), modelDigest,
                       evaluator.dataDigest(), PARALLAX_VERSION);
  });
  return std::make_unique<AnswerJournal>(
      OutputFiles(config.outputDir).answerJournal(), identity, options.resume);
}

} // namespace

Accuracy evaluateModels(const EvaluateOptions &options) {
  BuildConfig config = readConfiguration(options);
  if (!config.evaluation.isGiven() && !options.score)
    throw Error("the configuration has no samples to evaluate on: fill in its "
                "section 'evaluation' (docs/evaluation.md)");
  if (config.input.empty() && options.models.empty())
    throw Error("name a model with --model, or in the field 'input' of the "
                "configuration");
  int threads = options.threads > 0 ? options.threads : hardwareThreads();
  if (options.score)
    return scoreModels(options, config, threads);
  PhaseClock clock;
  requireSameConfig(config);
  Evaluator evaluator(config, threads);
  // Until all is written, no build may replace what is evaluated.
  std::optional<OutputFolder> output;
  if (!config.outputDir.empty() && ranks().isFirst())
    output.emplace(config.outputDir);
  std::vector<EvaluatedModel> models = chosenModels(options, config);
  std::string modelDigest = digestOfModels(models);
  std::unique_ptr<AnswerJournal> journal =
      openJournal(options, config, modelDigest, evaluator);
  if (journal)
    evaluator.keepAnswers(*journal);
  for (const EvaluatedModel &model : models) {
    PreparedModel prepared = prepareToRun(model);
    clock.finish("prepare");
    evaluator.run(model.name, prepared.executable,
                  formOf(model, config, evaluator));
    clock.finish("samples");
  }
  Accuracy accuracy = evaluator.judge();
  if (digestOfModels(models) != modelDigest)
    throw Error("a model changed while the evaluation ran, so the answers "
                "would be of two models; evaluate again");
  clock.finish("judge");
  if (config.outputDir.empty()) {
    showResult(renderAccuracy(accuracy, currentListener().style()));
  } else {
    reportAccuracy(accuracy, evaluator.answers(), config.outputDir);
    writeReport(config.outputDir);
  }
  if (journal)
    journal->remove();
  clock.finish("write");
  log(LogLevel::Debug, "evaluation: {}", clock.summary());
  return accuracy;
}

} // namespace parallax
