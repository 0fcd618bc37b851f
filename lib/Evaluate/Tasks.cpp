//===- Tasks.cpp - The task of a configuration ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table of tasks, and what they share.
//===----------------------------------------------------------------------===//
#include "Tasks.h"

#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax {
namespace tasks {

size_t answerOutput(const TaskContext &context) {
  if (context.outputs.empty())
    throw Error("the network has no outputs");
  const std::string &name = context.config.output;
  if (name.empty())
    return 0;
  for (size_t i = 0; i < context.outputs.size(); ++i)
    if (context.outputs[i].name == name)
      return i;
  throw Error(fmt::format("evaluation.output: the network has no output '{}'; "
                          "its outputs are {}",
                          name, describePorts(context.outputs)));
}

std::optional<InputSize> sizeOfInput(const TaskContext &context) {
  for (const PortInfo &input : context.inputs)
    if (input.shape.size() == 4) {
      bool isLast = input.shape[1] != 1 && input.shape[1] != 3;
      return InputSize{double(input.shape[isLast ? 2 : 3]),
                       double(input.shape[isLast ? 1 : 2])};
    }
  return std::nullopt;
}

std::string describePorts(std::span<const PortInfo> ports) {
  std::vector<std::string> all;
  for (const PortInfo &port : ports)
    all.push_back(fmt::format("'{}' {}", port.name, toString(port.shape)));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<float> floatsOf(const Tensor &tensor) {
  std::vector<float> values(size_t(tensor.size()));
  dispatch(tensor.dtype(), [&]<typename T>(TypeTag<T>) {
    std::transform(tensor.data<T>(), tensor.data<T>() + tensor.size(),
                   values.begin(), [](T value) { return float(value); });
  });
  return values;
}

} // namespace tasks

std::unique_ptr<Task> makeTask(const EvaluationConfig &config,
                               const EvaluationData &data,
                               std::span<const PortInfo> inputs,
                               std::span<const PortInfo> outputs) {
  tasks::TaskContext context{config, data, inputs, outputs};
  switch (config.task) {
  case EvaluationTask::Classification:
    return tasks::makeClassification(context);
  case EvaluationTask::Detection:
    return tasks::makeDetection(context);
  case EvaluationTask::Segmentation:
    return tasks::makeSegmentation(context);
  case EvaluationTask::Embedding:
    return tasks::makeEmbedding(context);
  case EvaluationTask::Regression:
    return tasks::makeRegression(context);
  case EvaluationTask::Custom:
    break;
  }
  return nullptr;
}

} // namespace parallax
