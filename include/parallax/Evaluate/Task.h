//===- Task.h - What the outputs of a network are for ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A task turns the outputs for one sample into an answer of a few numbers, and
// the answers for all samples into metrics. Only answers are kept.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_EVALUATE_TASK_H
#define PARALLAX_EVALUATE_TASK_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Config/TaskMetrics.h"
#include "parallax/Evaluate/EvaluationData.h"

#include <memory>

namespace parallax {

/// What a network answered in one run; its task knows what the numbers mean.
using Answer = std::vector<double>;

/// The metrics of a network, with each sample counted as often as asked.
class Scorer {
public:
  virtual ~Scorer() = default;
  /// In the order of Task::metrics(). Any thread may call this.
  virtual std::vector<double> score(std::span<const uint32_t> counts) const = 0;
};

class Task {
public:
  virtual ~Task() = default;

  /// The metrics; the one that decides by default first.
  virtual std::span<const MetricInfo> metrics() const = 0;

  /// What a run has given; any thread may call this. Throws Error.
  virtual Answer answer(size_t run, const Placement &placement,
                        std::span<const Tensor> outputs) const = 0;

  /// `answers` has one for each run and must outlive the scorer.
  virtual std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const = 0;

  /// The answers for a sample, and what was expected, in a few words. A pair
  /// has two answers.
  virtual std::string describe(size_t sample,
                               std::span<const Answer> answers) const = 0;
  virtual std::string expected(size_t sample) const = 0;

  /// How good the answers for a sample are by themselves; more is better.
  virtual double quality(size_t sample,
                         std::span<const Answer> answers) const = 0;

  /// Whether somebody who looks at the answers would call them different.
  virtual bool isChanged(size_t sample, std::span<const Answer> before,
                         std::span<const Answer> after) const = 0;

  /// What a picture of an answer shows, and what a right one would show: none
  /// if the task finds no objects.
  virtual std::vector<ShownBox> boxes(const Answer &) const { return {}; }
  virtual std::vector<ShownBox> expectedBoxes(size_t /*sample*/,
                                              const Answer &) const {
    return {};
  }

  /// Classes and how often the labels have them; the values are left out.
  virtual std::vector<ClassAccuracy> classes() const { return {}; }
  /// The metric of each of them.
  virtual std::vector<double> scoreClasses(std::span<const Answer>) const {
    return {};
  }

  /// What a small error of each element of the outputs is worth: the square of
  /// what it does to the answer, in any unit. `weights` has the shapes of the
  /// outputs. False if nothing better is known than the size of the error.
  virtual bool weighErrors(std::span<const Tensor>,
                           std::span<const std::span<float>>) const {
    return false;
  }

  /// Whether the metrics are means over samples, of which each is right or
  /// wrong: then a loss that n samples have not shown may still be 3 / n.
  virtual bool isShareOfSamples() const { return false; }
};

/// The task of a configuration for a network with such outputs, which reads its
/// pictures from an input of `inputWidth` x `inputHeight`. Throws Error if the
/// outputs or labels don't fit it. Custom has none.
std::unique_ptr<Task> makeTask(const EvaluationConfig &config,
                               const EvaluationData &data,
                               std::span<const PortInfo> inputs,
                               std::span<const PortInfo> outputs);

/// What one network has answered.
struct NetworkAnswers {
  std::string network;
  /// For each run.
  std::vector<Answer> answers = {};
  /// Where a command has scored all runs together.
  std::vector<MetricResult> scored = {};
};

/// The metrics of networks on some of the samples, with intervals, and what
/// they lose against the first network. The metric that decides comes first.
std::vector<NetworkAccuracy>
measureAnswers(const Task &task, const EvaluationConfig &config,
               const EvaluationData &data, std::span<const size_t> samples,
               std::span<const NetworkAnswers> networks);
/// The same for networks that a command has scored: no intervals.
std::vector<NetworkAccuracy>
measureNumbers(const EvaluationConfig &config,
               std::span<const NetworkAnswers> networks);

/// Scores the networks, compares them with the first one, and judges the last
/// one.
Accuracy judgeAnswers(const Task &task, const EvaluationConfig &config,
                      const EvaluationData &data,
                      std::span<const NetworkAnswers> networks);

/// Every sample with what was expected and what the networks answered, as CSV.
std::string answersCsv(const Task &task, const EvaluationData &data,
                       std::span<const NetworkAnswers> networks);

/// The numbers that a user's command prints for a folder of outputs, in their
/// order. Throws Error if it fails or prints something else.
std::vector<MetricResult>
runMetricCommand(const EvaluationConfig &config,
                 const std::filesystem::path &outputs);

/// The same for networks that a command has scored.
Accuracy judgeNumbers(const EvaluationConfig &config, int64_t samples,
                      std::span<const NetworkAnswers> networks);

} // namespace parallax

#endif // PARALLAX_EVALUATE_TASK_H
