//===- Evaluation.cpp - Networks on a task --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples are read, executed and turned into answers by one thread each; only
// the answers are kept.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Evaluation.h"
#include "AnswerJournal.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Data/TensorFolder.h"
#include "parallax/Pipeline/DataFiles.h"
#include "parallax/Pipeline/FloatStage.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Report/Accuracy.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/Ranks.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <numeric>

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

/// Shows the metric of the samples so far now and then. It reads the answers of
/// all samples, so nobody may write one meanwhile.
class RunningScore {
public:
  RunningScore(const Task &task, size_t samples, size_t runs,
               std::span<const Answer> answers, Progress &progress)
      : task(task), answers(answers), progress(progress), counts(samples),
        runs(runs), step(std::max<size_t>(1, runs / shownTimes)) {}

  void add(size_t sample) {
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
  std::vector<uint32_t> counts;
  size_t runs, step, done = 0;
};

} // namespace

static std::string digestOfSamples(const BuildConfig &config) {
  return digestOfFiles(config, [](std::string_view field) {
    return field.starts_with("evaluation.");
  });
}

Evaluator::Evaluator(const BuildConfig &config, int threads)
    : config(config), task(completed(config)), threads(threads),
      digestOfData(digestOfSamples(config)), data(task) {}

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
  taskFor(inputs, outputs);
}

std::unique_ptr<Task>
Evaluator::taskFor(std::span<const PortInfo> inputs,
                   std::span<const PortInfo> outputs) const {
  return makeTask(task, data, inputs, outputs);
}

void Evaluator::run(const std::string &name, const Executable &network,
                    InputForm form) {
  std::vector<size_t> all(data.runs());
  std::iota(all.begin(), all.end(), size_t(0));
  NetworkAnswers answers{name};
  if (task.task == EvaluationTask::Custom) {
    runCommand(answers, network, form, all);
  } else {
    std::unique_ptr<Task> own = taskFor(network.inputs, network.outputs);
    answers.answers.resize(data.runs());
    if (journal)
      takeKnown(answers, all);
    answerRuns(answers, network, form, *own, all);
    if (journal)
      journal->flush();
    if (!judging)
      judging = std::move(own);
  }
  networks.push_back(std::move(answers));
}

NetworkAnswers Evaluator::answer(const std::string &name,
                                 const Executable &network,
                                 std::span<const size_t> samples,
                                 const NetworkAnswers *before) const {
  size_t each = data.hasPairs() ? 2 : 1;
  std::vector<size_t> chosen;
  for (size_t sample : samples)
    for (size_t k = 0; k < each; ++k)
      chosen.push_back(sample * each + k);
  NetworkAnswers answers{name};
  if (task.task == EvaluationTask::Custom) {
    runCommand(answers, network, InputForm::Model, chosen);
  } else {
    answers.answers = (before ? *before : networks.front()).answers;
    answerRuns(answers, network, InputForm::Model, *judging, chosen);
  }
  return answers;
}

std::vector<NetworkAccuracy>
Evaluator::measure(const std::vector<NetworkAnswers> &answers,
                   std::span<const size_t> samples) const {
  return judging ? measureAnswers(*judging, task, data, samples, answers)
                 : measureNumbers(task, answers);
}

void Evaluator::answerRuns(NetworkAnswers &answers, const Executable &network,
                           InputForm form, const Task &own,
                           std::span<const size_t> runs) const {
  InputPreparation preparation = prepare(network.inputs, form);
  Progress progress(fmt::format("Evaluating {}", answers.network),
                    int64_t(runs.size()));
  // Neighbours of all samples take too long to look for again and again.
  std::optional<RunningScore> score;
  if (task.task != EvaluationTask::Embedding && ranks().isFirst())
    score.emplace(own, data.size(), runs.size(), answers.answers, progress);
  std::vector<Placement> placements(runs.size());
  SampleCallbacks callbacks;
  callbacks.inOrder = false;
  callbacks.total = data.runs();
  callbacks.load = [&](size_t i) {
    return data.load(runs[i], preparation, placements[i]);
  };
  auto answer = [&](size_t i, std::span<const Tensor> outputs) {
    return own.answer(runs[i], placements[i], outputs);
  };
  std::mutex mutex;
  auto take = [&](size_t i, Answer given) {
    if (journal)
      journal->add(answers.network, runs[i], given);
    {
      std::lock_guard lock(mutex);
      answers.answers[runs[i]] = std::move(given);
      if (score)
        score->add(data.sampleOf(runs[i]));
    }
    progress.advance();
  };
  callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
    take(i, answer(i, outputs));
  };
  callbacks.isDealt = true;
  callbacks.pack = [&](size_t i, std::span<const Tensor> outputs,
                       ByteWriter &writer) { writer(answer(i, outputs)); };
  callbacks.unpack = [&](size_t i, ByteReader &reader) {
    Answer given;
    reader(given);
    take(i, std::move(given));
  };
  runSamples(network, runs.size(), threads, callbacks);
}

