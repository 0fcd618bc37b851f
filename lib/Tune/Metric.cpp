//===- Metric.cpp - What a tuning judges by -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Float answers and outputs are computed once and kept: answers are a few
// numbers, and outputs without labels are those of few samples.
//===----------------------------------------------------------------------===//
#include "Metric.h"

#include "parallax/Analysis/ChannelGroups.h"
#include "parallax/Pipeline/AnalyzeStage.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/CompareOutputs.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Random.h"
#include "parallax/Tune/TrialRecord.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace parallax {
namespace {

//===----------------------------------------------------------------------===//
// With labels
//===----------------------------------------------------------------------===//

class TaskMetric final : public TuneMetric {
public:
  TaskMetric(BuildState &state, int threads)
      : config(state.config), evaluator(config, threads),
        inputs(state.network->inputs()) {
    split = splitSamples(evaluator.samples(), config.tuning);
    Executable network = state.network->prepare({});
    if (config.evaluation.task == EvaluationTask::Custom) {
      // A command scores the samples that it gets, so it gets each part.
      floatAnswers = evaluator.answer("Float", network, split.tuning);
      if (!split.validation.empty())
        validatedFloats = evaluator.answer("Float", network, split.validation);
    } else {
      evaluator.run("Float", network, InputForm::Model);
      floatAnswers = validatedFloats = evaluator.first();
    }
    floatMetric =
        evaluator.measure({floatAnswers}, split.tuning).front().metrics.front();
    if (!std::isfinite(floatMetric.value.value))
      throw Error("the metric of the float network is not a number, so there "
                  "is nothing to tune for");
  }

  std::string title() const override { return floatMetric.title; }
  bool higherIsBetter() const override { return floatMetric.higherIsBetter; }
  double floats() const override { return floatMetric.value.value; }

  Measured measure(const Executable &network, std::span<const size_t> samples,
                   double hopeless) override {
    Measured measured;
    std::optional<NetworkAnswers> answers;
    bool isTuning = std::ranges::equal(samples, split.tuning);
    const NetworkAnswers &expected = isTuning ? floatAnswers : validatedFloats;
    for (size_t end : endsOfParts(samples.size())) {
      std::span<const size_t> part = samples.first(end);
      answers =
          evaluator.answer("trial", network, part.subspan(measured.samples),
                           answers ? &*answers : nullptr);
      std::vector<NetworkAccuracy> found =
          evaluator.measure({expected, *answers}, part);
      const MetricResult &first = found[0].metrics.front(),
                         &other = found[1].metrics.front();
      measured = {other.value, first.value.value, other.loss, end};
      if (!std::isfinite(other.value.value))
        throw Error(
            fmt::format("the metric '{}' of a trial is not a number", title()));
      if (other.loss.low > hopeless)
        break;
    }
    evaluator.requireSameData();
    return measured;
  }

  std::vector<Tensor> load(size_t sample) const override {
    size_t each = evaluator.runs() / evaluator.samples();
    return evaluator.load(sample * each, inputs, InputForm::Model);
  }

private:
  bool weighForTask(std::span<const Tensor> outputs,
                    std::span<const std::span<float>> weights) const override {
    const Task *task = evaluator.knownTask();
    return task && task->weighErrors(outputs, weights);
  }

  /// A quarter, a half, and all. A command scores all samples together, and
  /// intervals of few samples are too narrow to give up on.
  std::vector<size_t> endsOfParts(size_t count) const {
    constexpr size_t fewest = 100;
    std::vector<size_t> ends;
    if (evaluator.knownTask())
      for (size_t end : {count / 4, count / 2})
        if (end >= fewest)
          ends.push_back(end);
    ends.push_back(count);
    return ends;
  }

  BuildConfig config;
  Evaluator evaluator;
  std::vector<PortInfo> inputs;
  /// On the samples to tune on, and to validate on.
  NetworkAnswers floatAnswers, validatedFloats;
  MetricResult floatMetric;
};

//===----------------------------------------------------------------------===//
// Without labels
//===----------------------------------------------------------------------===//

/// The samples to calibrate on flatter a network, so there are others beside
/// them where there are any.
SeenSamples samplesFor(BuildState &state) {
  const BuildConfig &config = state.config;
  if (config.quant.inputSampleDir.empty() && !config.quant.inputConfigs.empty())
    return calibrationAndOthers(*state.network, config);
  return {analyzedSamples(state)};
}

/// The worst group of channels of all outputs: the mean of its similarities
/// over samples, as the verdict on outputs judges it.
class SimilarityMetric final : public TuneMetric {
public:
  SimilarityMetric(BuildState &state, int threads) : threads(threads) {
    SeenSamples all = samplesFor(state);
    samples = all;
    split = splitSamples(all.count, state.config.tuning, all.seen);
    references = outputsOf(state.network->prepare({}), samples, threads);
  }

  std::string title() const override { return "similarity"; }
  double floats() const override { return 1; }
  std::vector<Tensor> load(size_t sample) const override {
    return samples.load(sample);
  }

  Measured measure(const Executable &network, std::span<const size_t> chosen,
                   double) override {
    SampleOutputs floats;
    for (size_t sample : chosen)
      floats.push_back(references[sample]);
    Samples part = samples;
    part.count = chosen.size();
    part.load = [&](size_t i) { return samples.load(chosen[i]); };
    Measured worst{{1, 1, 1}, 1, {0, 0, 0}, chosen.size()};
    for (const ComparedOutput &output :
         compareOutputs(network, part, floats, threads)) {
      if (output.all.isExact)
        take(worst, output.all.agreement, 0);
      for (const ChannelGroup &group : output.groups)
        if (!group.isConstant && group.samples > 0)
          take(worst, group.mean,
               group.deviation / std::sqrt(double(group.samples)));
    }
    if (!std::isfinite(worst.metric.value))
      throw Error("the similarity of a trial is not a number");
    return worst;
  }

private:
  static void take(Measured &worst, double mean, double deviation) {
    // What is not a number stays the worst.
    if (mean > worst.metric.value || std::isnan(worst.metric.value))
      return;
    double wide = errorsToEnd * deviation;
    worst.metric = {mean, mean - wide, std::min(1.0, mean + wide)};
    worst.loss = {1 - mean, 1 - worst.metric.high, 1 - worst.metric.low};
  }

  Samples samples;
  int threads;
  SampleOutputs references;
};

} // namespace

std::unique_ptr<TuneMetric> makeMetric(BuildState &state, int threads,
                                       const ScoreFunction &score) {
  if (score)
    return makeScoreMetric(state, threads, score);
  if (state.config.evaluation.isGiven())
    return std::make_unique<TaskMetric>(state, threads);
  return std::make_unique<SimilarityMetric>(state, threads);
}

bool TuneMetric::weigh(std::span<const Tensor> outputs,
                       std::span<const std::span<float>> weights) const {
  return weighForTask(outputs, weights) || weighByGroups(outputs, weights);
}

SampleSplit splitSamples(size_t count, const TuningConfig &config,
                         size_t seen) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  Random random(uint64_t(config.randomSeed));
  for (size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[random.next() % i]);
  // One sample alone has to do for both.
  auto validating = size_t(std::lround(double(count) * config.validationShare));
  validating = std::min(validating, count > 0 ? count - 1 : 0);
  SampleSplit split;
  for (size_t sample : order)
    (sample >= seen && split.validation.size() < validating ? split.validation
                                                            : split.tuning)
        .push_back(sample);
  std::ranges::sort(split.validation);
  return split;
}

} // namespace parallax
