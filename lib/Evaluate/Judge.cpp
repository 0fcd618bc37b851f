//===- Judge.cpp - From answers to a verdict ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Confidence intervals come from drawing the samples again, with the same draw
// for every network: what is common to them cancels out of a loss.
//===----------------------------------------------------------------------===//
#include "parallax/Evaluate/Task.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/SafeText.h"
#include "parallax/Support/Sort.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace parallax {
namespace {

/// The names and files show at most so many of them.
constexpr size_t mostChanged = 100;

using Scores = std::vector<std::vector<double>>;

/// The scores of all networks for one draw of the samples.
Scores scoreDraw(std::span<const std::unique_ptr<Scorer>> scorers,
                 std::span<const uint32_t> counts) {
  Scores scores;
  for (const std::unique_ptr<Scorer> &scorer : scorers)
    scores.push_back(scorer->score(counts));
  return scores;
}

/// Draws as many samples as there are, with repetitions. Each draw has a
/// generator of its own, so any number of threads gives the same.
std::vector<Scores> drawAgain(std::span<const std::unique_ptr<Scorer>> scorers,
                              std::span<const size_t> samples, size_t all,
                              const EvaluationConfig &config) {
  std::vector<Scores> draws(size_t(config.bootstrapSamples));
  parallelFor(int64_t(draws.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t draw = begin; draw < end; ++draw) {
      Random mixer(uint64_t(config.randomSeed));
      Random random(mixer.next() + uint64_t(draw));
      std::vector<uint32_t> counts(all);
      for (size_t i = 0; i < samples.size(); ++i)
        ++counts[samples[random.next() % samples.size()]];
      draws[size_t(draw)] = scoreDraw(scorers, counts);
    }
  });
  return draws;
}

/// The middle 95 % of numbers.
Estimate intervalOf(double value, std::vector<double> numbers) {
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  if (numbers.empty())
    return {value, value, value};
  std::sort(numbers.begin(), numbers.end());
  auto at = [&](double part) {
    return numbers[size_t(std::lround(part * double(numbers.size() - 1)))];
  };
  return {value, std::min(value, at(0.025)), std::max(value, at(0.975))};
}

/// A loss is positive where a network is worse.
double lossOf(const MetricInfo &metric, double first, double other) {
  return metric.higherIsBetter ? first - other : other - first;
}

/// The metric that decides comes first.
void putFirst(std::vector<NetworkAccuracy> &networks,
              const std::string &metric) {
  if (metric.empty())
    return;
  for (NetworkAccuracy &network : networks) {
    auto found = std::find_if(
        network.metrics.begin(), network.metrics.end(),
        [&](const MetricResult &result) { return result.name == metric; });
    if (found == network.metrics.end()) {
      std::string names;
      for (const MetricResult &result : network.metrics)
        names += (names.empty() ? "" : ", ") + result.name;
      throw Error(fmt::format("evaluation.metric: there is no '{}' here; there "
                              "are {}",
                              metric, names));
    }
    std::rotate(network.metrics.begin(), found, found + 1);
  }
}

double tolerableLossOf(const EvaluationConfig &config,
                       const NetworkAccuracy &first) {
  return config.criterion == LossCriterion::Absolute
             ? config.tolerableLoss
             : config.tolerableLoss *
                   std::abs(first.metrics.front().value.value);
}

/// The answers for a sample.
std::span<const Answer> answersFor(const NetworkAnswers &network, size_t sample,
                                   const EvaluationData &data) {
  size_t each = data.hasPairs() ? 2 : 1;
  return std::span(network.answers).subspan(sample * each, each);
}

void findChanges(Accuracy &accuracy, const Task &task,
                 const EvaluationData &data,
                 std::span<const NetworkAnswers> networks) {
  const NetworkAnswers &first = networks.front(), &last = networks.back();
  for (size_t i = 0; i < data.size(); ++i) {
    std::span<const Answer> before = answersFor(first, i, data),
                            after = answersFor(last, i, data);
    if (task.isChanged(i, before, after))
      accuracy.changed.push_back(
          {data.name(i), task.expected(i), task.describe(i, before),
           task.describe(i, after),
           task.quality(i, before) - task.quality(i, after),
           task.expectedBoxes(i, before[0]), task.boxes(before[0]),
           task.boxes(after[0])});
  }
  sortByKey(accuracy.changed,
            [](const ChangedAnswer &change) { return -change.loss; });
  accuracy.changedCount = int64_t(accuracy.changed.size());
  accuracy.changed.resize(std::min(accuracy.changed.size(), mostChanged));
}

void scoreClasses(Accuracy &accuracy, const Task &task,
                  std::span<const NetworkAnswers> networks) {
  accuracy.classes = task.classes();
  for (const NetworkAnswers &network : networks) {
    std::vector<double> values = task.scoreClasses(network.answers);
    for (size_t c = 0; c < values.size(); ++c)
      accuracy.classes[c].values.push_back(values[c]);
  }
  // Classes that nobody has or finds.
  std::erase_if(accuracy.classes, [](const ClassAccuracy &own) {
    return own.values.empty() || std::isnan(own.values.front());
  });
  sortByKey(accuracy.classes, [](const ClassAccuracy &own) {
    return own.values.back() - own.values.front();
  });
}