void Evaluator::takeKnown(NetworkAnswers &answers,
                          std::vector<size_t> &missing) const {
  const std::map<size_t, Answer> &known = journal->known(answers.network);
  size_t count = std::erase_if(missing, [&](size_t run) {
    auto it = known.find(run);
    if (it == known.end())
      return false;
    answers.answers[run] = it->second;
    return true;
  });
  if (count > 0)
    log(LogLevel::Info, "{}: {} of {} answers are known from before",
        answers.network, count, data.runs());
}

/// Outputs go to a folder for each sample, which the command reads.
void Evaluator::runCommand(NetworkAnswers &answers, const Executable &network,
                           InputForm form, std::span<const size_t> runs) const {
  InputPreparation preparation = prepare(network.inputs, form);
  fs::path folder = OutputFiles(config.outputDir).evaluationFolder() /
                    fileNameOf(answers.network);
  if (ranks().isFirst())
    fs::remove_all(folder);
  {
    Progress progress(fmt::format("Evaluating {}", answers.network),
                      int64_t(runs.size()));
    SampleCallbacks callbacks;
    callbacks.inOrder = false;
    callbacks.total = data.runs();
    callbacks.load = [&](size_t i) {
      Placement ignored;
      return data.load(runs[i], preparation, ignored);
    };
    callbacks.isDealt = true;
    callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
      progress.advance();
      if (!ranks().isFirst())
        return;
      size_t run = runs[i];
      std::string sample =
          fs::path(data.name(data.sampleOf(run))).replace_extension().string();
      if (data.hasPairs())
        sample += run % 2 == 0 ? "_a" : "_b";
      writeNpyFolder(folder / sample, network.outputs, outputs);
    };
    runSamples(network, runs.size(), threads, callbacks);
  }
  std::string scored = ranks().fromFirst("the metric", [&] {
    ByteWriter writer;
    writer(runMetricCommand(task, folder));
    fs::remove_all(folder);
    return writer.take();
  });
  ByteReader{scored}(answers.scored);
}

void Evaluator::requireSameData() const {
  if (digestOfSamples(config) != digestOfData)
    throw DataChanged("the samples or labels of the evaluation changed while "
                      "networks ran on them; start again");
}

Accuracy Evaluator::judge() const {
  requireSameData();
  return judging ? judgeAnswers(*judging, task, data, networks)
                 : judgeNumbers(task, int64_t(data.size()), networks);
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
  if (!ranks().isFirst())
    return;
  OutputFiles files(outputDir);
  std::error_code ignored;
  // Figures beside answers of another evaluation would be taken for theirs, so
  // the old ones go first, and the new ones come last.
  for (const fs::path &file : {files.accuracyJson(), files.answers(),
                               files.changedAnswers(), files.report()})
    fs::remove(file, ignored);
  if (!answers.empty())
    writeFileAtomically(files.answers(), answers);
  if (std::string boxes = changedJson(accuracy); !boxes.empty())
    writeFileAtomically(files.changedAnswers(), boxes);
  writeFileAtomically(files.accuracyJson(), accuracyJson(accuracy));
  showResult(renderAccuracy(accuracy, currentListener().style()));
  log(LogLevel::Info, "save accuracy to [{}]", files.accuracyJson().string());
}

} // namespace parallax
