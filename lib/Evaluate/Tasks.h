//===- Tasks.h - The tasks by themselves -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One function for each task, and what they share.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_EVALUATE_TASKS_H
#define PARALLAX_LIB_EVALUATE_TASKS_H

#include "parallax/Evaluate/Task.h"

namespace parallax::tasks {

/// What a task is made of; all of it must outlive the task.
struct TaskContext {
  const EvaluationConfig &config;
  const EvaluationData &data;
  std::span<const PortInfo> inputs, outputs;
};

std::unique_ptr<Task> makeClassification(const TaskContext &context);
std::unique_ptr<Task> makeDetection(const TaskContext &context);
std::unique_ptr<Task> makeSegmentation(const TaskContext &context);
std::unique_ptr<Task> makeEmbedding(const TaskContext &context);
std::unique_ptr<Task> makeRegression(const TaskContext &context);

/// The output that holds the answer: the one that the configuration names, or
/// the first. Throws Error if there is none of that name.
size_t answerOutput(const TaskContext &context);

/// The size of the pictures that a network reads; nothing if it reads none.
struct InputSize {
  double width = 0, height = 0;
};
std::optional<InputSize> sizeOfInput(const TaskContext &context);

/// "'boxes' 1x100x4, 'scores' 1x100x81".
std::string describePorts(std::span<const PortInfo> ports);

/// The numbers of a tensor of any type as floats.
std::vector<float> floatsOf(const Tensor &tensor);

/// The sum over samples of a number of each, counted as often as asked.
template <typename Fn>
double sumOver(std::span<const uint32_t> counts, Fn numberOf) {
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      sum += counts[i] * numberOf(i);
  return sum;
}

/// A scorer from a function.
template <typename Fn> class FunctionScorer final : public Scorer {
public:
  explicit FunctionScorer(Fn fn) : fn(std::move(fn)) {}
  std::vector<double> score(std::span<const uint32_t> counts) const override {
    return fn(counts);
  }

private:
  Fn fn;
};
template <typename Fn> std::unique_ptr<Scorer> makeScorer(Fn fn) {
  return std::make_unique<FunctionScorer<Fn>>(std::move(fn));
}

} // namespace parallax::tasks

#endif // PARALLAX_LIB_EVALUATE_TASKS_H