/// What none of n samples has shown happens to fewer than 3 in n (95 %).
/// Drawing the samples again can't tell.
void widenUnseenLosses(Accuracy &accuracy) {
  double atMost = 3 / double(accuracy.samples);
  for (NetworkAccuracy &network : std::span(accuracy.networks).subspan(1))
    for (MetricResult &metric : network.metrics)
      if (metric.loss.low == 0 && metric.loss.high == 0)
        metric.loss.high = atMost;
}

std::string csvField(std::string_view text) {
  return safeText(TextKind::CsvField, text);
}

} // namespace

std::vector<NetworkAccuracy>
measureAnswers(const Task &task, const EvaluationConfig &config,
               const EvaluationData &data, std::span<const size_t> samples,
               std::span<const NetworkAnswers> networks) {
  std::vector<std::unique_ptr<Scorer>> scorers;
  for (const NetworkAnswers &network : networks)
    scorers.push_back(task.scorer(network.answers));
  std::vector<uint32_t> once(data.size());
  for (size_t sample : samples)
    once[sample] = 1;
  Scores scores = scoreDraw(scorers, once);
  std::vector<Scores> draws = drawAgain(scorers, samples, data.size(), config);
  std::span<const MetricInfo> metrics = task.metrics();
  std::vector<NetworkAccuracy> result;
  for (size_t n = 0; n < networks.size(); ++n) {
    result.push_back({networks[n].network});
    for (size_t m = 0; m < metrics.size(); ++m) {
      std::vector<double> values, losses;
      for (const Scores &draw : draws) {
        values.push_back(draw[n][m]);
        losses.push_back(lossOf(metrics[m], draw[0][m], draw[n][m]));
      }
      result.back().metrics.push_back(
          {std::string(metrics[m].name), std::string(metrics[m].title),
           metrics[m].higherIsBetter,
           intervalOf(scores[n][m], std::move(values)),
           intervalOf(lossOf(metrics[m], scores[0][m], scores[n][m]),
                      std::move(losses))});
    }
  }
  putFirst(result, config.metric);
  return result;
}

Accuracy judgeAnswers(const Task &task, const EvaluationConfig &config,
                      const EvaluationData &data,
                      std::span<const NetworkAnswers> networks) {
  Accuracy accuracy;
  accuracy.task = configName(config.task);
  accuracy.samples = int64_t(data.size());
  std::vector<size_t> samples(data.size());
  std::iota(samples.begin(), samples.end(), size_t(0));
  accuracy.networks = measureAnswers(task, config, data, samples, networks);
  scoreClasses(accuracy, task, networks);
  findChanges(accuracy, task, data, networks);
  accuracy.tolerableLoss = tolerableLossOf(config, accuracy.networks.front());
  if (task.isShareOfSamples() && accuracy.changedCount == 0)
    widenUnseenLosses(accuracy);
  decide(accuracy);
  return accuracy;
}

std::vector<NetworkAccuracy>
measureNumbers(const EvaluationConfig &config,
               std::span<const NetworkAnswers> networks) {
  std::vector<NetworkAccuracy> result;
  for (const NetworkAnswers &network : networks)
    result.push_back({network.network, network.scored});
  putFirst(result, config.metric);
  const std::vector<MetricResult> first = result.front().metrics;
  for (NetworkAccuracy &network : result) {
    for (size_t m = 0; m < network.metrics.size(); ++m) {
      MetricResult &metric = network.metrics[m];
      if (m >= first.size() || first[m].name != metric.name)
        throw Error("evaluation.command prints other metrics for one network "
                    "than for another");
      double loss = lossOf({"", "", metric.higherIsBetter},
                           first[m].value.value, metric.value.value);
      metric.loss = {loss, loss, loss};
    }
  }
  return result;
}

Accuracy judgeNumbers(const EvaluationConfig &config, int64_t samples,
                      std::span<const NetworkAnswers> networks) {
  Accuracy accuracy;
  accuracy.task = configName(config.task);
  accuracy.samples = samples;
  accuracy.networks = measureNumbers(config, networks);
  accuracy.hasIntervals = false;
  accuracy.tolerableLoss = tolerableLossOf(config, accuracy.networks.front());
  decide(accuracy);
  return accuracy;
}

std::string answersCsv(const Task &task, const EvaluationData &data,
                       std::span<const NetworkAnswers> networks) {
  std::string text = "sample,expected";
  for (const NetworkAnswers &network : networks)
    text += fmt::format(",{},{}", csvField(network.network),
                        csvField(network.network + " quality"));
  text += "\n";
  for (size_t i = 0; i < data.size(); ++i) {
    text += csvField(data.name(i)) + "," + csvField(task.expected(i));
    for (const NetworkAnswers &network : networks) {
      std::span<const Answer> answers = answersFor(network, i, data);
      text += fmt::format(",{},{:.9g}", csvField(task.describe(i, answers)),
                          task.quality(i, answers));
    }
    text += "\n";
  }
  return text;
}

} // namespace parallax
