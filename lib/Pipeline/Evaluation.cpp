//===- Evaluation.cpp - Networks on a task --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples are read, executed and turned into answers by one thread each; only
// the answers are kept.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Evaluation.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Pipeline/FloatStage.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Report/Accuracy.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace fs = std::filesystem;

namespace parallax {
namespace {

std::vector<float> floatsFrom(const std::vector<double> &values) {
  return {values.begin(), values.end()};
}

/// Fills in what the configuration says elsewhere about pictures, which only
/// networks with a single input read.
EvaluationConfig completed(const BuildConfig &config) {
  EvaluationConfig task = config.evaluation;
  if (!config.quant.inputConfigs.empty()) {
    const InputQuantConfig &calibration = config.quant.inputConfigs.front();
    if (task.resize == ImageFit::Default)
      task.resize = calibration.calibrationResize;
    if (task.mean.empty() && task.std.empty()) {
      task.mean = calibration.calibrationMean;
      task.std = calibration.calibrationStd;
    }
  }
  if (task.tensorFormat == ColorSpace::Auto && !config.inputProcessors.empty())
    task.tensorFormat = config.inputProcessors.front().tensorFormat;
  return task;
}

/// Shows the metric of the samples so far now and then.
class RunningScore {
public:
  RunningScore(const Task &task, size_t samples, size_t runs,
               std::span<const Answer> answers, Progress &progress)
      : task(task), answers(answers), progress(progress), counts(samples),
        runs(runs), step(std::max<size_t>(1, runs / shownTimes)) {}

  void add(size_t sample) {
    std::lock_guard lock(mutex);
    counts[sample] = 1;
    if (++done % step == 0 || done == runs) {
      const MetricInfo &metric = task.metrics().front();
      progress.setNote(fmt::format("{} {:.4f}", metric.title,
                                   task.scorer(answers)->score(counts)[0]));
    }
  }

private:
  static constexpr size_t shownTimes = 20;
  const Task &task;
  std::span<const Answer> answers;
  Progress &progress;
  std::mutex mutex;
  std::vector<uint32_t> counts;
  size_t runs, step, done = 0;
};

} // namespace

Evaluator::Evaluator(const BuildConfig &config, int threads)
    : config(config), task(completed(config)), threads(threads), data(task) {}

bool Evaluator::canUseSource() const {
  return data.hasPictures() &&
         std::none_of(config.inputProcessors.begin(),
                      config.inputProcessors.end(),
                      [](const InputProcessor &processor) {
                        return processor.srcFormat > ColorSpace::Rgb ||
                               !processor.padding.empty() ||
                               !processor.slicing.empty() ||
                               processor.scale != 0;
                      });
}

InputPreparation Evaluator::prepare(std::span<const PortInfo> inputs,
                                    InputForm form) const {
  ImageForm picture;
  picture.order = task.tensorFormat;
  picture.mean = floatsFrom(task.mean);
  picture.std = floatsFrom(task.std);
  picture.fit = task.resize;
  picture.cropFraction = task.cropFraction;
  picture.border = uint8_t(task.border);
  const InputProcessor *processor =
      inputs.empty()
          ? nullptr
          : entryFor<InputProcessor>(inputs[0].name, config.inputProcessors);
  TensorLayout layout =
      processor ? processor->pictureLayout() : TensorLayout::Default;
  if (form == InputForm::Source && processor) {
    // The model does the rest: pixels arrive as they are.
    picture.mean.clear();
    picture.std.clear();
    if (processor->srcFormat != ColorSpace::Auto)
      picture.order = processor->srcFormat;
    layout = processor->srcLayout;
  }
  return data.prepare({inputs.begin(), inputs.end()}, picture, layout);
}

std::vector<Tensor> Evaluator::load(size_t run,
                                    std::span<const PortInfo> inputs,
                                    InputForm form) const {
  Placement ignored;
  return data.load(run, prepare(inputs, form), ignored);
}

void Evaluator::check(std::span<const PortInfo> inputs,
                      std::span<const PortInfo> outputs) const {
  // The first sample shows whether files are what they are said to be.
  load(0, inputs, InputForm::Model);
  makeTask(task, data, inputs, outputs);
}

void Evaluator::run(const std::string &name, const Executable &network,
                    InputForm form) {
  InputPreparation preparation = prepare(network.inputs, form);
  if (task.task == EvaluationTask::Custom)
    return runCommand(name, network, preparation);
  std::unique_ptr<Task> own =
      makeTask(task, data, network.inputs, network.outputs);
  NetworkAnswers answers{name, std::vector<Answer>(data.runs())};
  {
    Progress progress(fmt::format("Evaluating {}", name), int64_t(data.runs()));
    // Neighbours of all samples take too long to look for again and again.
    std::optional<RunningScore> score;
    if (task.task != EvaluationTask::Embedding)
      score.emplace(*own, data.size(), data.runs(), answers.answers, progress);
    std::vector<Placement> placements(data.runs());
    SampleCallbacks callbacks;
    callbacks.inOrder = false;
    callbacks.load = [&](size_t run) {
      return data.load(run, preparation, placements[run]);
    };
    callbacks.consume = [&](size_t run, std::span<const Tensor> outputs) {
      answers.answers[run] = own->answer(run, placements[run], outputs);
      if (score)
        score->add(data.sampleOf(run));
      progress.advance();
    };
    runSamples(network, data.runs(), threads, callbacks);
  }
  networks.push_back(std::move(answers));
  if (!judging)
    judging = std::move(own);
}

/// Outputs go to a folder for each sample, which the command reads.
void Evaluator::runCommand(const std::string &name, const Executable &network,
                           const InputPreparation &preparation) {
  fs::path folder =
      OutputFiles(config.outputDir).evaluationFolder() / fileNameOf(name);
  fs::remove_all(folder);
  {
    Progress progress(fmt::format("Evaluating {}", name), int64_t(data.runs()));
    SampleCallbacks callbacks;
    callbacks.inOrder = false;
    callbacks.load = [&](size_t run) {
      Placement ignored;
      return data.load(run, preparation, ignored);
    };
    callbacks.consume = [&](size_t run, std::span<const Tensor> outputs) {
      std::string sample =
          fs::path(data.name(data.sampleOf(run))).replace_extension().string();
      if (data.hasPairs())
        sample += run % 2 == 0 ? "_a" : "_b";
      writeNpyFolder(folder / sample, network.outputs, outputs);
      progress.advance();
    };
    runSamples(network, data.runs(), threads, callbacks);
  }
  scored.push_back({name, runMetricCommand(task, folder)});
  fs::remove_all(folder);
}

Accuracy Evaluator::judge() const {
  return judging ? judgeAnswers(*judging, task, data, networks)
                 : judgeNumbers(task, int64_t(data.size()), scored);
}

std::string Evaluator::answers() const {
  return judging ? answersCsv(*judging, data, networks) : "";
}

Samples evaluationSamples(const BuildConfig &config,
                          std::span<const PortInfo> inputs) {
  constexpr size_t most = 8;
  if (!config.evaluation.isGiven())
    return randomSamples(inputs);
  auto evaluator = std::make_shared<Evaluator>(config, 1);
  std::vector<PortInfo> ports(inputs.begin(), inputs.end());
  return {std::min(most, evaluator->runs()),
          [evaluator, ports](size_t i) {
            return evaluator->load(i, ports, InputForm::Model);
          },
          config.evaluation.images.empty() ? "evaluation.inputs"
                                           : config.evaluation.images};
}

void reportAccuracy(const Accuracy &accuracy, const std::string &answers,
                    const fs::path &outputDir) {
  OutputFiles files(outputDir);
  writeFileAtomically(files.accuracyJson(), accuracyJson(accuracy));
  if (!answers.empty())
    writeFileAtomically(files.answers(), answers);
  showResult(renderAccuracy(accuracy, currentListener().style()));
  log(LogLevel::Info, "save accuracy to [{}]", files.accuracyJson().string());
}

} // namespace parallax
